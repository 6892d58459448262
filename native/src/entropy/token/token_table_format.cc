#include "entropy/token/token_table_format.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "entropy/exp_golomb.h"
#include "entropy/huffman.h"
#include "entropy/range_coder.h"
#include "entropy/token/tokens.h"

namespace firn {
namespace {

constexpr uint32_t kLengthBits = 5;  // lengths up to kCodeLengthMax = 24
static_assert(kCodeLengthMax < 1u << kLengthBits);
constexpr uint32_t kGapContexts = 2 * kExpGolombBitsMax;

uint32_t bit_length_less_one(uint32_t value) { return static_cast<uint32_t>(std::bit_width(value)) - 1; }

// How code lengths of one token class are learnt: whole lengths through a binary tree, or steps from run to run.
struct LengthTree {
  TableBit nodes[1u << kLengthBits];
};

// The three last steps between lengths of neighbouring runs decide the context: equal counts give plateaus, and noise
// on a plateau goes up and back down.
struct StepHistory {
  int32_t last = 0, before = 0;
  uint32_t highest = 0;

  static uint32_t sign_class(int32_t step) { return step == 0 ? 0 : step > 0 ? 1 : 2; }
  uint32_t context(uint32_t length) const {
    return (sign_class(last) * 3 + sign_class(before)) * 2 + (length >= highest);
  }
  void push(int32_t step, uint32_t length) {
    before = last;
    last = step;
    highest = std::max(highest, length);
  }
};
constexpr uint32_t kStepContexts = 18;

// Every adaptive model of the format, in its initial state. The same members in the same order serve writer and reader.
struct Models {
  ExpGolombModel level_count;
  ExpGolombModel value_limit;
  TableBit level_present;
  TableBit value_present[3][3];  // [id 0, or whether the next lower value has a code][how many of this and the next one
                                 // had, a level before]
  ExpGolombModel run_count;
  ExpGolombModel gap[kGapContexts];
  LengthTree first_length[3];  // of value 0, of other values, of a level's first run
  TableBit step_none[kStepContexts];
  TableBit step_up[kStepContexts];
  TableBit step_more[2][kCodeLengthMax + 1];
};

// Which value ids had codes in the level before; one entry more than there are ids, never set.
using Presence = std::array<uint8_t, kValueTokens + 1>;

uint32_t presence_context(const Presence& now, uint32_t id) { return id == 0 ? 2 : now[id - 1]; }
uint32_t presence_context_before(const Presence& before, uint32_t id) { return before[id] + before[id + 1]; }

// Distance bookkeeping of run lengths: gaps are coded in the context of the two gaps before.
struct GapHistory {
  uint32_t last = 0, before = 0;

  uint32_t context() const { return bit_length_less_one(last + 1) + bit_length_less_one(before + 1); }
  void push(uint32_t gap) {
    before = last;
    last = gap;
  }
};

size_t value_count(const LevelCodeLengths& code) {
  return static_cast<size_t>(std::lower_bound(code.ids.begin(), code.ids.end(), kValueTokens) - code.ids.begin());
}

class Writer {
 public:
  explicit Writer(std::vector<uint8_t>* out) : encoder_(out), m_(std::make_unique<Models>()) {}

  void write(const LevelCodeSet& set) {
    uint32_t levels = 0, limit = 0;
    for (uint32_t level = 0; level < kSourceLevels; ++level) {
      if (set[level].empty()) continue;
      levels = level + 1;
      limit = std::max(limit, set[level].ids[value_count(set[level]) - 1] + 1);
    }
    encode_exp_golomb(encoder_, m_->level_count, levels - 1);
    encode_exp_golomb(encoder_, m_->value_limit, limit - 1);
    Presence before{};
    for (uint32_t level = 0; level < levels; ++level) {
      if (level + 1 < levels) encoder_.bit(m_->level_present, !set[level].empty());
      if (!set[level].empty()) write_level(set[level], limit, &before);
    }
    encoder_.finish();
  }

 private:
  void write_level(const LevelCodeLengths& code, uint32_t limit, Presence* before) {
    const size_t values = value_count(code);
    Presence now{};
    for (size_t i = 0; i < values; ++i) now[code.ids[i]] = 1;
    for (uint32_t id = 0; id < limit; ++id) {
      encoder_.bit(m_->value_present[presence_context(now, id)][presence_context_before(*before, id)], now[id]);
    }
    *before = now;
    encode_exp_golomb(encoder_, m_->run_count, static_cast<uint32_t>(code.ids.size() - values));
    uint32_t next = kValueTokens;
    GapHistory gaps;
    for (size_t i = values; i < code.ids.size(); ++i) {
      const uint32_t gap = code.ids[i] - next;
      encode_exp_golomb(encoder_, m_->gap[gaps.context()], gap);
      gaps.push(gap);
      next = code.ids[i] + 1;
    }
    if (code.ids.size() > 1) write_lengths(code, values);
  }

  void write_lengths(const LevelCodeLengths& code, size_t values) {
    for (size_t i = 0; i < values; ++i) write_length(m_->first_length[code.ids[i] != 0], code.lengths[i]);
    StepHistory steps;
    for (size_t i = values; i < code.ids.size(); ++i) {
      if (i == values) write_length(m_->first_length[2], code.lengths[i]);
      else write_step(&steps, code.lengths[i - 1], code.lengths[i]);
    }
  }

  void write_length(LengthTree& tree, uint32_t length) {
    uint32_t node = 1;
    for (uint32_t bit = kLengthBits; bit-- > 0;) {
      encoder_.bit(tree.nodes[node], (length >> bit) & 1);
      node = 2 * node + ((length >> bit) & 1);
    }
  }

  void write_step(StepHistory* steps, uint32_t from, uint32_t to) {
    const int32_t step = static_cast<int32_t>(to) - static_cast<int32_t>(from);
    const uint32_t context = steps->context(from);
    encoder_.bit(m_->step_none[context], step == 0);
    if (step != 0) {
      const bool up = step > 0;
      encoder_.bit(m_->step_up[context], up);
      const uint32_t more = static_cast<uint32_t>(up ? step : -step) - 1;
      for (uint32_t i = 0; i < more; ++i) encoder_.bit(m_->step_more[up][i], 1);
      encoder_.bit(m_->step_more[up][more], 0);
    }
    steps->push(step, from);
  }

  RangeEncoder encoder_;
  std::unique_ptr<Models> m_;
};

class Reader {
 public:
  Reader(const uint8_t* bytes, size_t size) : decoder_(bytes, size), m_(std::make_unique<Models>()) {}

  // False on anything the writer does not write.
  bool read(LevelCodeSet* set) {
    uint32_t levels = 0, limit = 0;
    if (!decode_exp_golomb(decoder_, m_->level_count, &levels) || ++levels > kSourceLevels) return false;
    if (!decode_exp_golomb(decoder_, m_->value_limit, &limit) || ++limit > kValueTokens) return false;
    Presence before{}, any{};
    for (uint32_t level = 0; level < levels; ++level) {
      if (level + 1 < levels && !decoder_.bit(m_->level_present)) continue;
      if (!read_level(limit, &before, &(*set)[level])) return false;
      for (uint32_t id = 0; id < limit; ++id) any[id] |= before[id];
    }
    return any[limit - 1] && decoder_.finished();
  }

 private:
  bool read_level(uint32_t limit, Presence* before, LevelCodeLengths* code) {
    Presence now{};
    for (uint32_t id = 0; id < limit; ++id) {
      now[id] = static_cast<uint8_t>(
          decoder_.bit(m_->value_present[presence_context(now, id)][presence_context_before(*before, id)]));
      if (now[id]) code->ids.push_back(id);
    }
    *before = now;
    const size_t values = code->ids.size();
    uint32_t runs = 0;
    if (values == 0 || !decode_exp_golomb(decoder_, m_->run_count, &runs)) return false;
    uint32_t next = kValueTokens;
    GapHistory gaps;
    for (uint32_t i = 0; i < runs; ++i) {
      uint32_t gap = 0;
      if (decoder_.overrun() || !decode_exp_golomb(decoder_, m_->gap[gaps.context()], &gap)) return false;
      gaps.push(gap);
      const uint32_t id = next + gap;
      if (id > run_token(kRunMax)) return false;
      code->ids.push_back(id);
      next = id + 1;
    }
    code->lengths.assign(code->ids.size(), 0);
    if (code->ids.size() > 1 && !read_lengths(values, code)) return false;
    return huffman_is_complete(code->lengths, kCodeLengthMax);
  }

  bool read_lengths(size_t values, LevelCodeLengths* code) {
    for (size_t i = 0; i < values; ++i) code->lengths[i] = read_length(m_->first_length[code->ids[i] != 0]);
    StepHistory steps;
    for (size_t i = values; i < code->ids.size(); ++i) {
      if (i == values) code->lengths[i] = read_length(m_->first_length[2]);
      else if (decoder_.overrun() || !read_step(&steps, code->lengths[i - 1], &code->lengths[i])) return false;
    }
    return true;
  }

  uint8_t read_length(LengthTree& tree) {
    uint32_t node = 1;
    for (uint32_t bit = 0; bit < kLengthBits; ++bit) node = 2 * node + decoder_.bit(tree.nodes[node]);
    return static_cast<uint8_t>(node - (1u << kLengthBits));
  }

  bool read_step(StepHistory* steps, uint32_t from, uint8_t* to) {
    const uint32_t context = steps->context(from);
    int32_t step = 0;
    if (!decoder_.bit(m_->step_none[context])) {
      const bool up = decoder_.bit(m_->step_up[context]);
      uint32_t more = 0;
      while (decoder_.bit(m_->step_more[up][more])) {
        if (++more > kCodeLengthMax) return false;
      }
      step = up ? static_cast<int32_t>(more + 1) : -static_cast<int32_t>(more + 1);
    }
    steps->push(step, from);
    const int32_t length = static_cast<int32_t>(from) + step;
    if (length < 1 || length > static_cast<int32_t>(kCodeLengthMax)) return false;
    *to = static_cast<uint8_t>(length);
    return true;
  }

  RangeDecoder decoder_;
  std::unique_ptr<Models> m_;
};

}  // namespace

std::vector<uint8_t> write_token_tables(const LevelCodeSet& set) {
  std::vector<uint8_t> out;
  if (std::any_of(set.begin(), set.end(), [](const LevelCodeLengths& code) { return !code.empty(); }))
    Writer(&out).write(set);
  return out;
}

Status read_token_tables(const uint8_t* bytes, size_t size, LevelCodeSet* set) {
  for (LevelCodeLengths& code : *set) code = LevelCodeLengths();
  if (size == 0) return Status::ok;
  return Reader(bytes, size).read(set) ? Status::ok : Status::corrupt;
}

}  // namespace firn
