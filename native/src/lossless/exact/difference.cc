// Differences to the previous checkpoint (lossless/exact/difference_symbol.h): symbols by static rANS, low bits raw.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "common/bit_reader.h"
#include "common/bit_writer.h"
#include "common/bytes.h"
#include "common/fixed_log2.h"
#include "common/varint.h"
#include "lossless/exact/coder.h"
#include "lossless/exact/difference_symbol.h"
#include "lossless/exact/element.h"
#include "lossless/exact/reference_exponent.h"

namespace firn {
namespace {

static_assert(kDifferenceContexts <= kRansTablesMax);

// Approximate cost of a table in the stream; decides which contexts share one.
constexpr uint64_t kDifferenceTableBitsPerSymbol = 6;
constexpr uint64_t kDifferenceFixedBytes = 16;

uint64_t table_cost(const SymbolCounts& counts) {
  const auto symbols =
      static_cast<uint64_t>(std::count_if(counts.begin(), counts.end(), [](uint32_t c) { return c != 0; }));
  return entropy_cost(counts) + (symbols * kDifferenceTableBitsPerSymbol << kLog2FractionBits);
}

SymbolCounts sum(const SymbolCounts& a, const SymbolCounts& b) {
  SymbolCounts result;
  for (size_t s = 0; s < a.size(); ++s) result[s] = a[s] + b[s];
  return result;
}

struct Cluster {
  uint32_t first;  // lowest context
  SymbolCounts counts;
  uint64_t cost;
  uint64_t cost_with_next;  // of this cluster merged with the one after it
};

// Merges neighbouring contexts as long as a merge saves bits, the best one first.
std::vector<Cluster> cluster_contexts(const std::vector<SymbolCounts>& counts) {
  std::vector<Cluster> clusters;
  for (uint32_t c = 0; c < counts.size(); ++c) {
    const bool used = std::any_of(counts[c].begin(), counts[c].end(), [](uint32_t n) { return n != 0; });
    if (used || clusters.empty()) clusters.push_back({c, counts[c], table_cost(counts[c]), 0});
  }
  const auto look_ahead = [&](size_t i) {
    clusters[i].cost_with_next = table_cost(sum(clusters[i].counts, clusters[i + 1].counts));
  };
  for (size_t i = 0; i + 1 < clusters.size(); ++i) look_ahead(i);
  while (clusters.size() > 1) {
    uint64_t best = 0;
    size_t at = 0;
    for (size_t i = 0; i + 1 < clusters.size(); ++i) {
      const uint64_t apart = clusters[i].cost + clusters[i + 1].cost, together = clusters[i].cost_with_next;
      if (apart > together && apart - together > best) {
        best = apart - together;
        at = i;
      }
    }
    if (best == 0) break;
    clusters[at].counts = sum(clusters[at].counts, clusters[at + 1].counts);
    clusters[at].cost = clusters[at].cost_with_next;
    clusters.erase(clusters.begin() + static_cast<ptrdiff_t>(at) + 1);
    if (at > 0) look_ahead(at - 1);
    if (at + 1 < clusters.size()) look_ahead(at);
  }
  return clusters;
}

std::vector<uint8_t> map_contexts(const std::vector<Cluster>& clusters) {
  std::vector<uint8_t> table_of(kDifferenceContexts, 0);
  for (size_t t = 1; t < clusters.size(); ++t) {
    std::fill(table_of.begin() + clusters[t].first, table_of.end(), static_cast<uint8_t>(t));
  }
  return table_of;
}

template <typename E>
void fill_plan(const ExactInput& input, DifferencePlan* plan) {
  using Word = typename E::Word;
  plan->reference = reference_exponent<E>(input.previous, input.count);
  // Two tables, so that equal neighbours do not wait for one another's increment.
  std::vector<SymbolCounts> part[2];
  for (auto& counts : part) counts.assign(kDifferenceContexts, SymbolCounts{});
  // Locals: stores of bytes could otherwise change the pointers.
  SymbolCounts* const counts[2] = {part[0].data(), part[1].data()};
  uint8_t* const symbols = plan->symbols.get();
  uint8_t* const contexts = plan->contexts.get();
  const uint8_t *const current = input.current, *const previous = input.previous;
  const size_t count = input.count;
  const uint32_t reference = plan->reference;
  for (size_t i = 0; i < count; ++i) {
    const Word now = load_le<Word>(current + i * sizeof(Word)), before = load_le<Word>(previous + i * sizeof(Word));
    const uint8_t symbol = difference_symbol(difference<E>(now, before));
    const uint8_t context = static_cast<uint8_t>(difference_context(E::exponent(before), reference));
    symbols[i] = symbol;
    contexts[i] = context;
    ++counts[i & 1][context][symbol];
  }
  plan->counts = std::move(part[0]);
  for (size_t c = 0; c < kDifferenceContexts; ++c) plan->counts[c] = sum(plan->counts[c], part[1][c]);
  for (const SymbolCounts& of_context : plan->counts) {
    for (size_t s = 0; s < of_context.size(); ++s)
      plan->low_bits += uint64_t{of_context[s]} * kDifferenceSymbols[s].low_bits;
  }
}

template <typename E>
void write_low_bits(const ExactInput& input, const DifferencePlan& plan, std::vector<uint8_t>* out) {
  using Word = typename E::Word;
  const size_t begin = out->size();
  out->resize(begin + (plan.low_bits + 7) / 8 + BitWriter::kSlackBytes);
  BitWriter writer(out->data() + begin);
  const uint8_t *const current = input.current, *const previous = input.previous, *const symbols = plan.symbols.get();
  const size_t count = input.count;
  for (size_t i = 0; i < count; ++i) {
    const Word now = load_le<Word>(current + i * sizeof(Word)), before = load_le<Word>(previous + i * sizeof(Word));
    const uint32_t bits = kDifferenceSymbols[symbols[i]].low_bits;
    const uint64_t low = difference<E>(now, before).magnitude & ((uint64_t{1} << bits) - 1);
    if constexpr (E::kWordBits == 64) {
      writer.put(low >> 31, bits > 31 ? bits - 31 : 0);
      writer.put(low & 0x7FFFFFFF, bits > 31 ? 31 : bits);
    } else {
      writer.put(low, bits);
    }
  }
  out->resize(begin + writer.finish());
}

template <typename E>
Status read_low_bits(const uint8_t* symbols, BitReader reader, const ExactOutput& output) {
  using Word = typename E::Word;
  bool valid = true;
  uint8_t* const current = output.current;
  const uint8_t* const previous = output.previous;
  const size_t count = output.count;
  for (size_t i = 0; i < count; ++i) {
    const Word before = load_le<Word>(previous + i * sizeof(Word));
    const DifferenceSymbol& symbol = kDifferenceSymbols[symbols[i]];
    const uint32_t bits = symbol.low_bits;
    uint64_t low;
    if (E::kWordBits == 64 && bits > 31) {
      low = reader.take(bits - 31) << 31;
      low |= reader.take(31);
    } else {
      low = reader.take(bits <= 57 ? bits : 57);
    }
    Word now;
    valid &= apply_difference<E>({symbol.leading | low, symbol.against}, before, &now);
    store_le(current + i * sizeof(Word), now);
  }
  if (reader.overrun()) return Status::truncated;
  return valid && reader.at_zero_padded_end() ? Status::ok : Status::corrupt;
}

}  // namespace

DifferencePlan plan_difference(const ExactInput& input) {
  DifferencePlan plan;
  plan.symbols = std::make_unique_for_overwrite<uint8_t[]>(input.count);
  plan.contexts = std::make_unique_for_overwrite<uint8_t[]>(input.count);
  with_element(input.kind, [&](auto element) { fill_plan<decltype(element)>(input, &plan); });
  const std::vector<Cluster> clusters = cluster_contexts(plan.counts);
  plan.table_of = map_contexts(clusters);
  uint64_t cost = 0;
  for (const Cluster& cluster : clusters) cost += cluster.cost;
  plan.cost = ((cost >> kLog2FractionBits) + plan.low_bits) / 8 + kDifferenceFixedBytes;
  return plan;
}

void encode_difference(const ExactInput& input, const DifferencePlan& plan, std::vector<uint8_t>* out) {
  std::vector<SymbolCounts> table_counts(size_t{1} + plan.table_of.back(), SymbolCounts{});
  for (size_t c = 0; c < kDifferenceContexts; ++c) {
    table_counts[plan.table_of[c]] = sum(table_counts[plan.table_of[c]], plan.counts[c]);
  }
  const RansModel model = rans_model(table_counts);
  std::vector<uint8_t> header;
  RangeEncoder encoder(&header);
  with_element(input.kind, [&](auto element) { encoder.raw(plan.reference, decltype(element)::kExponentBits); });
  TableBit new_table;
  for (size_t c = 1; c < kDifferenceContexts; ++c) encoder.bit(new_table, plan.table_of[c] != plan.table_of[c - 1]);
  write_rans_model(encoder, model);
  encoder.finish();
  append_varint(static_cast<uint32_t>(header.size()), out);
  out->insert(out->end(), header.begin(), header.end());

  const auto tables = std::make_unique_for_overwrite<uint8_t[]>(input.count);
  for (size_t i = 0; i < input.count; ++i) tables[i] = plan.table_of[plan.contexts[i]];
  rans_encode(plan.symbols.get(), tables.get(), input.count, model, out);
  with_element(input.kind, [&](auto element) { write_low_bits<decltype(element)>(input, plan, out); });
}

Status decode_difference(ByteReader in, const ExactOutput& output) {
  uint32_t header_size = 0;
  if (const Status status = in.varint(&header_size); status != Status::ok) return status;
  const uint8_t* const header = in.take(header_size);
  if (!header) return Status::truncated;
  return with_element(output.kind, [&](auto element) {
    using E = decltype(element);
    using Word = typename E::Word;
    RangeDecoder decoder(header, header_size);
    const uint32_t reference = static_cast<uint32_t>(decoder.raw(E::kExponentBits));
    std::array<uint8_t, kDifferenceContexts> table_of{};
    TableBit new_table;
    for (size_t c = 1; c < kDifferenceContexts; ++c) {
      table_of[c] = static_cast<uint8_t>(table_of[c - 1] + decoder.bit(new_table));
    }
    RansModel model;
    if (!read_rans_model(decoder, 1u + table_of.back(), &model) || !decoder.finished()) return Status::corrupt;

    const auto tables = std::make_unique_for_overwrite<uint8_t[]>(output.count);
    const auto symbols = std::make_unique_for_overwrite<uint8_t[]>(output.count);
    for (size_t i = 0; i < output.count; ++i) {
      const Word before = load_le<Word>(output.previous + i * sizeof(Word));
      tables[i] = table_of[difference_context(E::exponent(before), reference)];
    }
    const Status status = rans_decode(in, tables.get(), output.count, model, symbols.get());
    if (status != Status::ok) return status;
    const size_t left = in.left();
    return read_low_bits<E>(symbols.get(), BitReader(in.take(left), left), output);
  });
}

}  // namespace firn
