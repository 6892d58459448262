#include "context/tables/table_set.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "entropy/exp_golomb.h"
#include "entropy/range_coder.h"

namespace firn {
namespace {

constexpr uint32_t kIndexBits = 8;  // table numbers
static_assert(kContextTablesMax < 1u << kIndexBits);

// Every adaptive model of the format, in its initial state.
struct Models {
  ExpGolombModel table_count, symbol_limit, context_count;
  TableBit precision[4];              // a tree of two bits
  TableBit present[3][2];             // [in the table before: none such, no, yes][the symbol before]
  TableBit drop_same[2], drop_up[2];  // [predicted from the table before]
  ExpGolombModel drop_more[2];
  ExpGolombModel reference;
  // A map has a number of decisions known beforehand, and nearly all of them go one way.
  BlockBit row_same[2][4];  // [described by a slot][as others do before]
  BlockBit row_left;
  TableBit row_index[1u << kIndexBits];
};

// Codes numbers one way or the other: the same walk serves writer and reader, so that they cannot differ. Each method
// takes the value to write and returns the value written or read.
class Writing {
 public:
  explicit Writing(std::vector<uint8_t>* out) : encoder_(out) {}
  template <typename Model>
  uint32_t bit(Model& model, uint32_t value) {
    encoder_.bit(model, value);
    return value;
  }
  uint32_t number(ExpGolombModel& model, uint32_t value) {
    encode_exp_golomb(encoder_, model, value);
    return value;
  }
  bool overrun() const { return false; }
  bool finish() {
    encoder_.finish();
    return true;
  }

 private:
  RangeEncoder encoder_;
};

class Reading {
 public:
  Reading(const uint8_t* bytes, size_t size) : decoder_(bytes, size) {}
  template <typename Model>
  uint32_t bit(Model& model, uint32_t) {
    return decoder_.bit(model);
  }
  // A number no encoder writes comes out too large for every range.
  uint32_t number(ExpGolombModel& model, uint32_t) {
    uint32_t value = 0;
    return decode_exp_golomb(decoder_, model, &value) ? value : ~0u;
  }
  bool overrun() const { return decoder_.overrun(); }
  bool finish() const { return decoder_.finished(); }

 private:
  RangeDecoder decoder_;
};

template <typename Coder>
uint32_t code_tree(Coder& coder, TableBit* nodes, uint32_t bits, uint32_t value) {
  uint32_t node = 1;
  for (uint32_t b = bits; b-- > 0;) node = 2 * node + coder.bit(nodes[node], (value >> b) & 1);
  return node - (1u << bits);
}

// Drops in eighths of an octave, whatever their table's precision.
int32_t eighths(const TableShape& shape, uint32_t symbol) {
  return static_cast<int32_t>(uint32_t{shape.drops[symbol]} << (kShapePrecisionMax - shape.precision));
}

// The predicted drop of `symbol`: that of the table before, shifted like the last symbol's, or else the last symbol's.
int32_t predicted_drop(const TableShape& shape, const TableShape* before, uint32_t symbol, int32_t last) {
  int32_t guess = last < 0 ? 0 : eighths(shape, static_cast<uint32_t>(last));
  if (before && before->has(symbol)) {
    const auto last_symbol = static_cast<uint32_t>(last);
    guess = eighths(*before, symbol);
    if (last >= 0 && before->has(last_symbol)) guess += eighths(shape, last_symbol) - eighths(*before, last_symbol);
  }
  const int32_t steps = std::max(guess, 0) >> (kShapePrecisionMax - shape.precision);
  return std::min(steps, static_cast<int32_t>(TableShape::drop_max(shape.precision)));
}

// False when the drop falls outside its range.
template <typename Coder>
bool code_drop(Coder& coder, Models& m, int32_t guess, uint32_t from_before, int32_t drop_max, uint8_t* drop) {
  const int32_t step = *drop - guess;
  int32_t coded = 0;
  if (!coder.bit(m.drop_same[from_before], step == 0)) {
    const uint32_t up = guess == 0 ? 1 : coder.bit(m.drop_up[from_before], step > 0);
    const uint32_t more = coder.number(m.drop_more[from_before], static_cast<uint32_t>((step < 0 ? -step : step) - 1));
    if (more > static_cast<uint32_t>(drop_max)) return false;
    coded = up ? static_cast<int32_t>(more) + 1 : -static_cast<int32_t>(more) - 1;
  }
  if (guess + coded < 0 || guess + coded > drop_max) return false;
  *drop = static_cast<uint8_t>(guess + coded);
  return true;
}

template <typename Coder>
bool code_shape(Coder& coder, Models& m, uint32_t limit, const TableShape* before, TableShape* shape) {
  shape->precision = static_cast<uint8_t>(code_tree(coder, m.precision, 2, shape->precision));
  const auto drop_max = static_cast<int32_t>(TableShape::drop_max(shape->precision));
  int32_t last = -1;  // the last symbol with a code
  bool likeliest = false;
  for (uint32_t s = 0; s < limit; ++s) {
    const uint32_t known = !before ? 0 : before->has(s) ? 2 : 1;
    if (!coder.bit(m.present[known][s > 0 && last == static_cast<int32_t>(s) - 1], shape->has(s))) {
      shape->drops[s] = kShapeAbsent;
      continue;
    }
    const int32_t guess = predicted_drop(*shape, before, s, last);
    if (!code_drop(coder, m, guess, known == 2, drop_max, &shape->drops[s])) return false;
    likeliest |= shape->drops[s] == 0;
    last = static_cast<int32_t>(s);
  }
  for (uint32_t s = limit; s < kContextSymbols; ++s) shape->drops[s] = kShapeAbsent;
  return likeliest && !coder.overrun();
}

// The table of row (slot, c) that the reference suggests, and the one of the row before in the same slot.
struct Suggestion {
  uint8_t reference, left;
};

Suggestion suggestion(const TableSet& set, uint32_t slot, uint32_t c) {
  const uint8_t* const rows = &set.map[size_t{slot} * set.contexts];
  const uint8_t left = c > 0 ? rows[c - 1] : 0;
  const uint32_t back = set.references[slot];
  return {back == 0 ? left : rows[static_cast<ptrdiff_t>(c) - static_cast<ptrdiff_t>(back * set.contexts)], left};
}

template <typename Coder>
bool code_row(Coder& coder, Models& m, const TableSet& set, Suggestion suggested, uint32_t* differences,
              uint32_t referred, uint8_t* table) {
  if (coder.bit(m.row_same[referred][std::min(*differences, 3u)], *table == suggested.reference)) {
    *table = suggested.reference;
    return true;
  }
  ++*differences;
  if (suggested.left != suggested.reference && coder.bit(m.row_left, *table == suggested.left)) {
    *table = suggested.left;
    return true;
  }
  const auto bits = static_cast<uint32_t>(std::bit_width(set.shapes.size() - 1));
  *table = static_cast<uint8_t>(code_tree(coder, m.row_index, bits, *table));
  return *table < set.shapes.size() && *table != suggested.reference && *table != suggested.left;
}

template <typename Coder>
bool code_map(Coder& coder, Models& m, TableSet* set) {
  const uint32_t contexts = coder.number(m.context_count, set->contexts - 1) + 1;
  if (contexts - 1 >= kContextsMax) return false;
  set->contexts = contexts;
  set->map.resize(size_t{set->slots} * contexts);
  set->references.resize(set->slots);
  for (uint32_t slot = 0; slot < set->slots; ++slot) {
    const uint32_t back = slot == 0 ? 0 : coder.number(m.reference, set->references[slot]);
    if (back > std::min(slot, kReferenceMax)) return false;
    set->references[slot] = static_cast<uint8_t>(back);
    uint32_t differences = 0;
    for (uint32_t c = 0; c < contexts; ++c) {
      uint8_t& table = set->map[size_t{slot} * contexts + c];
      if (!code_row(coder, m, *set, suggestion(*set, slot, c), &differences, back > 0, &table)) return false;
    }
    if (coder.overrun()) return false;
  }
  return true;
}

// False on bytes that no writer writes.
template <typename Coder>
bool code_set(Coder& coder, TableSet* set, uint32_t limit) {
  const auto m = std::make_unique<Models>();
  const uint32_t tables = coder.number(m->table_count, static_cast<uint32_t>(set->shapes.size()) - 1) + 1;
  if (tables - 1 >= kContextTablesMax) return false;
  limit = coder.number(m->symbol_limit, limit - 1) + 1;
  if (limit - 1 >= kContextSymbols) return false;
  set->shapes.resize(tables);
  bool limit_reached = false;
  for (uint32_t t = 0; t < tables; ++t) {
    if (!code_shape(coder, *m, limit, t > 0 ? &set->shapes[t - 1] : nullptr, &set->shapes[t])) return false;
    limit_reached |= set->shapes[t].has(limit - 1);
  }
  if (!limit_reached) return false;
  if (set->has_map() && !code_map(coder, *m, set)) return false;
  return coder.finish();
}

}  // namespace

std::vector<uint8_t> write_table_set(const TableSet& set) {
  std::vector<uint8_t> out;
  if (set.shapes.empty()) return out;
  uint32_t limit = kContextSymbols;
  const auto occurs = [&](uint32_t symbol) {
    return std::any_of(set.shapes.begin(), set.shapes.end(),
                       [&](const TableShape& shape) { return shape.has(symbol); });
  };
  while (!occurs(limit - 1)) --limit;
  TableSet copy = set;
  Writing writing(&out);
  code_set(writing, &copy, limit);
  return out;
}

Status read_table_set(const uint8_t* bytes, size_t size, uint32_t slots, TableSet* set) {
  *set = TableSet();
  set->slots = slots;
  if (size == 0) return Status::ok;
  Reading reading(bytes, size);
  return code_set(reading, set, 0) ? Status::ok : Status::corrupt;
}

}  // namespace firn
