#include "entropy/rans.h"

#include <algorithm>
#include <bit>
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
// Below this many symbols the states of eight lanes would cost more than the speed is worth.
constexpr size_t kManyLanesFrom = 1u << 14;

// Rounded to the nearest share of 2^bits, at least 1 for a symbol that occurs; the most frequent symbols take what is over.
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
      cost += static_cast<uint64_t>(counts[t][s]) * ((model.bits << kLog2FractionBits) - fixed_log2(model.tables[t][s]));
    }
  }
  return cost;
}

// Frequencies are coded in the context of the bit length of the symbol before: they are smooth, and zeros stand together.
struct FrequencyModels {
  TableBit many_bits;
  ExpGolombModel frequency[kBitsMany + 2];
};

uint32_t frequency_context(uint32_t before) { return static_cast<uint32_t>(std::bit_width(before)); }

struct EncoderSymbol {
  uint16_t frequency;
  uint16_t start;  // sum of the frequencies of lower symbols
};

template <size_t kLanes>
void encode_lanes(const uint8_t* symbols, const uint8_t* contexts, size_t count, uint32_t bits,
                  const std::vector<std::array<EncoderSymbol, 256>>& tables, std::vector<uint8_t>* out) {
  uint32_t states[kLanes];
  std::fill(states, states + kLanes, kStateMin);
  std::vector<uint16_t> words;  // last word first
  words.reserve(count / 2);
  for (size_t i = count; i-- > 0;) {
    uint32_t& state = states[i % kLanes];
    const EncoderSymbol symbol = tables[contexts ? contexts[i] : 0][symbols[i]];
    if (state >= static_cast<uint64_t>(symbol.frequency) << (32 - bits)) {
      words.push_back(static_cast<uint16_t>(state));
      state >>= 16;
    }
    state = (state / symbol.frequency << bits) + state % symbol.frequency + symbol.start;
  }
  append_varint(static_cast<uint32_t>(words.size()), out);
  const size_t begin = out->size();
  out->resize(begin + 4 * kLanes + 2 * words.size());
  uint8_t* at = out->data() + begin;
  for (size_t lane = 0; lane < kLanes; ++lane, at += 4) store_le(at, states[lane]);
  for (size_t i = words.size(); i-- > 0; at += 2) store_le(at, words[i]);
}

// What a slot, the low bits of a state, stands for. A slot's symbol is looked up first, then the symbol's entry: 5 KiB a table at 12 bits,
// so that several tables stay in the first-level cache.
class DecoderTables {
 public:
  explicit DecoderTables(const RansModel& model)
      : bits_(model.bits), symbols_(model.tables.size() << model.bits), entries_(model.tables.size()) {
    for (size_t t = 0; t < model.tables.size(); ++t) {
      uint32_t start = 0;
      for (size_t s = 0; s < 256; ++s) {
        const uint16_t frequency = model.tables[t][s];
        entries_[t][s] = {frequency, static_cast<uint16_t>(start)};
        std::fill_n(symbols_.begin() + static_cast<ptrdiff_t>((t << bits_) + start), frequency, static_cast<uint8_t>(s));
        start += frequency;
      }
    }
  }

  // Takes one symbol out of `state`, which may fall below kStateMin.
  uint8_t step(uint32_t table, uint32_t& state) const {
    const uint32_t slot = state & ((1u << bits_) - 1);
    const uint8_t symbol = symbols_[(static_cast<size_t>(table) << bits_) + slot];
    const EncoderSymbol entry = entries_[table][symbol];
    state = entry.frequency * (state >> bits_) + slot - entry.start;
    return symbol;
  }

 private:
  uint32_t bits_;
  std::vector<uint8_t> symbols_;
  std::vector<std::array<EncoderSymbol, 256>> entries_;
};

template <size_t kLanes, bool kContexts>
Status decode_lanes(ByteReader& in, const uint8_t* contexts, size_t count, const DecoderTables& tables, uint8_t* symbols) {
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
  size_t i = 0;
  // Each lane takes at most one word a symbol.
  while (count - i >= kLanes && static_cast<size_t>(end - next) >= 2 * kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      uint32_t state = states[lane];
      symbols[i + lane] = tables.step(kContexts ? contexts[i + lane] : 0, state);
      const uint32_t refilled = state << 16 | load_le<uint16_t>(next);
      const bool low = state < kStateMin;
      states[lane] = low ? refilled : state;
      next += low ? 2 : 0;
    }
    i += kLanes;
  }
  for (; i < count; ++i) {
    uint32_t& state = states[i % kLanes];
    symbols[i] = tables.step(kContexts ? contexts[i] : 0, state);
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
      if (s == table.size() || !decode_exp_golomb(decoder, models->frequency[frequency_context(before)], &frequency)) return false;
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
  std::vector<std::array<EncoderSymbol, 256>> tables(model.tables.size());
  for (size_t t = 0; t < tables.size(); ++t) {
    uint32_t start = 0;
    for (size_t s = 0; s < 256; ++s) {
      tables[t][s] = {model.tables[t][s], static_cast<uint16_t>(start)};
      start += model.tables[t][s];
    }
  }
  if (count >= kManyLanesFrom) encode_lanes<kLanesMany>(symbols, contexts, count, model.bits, tables, out);
  else encode_lanes<1>(symbols, contexts, count, model.bits, tables, out);
}

Status rans_decode(ByteReader& in, const uint8_t* contexts, size_t count, const RansModel& model, uint8_t* symbols) {
  const DecoderTables tables(model);
  if (count >= kManyLanesFrom) {
    return contexts ? decode_lanes<kLanesMany, true>(in, contexts, count, tables, symbols)
                    : decode_lanes<kLanesMany, false>(in, contexts, count, tables, symbols);
  }
  return contexts ? decode_lanes<1, true>(in, contexts, count, tables, symbols)
                  : decode_lanes<1, false>(in, contexts, count, tables, symbols);
}

}  // namespace firn
