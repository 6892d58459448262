// Rounding along the inputs on a device.
#include <cmath>

#include "device/work/block_arguments.h"
#include "residual_quant/gptq/gptq_cells_team.h"
#include "residual_quant/gptq/gptq_team.h"

namespace firn {
namespace {

// Cells for each element of a segment, at most: a stretch of a matrix whose inputs are rows has outputs and inputs
// around it that it has no part in.
constexpr uint64_t kCellsOfElement = 4;

bool valid(const DeviceTargets& r) {
  const Gptq& f = r.gptq;
  const uint64_t elements = uint64_t{f.inputs} * f.outputs;
  size_t count;
  return valid_segments({&r.segment, 1}, &count) && f.size >= 1 && f.size <= kGptqBlockMax && f.inputs > 0 &&
         f.inputs % f.size == 0 && f.first <= elements && count <= elements - f.first && f.strength >= 0 &&
         f.strength <= 1 && f.hysteresis.dead_zone <= 256 && !(r.previous.values && !r.previous.activity);
}

}  // namespace

bool device_targets(DeviceContext& context, const DeviceTargets& r, float* targets) {
  if (!valid(r)) return false;
  const Gptq& f = r.gptq;
  const uint32_t count = r.segment.count;
  const uint64_t wide = f.inputs_last ? f.inputs : f.outputs;
  const uint64_t first_row = f.first / wide, rows = (f.first + count - 1) / wide - first_row + 1;
  // Rows of the tensor are outputs or inputs; only those that the segment touches count, and whole blocks of the
  // factor.
  const uint64_t first_block = f.inputs_last ? 0 : first_row / f.size;
  const uint64_t end_block = f.inputs_last ? f.inputs / f.size : (first_row + rows - 1) / f.size + 1;
  const auto blocks = static_cast<uint32_t>(end_block - first_block);
  const auto outputs = static_cast<uint32_t>(f.inputs_last ? rows : f.outputs);
  const GptqCells cells{f.first,
                        wide,
                        first_block * f.size,
                        f.inputs_last ? first_row : 0,
                        count,
                        blocks * f.size,
                        outputs,
                        f.inputs_last};
  // A short segment of a wide matrix still has a few rows.
  if (cells.cells() > kCellsOfElement * (uint64_t{count} + kBlockElementsMax / 8)) return false;
  DeviceWork work(context, "round along the inputs");
  const size_t factor_bytes = size_t{f.inputs} * f.size * sizeof(float);
  const auto* const d_factor = static_cast<const float*>(work.held(r.factor_name, f.factor, factor_bytes));
  const std::string weights_name = r.weights_name.empty() ? "" : std::string(r.weights_name) + "/w";
  const void* const d_weights = work.held(weights_name, r.weights, count * dtype_bytes(r.dtype));
  StateThere state;
  if (r.previous.values) {
    DeviceBlock block;
    block.segments = {&r.segment, 1};
    block.state_name = r.state_name;
    block.chain.previous = r.previous;
    state = state_of(work, block, count);
    if (!state.values) return false;
  }
  const uint8_t* const rates = f.hysteresis.rates;
  const auto* const d_rates = rates ? static_cast<const uint8_t*>(work.put(rates, kLatticeRates)) : nullptr;
  constexpr size_t kArrays = 7;
  const size_t cell_count = cells.cells();
  float* const arrays = work.room<float>(kArrays * cell_count);
  float* const d_targets = work.room<float>(count);
  uint32_t* const d_failures = work.room<uint32_t>(1);
  if (!work.ok()) return false;
  work.clear(d_failures, sizeof(uint32_t));
  const auto array = [&](size_t i) { return arrays + i * cell_count; };
  const LatticeRule rule = lattice_rule(r.segment, f.hysteresis.dead_zone);
  work.run(&DeviceTable::gptq_gather,
           GptqGatherKernel{cells, rule, d_weights, r.dtype, state.values, state.activity, d_rates,
                            f.hysteresis.dead_zone, array(0), array(1), array(2), array(3), array(4), d_failures});
  const auto step = static_cast<float>(rule.step);
  work.run(&DeviceTable::gptq_round,
           GptqRoundKernel{d_factor + first_block * f.size * f.size, f.size, blocks, outputs,
                           {step, static_cast<float>(rule.step / 2), f.strength,
                            static_cast<float>(kLatticeWeightMax) - step},
                           {array(0), array(1), array(2), array(3), array(4), array(5), array(6)}});
  work.run(&DeviceTable::gptq_scatter,
           GptqScatterKernel{cells, array(6), std::ldexp(1.0f, r.segment.exponent), d_targets});
  uint32_t failures = 0;
  work.bring(&failures, d_failures, sizeof failures);
  work.bring(targets, d_targets, count * sizeof(float));
  return work.wait() && failures == 0 && work.done();
}

}  // namespace firn
