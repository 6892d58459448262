#include <algorithm>
#include <new>

#include "firn/residual_quant/residual.h"
#include "residual_quant/chain/block_scratch.h"
#include "residual_quant/chain/block_start.h"
#include "residual_quant/lattice/segment_steps.h"

namespace firn {

Status ResidualCoding::begin(const ResidualChain& chain, LatticeSegments segments) try {
  segments_ = segments;
  if (!valid_segments(segments, &count_)) return Status::invalid_argument;
  BlockScratch& scratch = block_scratch();
  scratch.coded_counts.clear();
  for (size_t s = 0; s < segments.count; ++s) scratch.coded_counts.push_back(segments.data[s].count);
  state_ = chain.previous;
  origins_ = nullptr;
  if (chain.count > 0) {
    size_t before = 0;
    if (!valid_segments(chain.links[0].segments, &before) || before != count_) return Status::invalid_argument;
    state_ = {scratch.values, scratch.activity};
    return residual_state(chain, scratch.values, scratch.activity);
  }
  if (chain.previous.values == nullptr) {
    origins_ = chain.origins;
    state_ = state_at_start(segments, origins_, scratch.values, scratch.activity);
  }
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status ResidualCoding::quantize(const void* weights, Dtype dtype, LatticeHysteresis hysteresis,
                                LatticeStatistics* statistics) try {
  BlockScratch& scratch = block_scratch();
  if (origins_) hysteresis.rates = nullptr;  // there is no previous value to stay at
  const Status status = lattice_quantize(weights, dtype, segments_, state_, hysteresis, scratch.symbols,
                                         &scratch.coded_escapes, statistics);
  use(scratch.symbols, scratch.coded_escapes.data(), scratch.coded_escapes.size());
  return status;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

void ResidualCoding::use(const uint8_t* symbols, const uint32_t* escapes, size_t escape_count) {
  symbols_ = symbols;
  escapes_ = escapes;
  escape_count_ = escape_count;
}

Status ResidualCoding::error_sums(const void* weights, Dtype dtype, const void* gradients, Dtype gradient_dtype,
                                  const float* gradient_scales, LatticeErrorSums* sums) const {
  return lattice_error_sums(weights, dtype, gradients, gradient_dtype, gradient_scales, symbols_, escapes_,
                            escape_count_, segments_, state_, sums);
}

ContextBlock ResidualCoding::context_block(const uint32_t* slots) {
  BlockScratch& scratch = block_scratch();
  if (origins_) contexts_at_start(segments_, origins_, scratch.contexts);
  else lattice_contexts(segments_, state_, scratch.contexts);  // whose segments are known to be valid
  const ContextLayout layout{scratch.contexts, count_, scratch.coded_counts.data(), slots, segments_.count};
  return {layout, symbols_, escapes_, escape_count_};
}

Status ResidualCoding::elements(Dtype dtype, void* out) const {
  const auto kernel = lattice_kernels().elements;
  uint8_t* const bytes = static_cast<uint8_t*>(out);
  SymbolCursor cursor{symbols_, escapes_, escape_count_};
  float f32[kStepElements];
  const bool done = for_each_step(segments_, 0, [&](const LatticeRule& rule, size_t, size_t first, size_t count) {
    cursor.symbols = symbols_ + first;
    const int32_t* const before = state_.values ? state_.values + first : nullptr;
    const uint8_t* const activity = before ? state_.activity + first : nullptr;
    uint8_t* const to = bytes + first * dtype_bytes(dtype);
    if (!kernel(rule, cursor, before, activity, count, dtype == Dtype::f32 ? static_cast<void*>(to) : f32))
      return false;
    if (dtype != Dtype::f32) convert(f32, Dtype::f32, count, to, dtype);
    return true;
  });
  return done && cursor.escapes_left == 0 ? Status::ok : Status::corrupt;
}

}  // namespace firn
