// A block of floats alone. Each chunk of elements has a level, about the mean of their exponents. An element's symbol
// is the distance of its exponent below the level, and the level's fraction of an octave is its context. Sign and
// mantissa are stored raw.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "common/scratch.h"
#include "context/tables/cost_bits.h"
#include "lossless/exact/coder.h"
#include "lossless/exact/difference_symbol.h"
#include "lossless/float/context_stream.h"
#include "lossless/float/exponent_levels.h"
#include "lossless/float/float_kernels.h"

namespace firn {
namespace {

// Calls visit(chunk, first element, elements).
template <typename Visit>
void for_each_chunk(size_t count, Visit visit) {
  for (size_t chunk = 0, at = 0; at < count; ++chunk, at += kExponentChunk)
    visit(chunk, at, std::min<size_t>(kExponentChunk, count - at));
}

void unrelate(const uint8_t* symbols, size_t count, uint8_t first, uint8_t* exponents) {
  for (size_t i = 0; i < count; ++i)
    exponents[i] = symbols[i] == kSymbolOfZero ? uint8_t{0} : static_cast<uint8_t>(first - symbols[i]);
}

size_t rest_bytes(ElementKind kind, size_t count) { return (element_bytes(kind) - 1) * count; }

// The remaining bits in the order of a payload: the low words first.
template <typename Rest, typename Bytes>
Rest rest_at(ElementKind kind, Bytes* bytes, size_t count) {
  return kind == ElementKind::bf16 ? Rest{nullptr, bytes} : Rest{bytes, bytes + 2 * count};
}

struct Related {
  ExponentLevels levels;
  Scratch symbols, contexts;
  std::vector<uint32_t> escapes;                                         // exponents
  std::array<uint32_t, kDifferenceContexts * kContextSymbols> counts{};  // of the first kExponentPhases contexts, about
  uint32_t occurring = 0;                                                // symbols, as in BlockCounts
};

Related relate_all(const FloatKernels& kernels, const uint8_t* exponents, size_t count) {
  Related related;
  std::vector<ExponentSum> sums;
  for_each_chunk(count, [&](size_t, size_t at, size_t n) { sums.push_back(kernels.sum_exponents(exponents + at, n)); });
  related.levels = find_exponent_levels(sums);
  related.symbols = take_scratch(count);
  related.contexts = take_scratch(count);
  uint8_t* const symbols = related.symbols.get();
  for_each_chunk(count, [&](size_t chunk, size_t at, size_t n) {
    kernels.relate(exponents + at, n, related.levels.first_exponent(chunk), symbols + at);
    std::fill_n(related.contexts.get() + at, n, related.levels.context(chunk));
  });
  kernels.count_symbols(symbols, related.contexts.get(), count, count > kCountedWholeMax ? kCountedStride : 1,
                        related.counts.data());
  const auto occurs = [&](uint32_t symbol) {
    for (uint32_t context = 0; context < kExponentPhases; ++context) {
      if (related.counts[context * kContextSymbols + symbol] > 0) return true;
    }
    return std::memchr(symbols, static_cast<int>(symbol), count) != nullptr;
  };
  for (uint32_t symbol = 0; symbol < kContextSymbols; ++symbol) related.occurring |= uint32_t{occurs(symbol)} << symbol;
  if (related.occurring >> kContextEscape & 1) {
    for (size_t i = 0; i < count; ++i) {
      if (symbols[i] == kContextEscape) related.escapes.push_back(exponents[i]);
    }
  }
  return related;
}

}  // namespace

bool exponents_supports(ElementKind kind) { return kind == ElementKind::bf16 || kind == ElementKind::f32; }

uint64_t estimate_exponents(const ExactInput& input) {
  constexpr size_t kSampled = 32;  // one chunk in so many
  std::array<uint8_t, kExponentChunk> exponents, high;
  std::array<uint8_t, 2 * kExponentChunk> low;
  std::array<uint32_t, 512> counts{};
  uint64_t sampled = 0;
  for (size_t at = 0; at < input.count; at += kSampled * kExponentChunk) {
    const size_t n = std::min<size_t>(kExponentChunk, input.count - at);
    float_kernels(input.kind)
        .cut(input.current + at * element_bytes(input.kind), n, exponents.data(), {low.data(), high.data()});
    const uint32_t mean =
        mean_exponent(float_kernels(input.kind).sum_exponents(exponents.data(), n)) / kExponentPhases;
    for (size_t i = 0; i < n; ++i) ++counts[256 + exponents[i] - mean];
    sampled += n;
  }
  CostBits bits = sampled * cost_log2(sampled);
  for (const uint32_t n : counts) {
    if (n > 0) bits -= n * cost_log2(n);
  }
  return bits / whole_bits(8) * input.count / sampled + rest_bytes(input.kind, input.count);
}

Status encode_exponents(const ExactInput& input, std::vector<uint8_t>* out) {
  const auto exponents = take_scratch(input.count);
  const size_t rest_size = rest_bytes(input.kind, input.count);
  const auto rest = take_scratch(rest_size);
  float_kernels(input.kind)
      .cut(input.current, input.count, exponents.get(), rest_at<FloatRest>(input.kind, rest.get(), input.count));
  const Related related = relate_all(float_kernels(input.kind), exponents.get(), input.count);
  write_exponent_levels(related.levels, out);
  const auto count = static_cast<uint32_t>(input.count);
  const uint32_t slot = 0;
  const std::vector<uint32_t>& escapes = related.escapes;
  const ContextBlock block{
      {related.contexts.get(), input.count, &count, &slot, 1}, related.symbols.get(), escapes.data(), escapes.size()};
  const BlockCounts counts{related.counts.data(), kExponentPhases, related.occurring};
  if (const Status status = append_context_stream(block, counts, out); status != Status::ok) return status;
  out->insert(out->end(), rest.get(), rest.get() + rest_size);
  return Status::ok;
}

Status decode_exponents(ByteReader in, const ExactOutput& output) {
  if (!exponents_supports(output.kind) || output.count > kBlockElementsMax) return Status::corrupt;
  ExponentLevels levels;
  const Status read = read_exponent_levels(in, exponent_chunks(output.count), &levels);
  if (read != Status::ok) return read;
  const auto symbols = take_scratch(output.count);
  const auto contexts = take_scratch(output.count);
  for_each_chunk(output.count, [&](size_t chunk, size_t at, size_t n) {
    std::fill_n(contexts.get() + at, n, levels.context(chunk));
  });
  const auto count = static_cast<uint32_t>(output.count);
  const uint32_t slot = 0;
  std::vector<uint32_t> escapes;
  const Status status =
      read_context_stream(in, {contexts.get(), output.count, &count, &slot, 1}, symbols.get(), &escapes);
  if (status != Status::ok) return status;
  const uint8_t* const rest = in.take(rest_bytes(output.kind, output.count));
  if (!rest) return Status::truncated;
  if (in.left() != 0) return Status::corrupt;

  uint8_t* const exponents = contexts.get();  // no longer needed
  for_each_chunk(output.count, [&](size_t chunk, size_t at, size_t n) {
    unrelate(symbols.get() + at, n, levels.first_exponent(chunk), exponents + at);
  });
  for (size_t i = 0, next = 0; next < escapes.size(); ++i) {
    if (symbols[i] != kContextEscape) continue;
    if (escapes[next] > 0xFF) return Status::corrupt;
    exponents[i] = static_cast<uint8_t>(escapes[next++]);
  }
  float_kernels(output.kind)
      .join(exponents, rest_at<ConstFloatRest>(output.kind, rest, output.count), output.count, output.current);
  return Status::ok;
}

}  // namespace firn
