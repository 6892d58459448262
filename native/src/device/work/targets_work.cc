// Rounding along the inputs on a device.
#include <cmath>

#include "device/work/rounding.h"
#include "residual_quant/gptq/gptq_team.h"

namespace firn {
namespace {

// Cells for each element of a segment, at most: a stretch of a matrix whose inputs are rows has outputs and inputs
// around it that it has no part in.
constexpr uint64_t kCellsOfElement = 4;

bool valid(const LatticeSegment& segment, const Gptq& f) {
  const uint64_t elements = uint64_t{f.inputs} * f.outputs;
  size_t count;
  return valid_segments({&segment, 1}, &count) && f.size >= 1 && f.size <= kGptqBlockMax && f.inputs > 0 &&
         f.inputs % f.size == 0 && f.first <= elements && count <= elements - f.first && f.strength >= 0 &&
         f.strength <= 1 && f.hysteresis.dead_zone <= 256 && f.movement.pull >= 0 && f.movement.pull <= kGptqPullMax;
}

}  // namespace

bool Rounding::find_cells(const LatticeSegment& segment, const Gptq& f) {
  if (!valid(segment, f)) return false;
  segment_ = segment;
  gptq_ = f;
  const uint64_t wide = f.inputs_last ? f.inputs : f.outputs;
  const uint64_t first_row = f.first / wide, rows = (f.first + segment.count - 1) / wide - first_row + 1;
  // Rows of the tensor are outputs or inputs; only those that the segment touches count, and whole blocks of the
  // factor.
  const uint64_t end_block = f.inputs_last ? f.inputs / f.size : (first_row + rows - 1) / f.size + 1;
  first_block_ = f.inputs_last ? 0 : first_row / f.size;
  blocks_ = static_cast<uint32_t>(end_block - first_block_);
  cells_ = {f.first,
            wide,
            first_block_ * f.size,
            f.inputs_last ? first_row : 0,
            segment.count,
            blocks_ * f.size,
            static_cast<uint32_t>(f.inputs_last ? rows : f.outputs),
            f.inputs_last};
  // A short segment of a wide matrix still has a few rows.
  return cells_.cells() <= kCellsOfElement * (uint64_t{segment.count} + kBlockElementsMax / 8);
}

float* Rounding::round(DeviceWork& work, std::string_view factor_name, const void* d_weights, Dtype dtype,
                       StateThere state, const uint8_t* d_rates, uint32_t* d_failures) {
  const size_t factor_bytes = size_t{gptq_.inputs} * gptq_.size * sizeof(float);
  const auto* const d_factor = static_cast<const float*>(work.held(factor_name, gptq_.factor, factor_bytes));
  const void* const before = gptq_.movement.before;
  const void* const d_before = before ? work.put(before, segment_.count * dtype_bytes(dtype)) : nullptr;
  constexpr size_t kArrays = 7;
  const size_t cell_count = cells_.cells();
  float* const arrays = work.room<float>(kArrays * cell_count);
  float* const d_targets = work.room<float>(segment_.count);
  if (!work.ok()) return nullptr;
  const auto array = [&](size_t i) { return arrays + i * cell_count; };
  const uint32_t dead_zone = gptq_.hysteresis.dead_zone;
  const LatticeRule rule = lattice_rule(segment_, dead_zone);
  work.run(&DeviceTable::gptq_gather,
           GptqGatherKernel{cells_, rule, d_weights, dtype, state.values, state.activity, d_rates, dead_zone, d_before,
                            gptq_.movement.pull, static_cast<float>(lattice_rule(segment_, kGptqPulledZoneMin).dead),
                            array(0), array(1), array(2), array(3), array(4), d_failures});
  const auto step = static_cast<float>(rule.step);
  work.run(&DeviceTable::gptq_round,
           GptqRoundKernel{d_factor + first_block_ * gptq_.size * gptq_.size, gptq_.size, blocks_, cells_.outputs,
                           {step, static_cast<float>(rule.step / 2), gptq_.strength,
                            static_cast<float>(kLatticeWeightMax) - step},
                           {array(0), array(1), array(2), array(3), array(4), array(5), array(6)}});
  work.run(&DeviceTable::gptq_scatter,
           GptqScatterKernel{cells_, array(6), std::ldexp(1.0f, segment_.exponent), d_targets});
  return d_targets;
}

bool device_targets(DeviceContext& context, const DeviceTargets& r, float* targets) {
  Rounding rounding;
  if (!rounding.find_cells(r.segment, r.gptq) || (r.previous.values && !r.previous.activity)) return false;
  const uint32_t count = r.segment.count;
  DeviceWork work(context, "round along the inputs");
  const void* const d_weights = work.held(weights_name(r.weights_name), r.weights, count * dtype_bytes(r.dtype));
  StateThere state;
  if (r.previous.values) {
    DeviceBlock block;
    block.segments = {&r.segment, 1};
    block.state_name = r.state_name;
    block.chain.previous = r.previous;
    state = state_of(work, block, count);
    if (!state.values) return false;
  }
  const uint8_t* const rates = r.gptq.hysteresis.rates;
  const auto* const d_rates = rates ? static_cast<const uint8_t*>(work.put(rates, kLatticeRates)) : nullptr;
  uint32_t* const d_failures = work.room<uint32_t>(1);
  work.clear(d_failures, sizeof(uint32_t));
  const float* const d_targets = rounding.round(work, r.factor_name, d_weights, r.dtype, state, d_rates, d_failures);
  uint32_t failures = 0;
  work.bring(&failures, d_failures, sizeof failures);
  work.bring(targets, d_targets, count * sizeof(float));
  return work.wait() && failures == 0 && work.done();
}

}  // namespace firn
