#include <cstring>
#include <memory>

#include "common/cpu_features.h"
#include "context/block_modes.h"
#include "context/dense_thresholds.h"

namespace firn {
namespace {

DenseKernel dense_kernel() {
#if FIRN_X86
  const Isa isa = active_isa();
  if (isa >= Isa::avx512) return dense_rounds_avx512;
  if (isa >= Isa::avx2) return dense_rounds_avx2;
#endif
  return nullptr;
}

void fill_thresholds(const SetCodes& codes, const ElementTables& elements, DenseThresholds* thresholds) {
  for (auto& row : thresholds->starts) std::fill(std::begin(row), std::end(row), kSlots);
  thresholds->tables = static_cast<uint32_t>(elements.tables().size());
  for (size_t t = 0; t < elements.tables().size(); ++t) {
    const std::vector<uint32_t>& starts = codes.tables[elements.tables()[t]].symbols.starts;
    for (uint32_t k = 0; k <= kContextSymbols; ++k) thresholds->starts[k][t] = starts[k];
  }
}

// As many symbols as the kernel can take. It reads words in large pieces, so the last of them are moved to where more can be read.
size_t take_with_kernel(DenseKernel kernel, const SetCodes& codes, const ElementTables& elements, LaneDecoder* lanes, uint8_t* symbols) {
  const auto thresholds = std::make_unique_for_overwrite<DenseThresholds>();
  fill_thresholds(codes, elements, thresholds.get());
  LaneDecoder::Window window = lanes->window();
  const size_t count = std::min<size_t>(window.tokens, elements.count());
  size_t done = kernel(*thresholds, elements.indexes(), count, &window, symbols);
  const auto left = static_cast<size_t>(window.end - window.next);
  if (left < kDenseWordsBytes) {
    uint8_t rest[2 * kDenseWordsBytes] = {};
    std::memcpy(rest, window.next, left);
    LaneDecoder::Window last{window.states, rest, rest + left + kDenseWordsBytes, window.tokens};
    done += kernel(*thresholds, elements.indexes() + done, count - done, &last, symbols + done);
    const auto used = static_cast<size_t>(last.next - rest);
    if (used > left) lanes->fail(Status::truncated);
    window.next += std::min(used, left);
  }
  lanes->advance(static_cast<uint32_t>(done), window.next);
  return done;
}

}  // namespace

LaneStream encode_dense(const SetCodes& codes, const ElementTables& elements, const uint8_t* symbols, uint32_t lanes) {
  const EncoderToken* tokens[256];
  for (size_t t = 0; t < elements.tables().size(); ++t) {
    tokens[t] = codes.tokens.data() + size_t{elements.tables()[t]} * kTokensPerTable + kSymbolTokens;
  }
  const uint8_t* const indexes = elements.indexes();
  return encode_tokens(elements.count(), lanes, [&](size_t i) -> const EncoderToken& { return tokens[indexes[i]][symbols[i]]; });
}

Status decode_dense(const SetCodes& codes, const ElementTables& elements, LaneDecoder* lanes, uint8_t* symbols) {
  const SlotFinder* finders[256];
  for (size_t t = 0; t < elements.tables().size(); ++t) finders[t] = &codes.tables[elements.tables()[t]].symbols;
  const uint8_t* const indexes = elements.indexes();
  const size_t count = elements.count();
  size_t i = 0;
  if (const DenseKernel kernel = dense_kernel(); kernel && lanes->lanes() == kLanesMax && elements.tables().size() <= kDenseTablesMax) {
    i = take_with_kernel(kernel, codes, elements, lanes, symbols);
  }
  const auto code = [&]() -> const SlotFinder& { return *finders[indexes[i]]; };
  while (i < count && lanes->status() == Status::ok) {
    lanes->take_rounds([&](size_t n) { return count - i >= n; }, code, [&](uint32_t token) { symbols[i++] = static_cast<uint8_t>(token); });
    // Rounds stop short of the tail and of the last words.
    for (const size_t end = std::min<size_t>(count, i + kLanesMax); i < end; ++i) symbols[i] = static_cast<uint8_t>(lanes->take(code()));
  }
  return lanes->finish();
}

}  // namespace firn
