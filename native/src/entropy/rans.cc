#include "entropy/rans.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "common/bytes.h"
#include "common/fixed_log2.h"
#include "common/varint.h"
#include "entropy/exp_golomb.h"

namespace firn {
namespace {

constexpr uint32_t kStateMin = 1u << 16;  // states stay in 2^16 .. 2^32 - 1
constexpr uint32_t kBitsFew = 12, kBitsMany = 14;
constexpr size_t kLanesMany = 8;

// Rounded to the nearest share of 2^bits, at least 1 for a symbol that occurs; the most frequent symbols absorb the
// difference.
SymbolFrequencies normalise(const SymbolCounts& counts, uint32_t bits) {
  SymbolFrequencies frequencies{};
  uint64_t total = 0;
  for (const uint32_t count : counts) total += count;
  if (total == 0) {
    frequencies[0] = static_cast<uint16_t>(1u << bits);
    return frequencies;
  }
  int64_t left = int64_t{1} << bits;
  size_t top = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    const uint64_t share = ((static_cast<uint64_t>(counts[s]) << bits) + total / 2) / total;
    frequencies[s] = static_cast<uint16_t>(std::max<uint64_t>(share, 1));
    left -= frequencies[s];
    if (counts[s] > counts[top]) top = s;
  }
  // Up to 256 symbols were raised to 1: the overdraft is paid by whatever is largest at the moment.
  while (left < 0) {
    const auto largest = std::max_element(frequencies.begin(), frequencies.end());
    const int64_t pay = std::min<int64_t>(-left, (*largest + 7) / 8);
    *largest = static_cast<uint16_t>(*largest - pay);
    left += pay;
  }
  frequencies[top] = static_cast<uint16_t>(frequencies[top] + left);
  return frequencies;
}

uint64_t model_cost(const std::vector<SymbolCounts>& counts, const RansModel& model) {
  uint64_t cost = 0;
  for (size_t t = 0; t < counts.size(); ++t) {
    for (size_t s = 0; s < counts[t].size(); ++s) {
      if (counts[t][s] == 0) continue;
      cost +=
          static_cast<uint64_t>(counts[t][s]) * ((model.bits << kLog2FractionBits) - fixed_log2(model.tables[t][s]));
    }
  }
  return cost;
}

// Frequencies are coded in the context of the bit length of the symbol before: they are smooth, and zeros stand
// together.
struct FrequencyModels {
  TableBit many_bits;
  ExpGolombModel frequency[kBitsMany + 2];
};

uint32_t frequency_context(uint32_t before) { return static_cast<uint32_t>(std::bit_width(before)); }

// One coding step, state -> state / frequency * 2^bits + state % frequency + start, without a division:
// state + bias + quotient * complement, the quotient being the high half of state * reciprocal (exact, since state <
// 2^32).
struct EncoderSymbol {
  uint64_t reciprocal;  // 2^64 / frequency, rounded up
  uint32_t bias;        // sum of the frequencies of lower symbols
  uint16_t frequency;
  uint16_t complement;  // 2^bits - frequency
};

std::vector<EncoderSymbol> encoder_symbols(const RansModel& model) {
  std::vector<EncoderSymbol> symbols(model.tables.size() * 256, EncoderSymbol{});
  const uint32_t whole = 1u << model.bits;
  for (size_t t = 0; t < model.tables.size(); ++t) {
    uint32_t start = 0;
    for (size_t s = 0; s < 256; ++s) {
      const uint16_t frequency = model.tables[t][s];
      if (frequency == 0) continue;
      EncoderSymbol& symbol = symbols[t * 256 + s];
      symbol = {~uint64_t{0} / frequency + 1, start, frequency, static_cast<uint16_t>(whole - frequency)};
      // 2^64 does not fit: with 2^64 - 1 the quotient comes out one too small, which the bias makes good.
      if (frequency == 1) symbol = {~uint64_t{0}, start + whole - 1, 1, static_cast<uint16_t>(whole - 1)};
      start += frequency;
    }
  }
  return symbols;
}

template <size_t kLanes, uint32_t kBits>
void encode_lanes(const uint8_t* symbols, const uint8_t* contexts, size_t count, const RansModel& model,
                  std::vector<uint8_t>* out) {
  const std::vector<EncoderSymbol> tables = encoder_symbols(model);
  const EncoderSymbol* const table = tables.data();
  // Filled from the end: a decoder reads the words in the opposite order. At most one word a symbol.
  const auto words = std::make_unique_for_overwrite<uint8_t[]>(2 * count);
  uint8_t* next = words.get() + 2 * count;
  uint32_t states[kLanes];
  std::fill(states, states + kLanes, kStateMin);
  const auto step = [&](size_t i, uint32_t state) {
    const EncoderSymbol& symbol = table[(contexts ? contexts[i] : 0u) << 8 | symbols[i]];
    const bool full = state >> (32 - kBits) >= symbol.frequency;
    store_le(next - 2, static_cast<uint16_t>(state));
    next -= 2 * static_cast<size_t>(full);
    state = full ? state >> 16 : state;
    const auto quotient = static_cast<uint32_t>((static_cast<unsigned __int128>(state) * symbol.reciprocal) >> 64);
    return state + symbol.bias + quotient * symbol.complement;
  };
  size_t i = count;
  for (; i % kLanes != 0; --i) states[(i - 1) % kLanes] = step(i - 1, states[(i - 1) % kLanes]);
  for (; i > 0; i -= kLanes) {
    for (size_t lane = kLanes; lane-- > 0;) states[lane] = step(i - kLanes + lane, states[lane]);
  }
  const size_t word_bytes = static_cast<size_t>(words.get() + 2 * count - next);
  append_varint(static_cast<uint32_t>(word_bytes / 2), out);
  for (const uint32_t state : states) {
    uint8_t bytes[4];
    store_le(bytes, state);
    out->insert(out->end(), bytes, bytes + 4);
  }
  out->insert(out->end(), next, next + word_bytes);
}

// The symbol of a slot (the low bits of a state), with its frequency and position among the symbol's slots. With 12
// bits all three fit a word (16 KiB a table); with 14 the symbol's frequency and start are looked up separately.
template <uint32_t kBits>
class DecoderTables;

template <>
class DecoderTables<kBitsFew> {
 public:
  explicit DecoderTables(const RansModel& model) : slots_(model.tables.size() << kBitsFew) {
    uint32_t* slot = slots_.data();
    for (const SymbolFrequencies& table : model.tables) {
      for (uint32_t s = 0; s < 256; ++s) {
        const uint32_t frequency = table[s];
        for (uint32_t position = 0; position < frequency; ++position)
          *slot++ = s | position << 8 | (frequency - 1) << 20;
      }
    }
  }
  struct View {
    const uint32_t* slots;

    // Takes a symbol out of `state`, which may fall below kStateMin.
    uint32_t step(uint32_t table, uint32_t state, uint8_t* symbol) const {
      const uint32_t entry = slots[table << kBitsFew | (state & ((1u << kBitsFew) - 1))];
      *symbol = static_cast<uint8_t>(entry);
      return ((entry >> 20) + 1) * (state >> kBitsFew) + ((entry >> 8) & 0xFFF);
    }
  };
  View view() const { return {slots_.data()}; }

 private:
  std::vector<uint32_t> slots_;
};

template <>
class DecoderTables<kBitsMany> {
 public:
  explicit DecoderTables(const RansModel& model)
      : slots_(model.tables.size() << kBitsMany), entries_(model.tables.size() * 256) {
    uint8_t* slot = slots_.data();
    for (size_t t = 0; t < model.tables.size(); ++t) {
      uint32_t start = 0;
      for (uint32_t s = 0; s < 256; ++s) {
        const uint16_t frequency = model.tables[t][s];
        entries_[t * 256 + s] = {frequency, static_cast<uint16_t>(start)};
        std::memset(slot, static_cast<int>(s), frequency);
        slot += frequency;
        start += frequency;
      }
    }
  }
  struct Entry {
    uint16_t frequency, start;
  };
  struct View {
    const uint8_t* slots;
    const Entry* entries;

    uint32_t step(uint32_t table, uint32_t state, uint8_t* symbol) const {
      const uint32_t slot = state & ((1u << kBitsMany) - 1);
      *symbol = slots[table << kBitsMany | slot];
      const Entry entry = entries[table << 8 | *symbol];
      return entry.frequency * (state >> kBitsMany) + slot - entry.start;
    }
  };
  View view() const { return {slots_.data(), entries_.data()}; }

 private:
  std::vector<uint8_t> slots_;
  std::vector<Entry> entries_;
};

template <size_t kLanes, bool kContexts, uint32_t kBits>
Status decode_lanes(ByteReader& in, const uint8_t* contexts, size_t count, const RansModel& model, uint8_t* symbols) {
  const DecoderTables<kBits> tables(model);
  const auto view = tables.view();  // a local: stores of bytes could change a member
  uint32_t word_count = 0;
  if (const Status status = in.varint(&word_count); status != Status::ok) return status;
  const uint8_t* const stored = in.take(4 * kLanes);
  const uint8_t* next = in.take(size_t{2} * word_count);
  if (!stored || !next) return Status::truncated;
  const uint8_t* const end = next + size_t{2} * word_count;

  uint32_t states[kLanes];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    states[lane] = load_le<uint32_t>(stored + 4 * lane);
    if (states[lane] < kStateMin) return Status::corrupt;
  }
  const auto step = [&](size_t i, uint32_t state) {
    return view.step(kContexts ? contexts[i] : 0, state, symbols + i);
  };
  size_t i = 0;
  // Each lane takes at most one word a symbol.
  while (count - i >= kLanes && static_cast<size_t>(end - next) >= 2 * kLanes) {
#pragma GCC unroll 8
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t state = step(i + lane, states[lane]);
      const uint32_t low = state < kStateMin;  // arithmetic in place of a branch that could not be predicted
      states[lane] = state << (16 * low) | (load_le<uint16_t>(next) & (0 - low));
      next += 2 * low;
    }
    i += kLanes;
  }
  for (; i < count; ++i) {
    uint32_t& state = states[i % kLanes];
    state = step(i, state);
    if (state >= kStateMin) continue;
    if (next == end) return Status::corrupt;
    state = state << 16 | load_le<uint16_t>(next);
    next += 2;
  }
  if (next != end) return Status::corrupt;
  for (const uint32_t state : states) {
    if (state != kStateMin) return Status::corrupt;
  }
  return Status::ok;
}

template <size_t kLanes, bool kContexts>
Status decode_bits(ByteReader& in, const uint8_t* contexts, size_t count, const RansModel& model, uint8_t* symbols) {
  return model.bits == kBitsFew ? decode_lanes<kLanes, kContexts, kBitsFew>(in, contexts, count, model, symbols)
                                : decode_lanes<kLanes, kContexts, kBitsMany>(in, contexts, count, model, symbols);
}

template <size_t kLanes>
void encode_bits(const uint8_t* symbols, const uint8_t* contexts, size_t count, const RansModel& model,
                 std::vector<uint8_t>* out) {
  if (model.bits == kBitsFew) encode_lanes<kLanes, kBitsFew>(symbols, contexts, count, model, out);
  else encode_lanes<kLanes, kBitsMany>(symbols, contexts, count, model, out);
}

}  // namespace

RansModel rans_model(const std::vector<SymbolCounts>& counts) {
  RansModel few{kBitsFew, {}}, many{kBitsMany, {}};
  for (const SymbolCounts& table : counts) {
    few.tables.push_back(normalise(table, kBitsFew));
    many.tables.push_back(normalise(table, kBitsMany));
  }
  // More bits cost table bytes and cache, so they must pay: by one part in 64.
  const uint64_t cost = model_cost(counts, few);
  return model_cost(counts, many) < cost - cost / 64 ? many : few;
}

void write_rans_model(RangeEncoder& encoder, const RansModel& model) {
  const auto models = std::make_unique<FrequencyModels>();
  encoder.bit(models->many_bits, model.bits == kBitsMany);
  for (const SymbolFrequencies& table : model.tables) {
    uint32_t left = 1u << model.bits, before = 0;
    for (size_t s = 0; left > 0; ++s) {
      encode_exp_golomb(encoder, models->frequency[frequency_context(before)], table[s]);
      left -= table[s];
      before = table[s];
    }
  }
}

bool read_rans_model(RangeDecoder& decoder, uint32_t tables, RansModel* model) {
  const auto models = std::make_unique<FrequencyModels>();
  model->bits = decoder.bit(models->many_bits) ? kBitsMany : kBitsFew;
  model->tables.assign(tables, SymbolFrequencies{});
  for (SymbolFrequencies& table : model->tables) {
    uint32_t left = 1u << model->bits, before = 0;
    for (size_t s = 0; left > 0; ++s) {
      uint32_t frequency = 0;
      if (s == table.size() || !decode_exp_golomb(decoder, models->frequency[frequency_context(before)], &frequency))
        return false;
      if (frequency > left) return false;
      table[s] = static_cast<uint16_t>(frequency);
      left -= frequency;
      before = frequency;
    }
  }
  return true;
}

void rans_encode(const uint8_t* symbols, const uint8_t* contexts, size_t count, const RansModel& model,
                 std::vector<uint8_t>* out) {
  if (count >= kRansManyLanesFrom) encode_bits<kLanesMany>(symbols, contexts, count, model, out);
  else encode_bits<1>(symbols, contexts, count, model, out);
}

Status rans_decode(ByteReader& in, const uint8_t* contexts, size_t count, const RansModel& model, uint8_t* symbols) {
  if (count >= kRansManyLanesFrom) {
    return contexts ? decode_bits<kLanesMany, true>(in, contexts, count, model, symbols)
                    : decode_bits<kLanesMany, false>(in, nullptr, count, model, symbols);
  }
  return contexts ? decode_bits<1, true>(in, contexts, count, model, symbols)
                  : decode_bits<1, false>(in, nullptr, count, model, symbols);
}

}  // namespace firn
