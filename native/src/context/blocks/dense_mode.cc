#include <cstring>
#include <memory>

#include "context/blocks/block_modes.h"
#include "context/dense/dense_encode.h"
#include "context/dense/dense_thresholds.h"
#include "simd/cpu_features.h"

namespace firn {
namespace {

DenseEncodeKernel* dense_encode_kernel() {
#if FIRN_X86
  if (active_isa() >= Isa::avx512) return active_vbmi2() ? vbmi2::dense_encode : avx512::dense_encode;
#endif
  return nullptr;
}

DenseKernel* dense_kernel() {
#if FIRN_X86
  const Isa isa = active_isa();
  if (isa >= Isa::avx512) return active_vbmi2() ? vbmi2::dense_rounds : avx512::dense_rounds;
  if (isa >= Isa::avx2) return avx2::dense_rounds;
#endif
  return nullptr;
}

// Decodes as many symbols as the kernel can. The kernel reads words in large pieces, so the last words are copied to
// where more bytes may be read.
size_t take_with_kernel(DenseKernel kernel, const SetCodes& codes, const ElementTables& elements, LaneDecoder* lanes,
                        uint8_t* symbols) {
  const bool single = elements.alike();
  std::vector<const uint32_t*> starts;
  for (const uint8_t t : elements.tables()) {
    if (!single || t == elements.tables()[elements.indexes()[0]]) starts.push_back(codes.symbols()[t].starts.data());
  }
  const auto thresholds = std::make_unique_for_overwrite<DenseThresholds>();
  thresholds->fill(starts);
  const uint8_t* const indexes = single ? nullptr : elements.indexes();
  LaneDecoder::Window window = lanes->window();
  const size_t count = std::min<size_t>(window.tokens, elements.count());
  size_t done = kernel(*thresholds, indexes, count, &window, symbols);
  const auto left = static_cast<size_t>(window.end - window.next);
  if (const size_t round = 2 * window.lanes; left < round) {
    uint8_t rest[2 * 2 * kLanesMax] = {};
    std::memcpy(rest, window.next, left);
    LaneDecoder::Window last = window;
    last.next = rest;
    last.end = rest + left + round;
    done += kernel(*thresholds, single ? nullptr : indexes + done, count - done, &last, symbols + done);
    const auto used = static_cast<size_t>(last.next - rest);
    if (used > left) lanes->fail(Status::truncated);
    window.next += std::min(used, left);
  }
  lanes->advance(static_cast<uint32_t>(done), window.next);
  return done;
}

}  // namespace

LaneStream encode_dense(const SetCodes& codes, const ElementTables& elements, const uint8_t* symbols, uint32_t lanes) {
  // Only the tables that the block can use, close together in memory.
  std::vector<EncoderToken> tokens;
  for (const uint8_t table : elements.tables()) {
    const auto first = codes.symbol_tokens().begin() + ptrdiff_t{table} * ptrdiff_t{kContextSymbols};
    tokens.insert(tokens.end(), first, first + kContextSymbols);
  }
  const uint8_t* const indexes = elements.indexes();
  const EncoderToken* const from = tokens.data();
  const auto token = [=](size_t i) -> const EncoderToken& { return from[indexes[i] * kContextSymbols + symbols[i]]; };
  DenseEncodeKernel* const kernel = dense_encode_kernel();
  if (kernel && lanes >= kDenseLanesMin && elements.tables().size() <= kDenseEncodeTablesMax) {
    const DenseTokens rows(tokens);
    const auto rounds = [&](size_t count, uint32_t* states, uint8_t* next) {
      return kernel(rows, indexes, symbols, count, lanes, states, next);
    };
    LaneStream stream;
    if (lanes == 32 ? encode_lanes<32>(elements.count(), token, rounds, &stream)
                    : encode_lanes<64>(elements.count(), token, rounds, &stream))
      return stream;
    lanes = 1;
  }
  return encode_tokens(elements.count(), lanes, token);
}

Status decode_dense(const SetCodes& codes, const ElementTables& elements, LaneDecoder* lanes, uint8_t* symbols) {
  const SlotFinder* finders[256];
  for (size_t t = 0; t < elements.tables().size(); ++t) finders[t] = &codes.symbols()[elements.tables()[t]];
  const uint8_t* const indexes = elements.indexes();
  const size_t count = elements.count();
  size_t i = 0;
  if (DenseKernel* const kernel = dense_kernel();
      kernel && lanes->lanes() >= kDenseLanesMin && elements.tables().size() <= kDenseTablesMax) {
    i = take_with_kernel(kernel, codes, elements, lanes, symbols);
  }
  const auto code = [&]() -> const SlotFinder& { return *finders[indexes[i]]; };
  while (i < count && lanes->status() == Status::ok) {
    lanes->take_rounds([&](size_t n) { return count - i >= n; }, code,
                       [&](uint32_t token) { symbols[i++] = static_cast<uint8_t>(token); });
    // Rounds stop short of the tail and of the last words.
    do {
      if (i < count) symbols[i++] = static_cast<uint8_t>(lanes->take(code()));
    } while (i < count && lanes->inside_round());
  }
  return lanes->finish();
}

}  // namespace firn
