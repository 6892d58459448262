#include <algorithm>
#include <optional>
#include <vector>

#include "common/f32_view.h"
#include "firn/residual_quant/gptq.h"
#include "residual_quant/gptq/gptq_kernels.h"
#include "residual_quant/gptq/pulled_zone.h"
#include "residual_quant/lattice/lattice_kernels.h"
#include "residual_quant/lattice/weight_units.h"
#include "simd/cpu_features.h"

namespace firn {
namespace {

GptqKernel* gptq_kernel() {
#if FIRN_X86
  switch (active_isa()) {
    case Isa::avx512: return avx512::gptq_tile;
    case Isa::avx2: return avx2::gptq_tile;
    case Isa::scalar: break;
  }
#endif
  return scalar::gptq_tile;
}

bool valid(const Gptq& f, uint32_t count) {
  const uint64_t elements = uint64_t{f.inputs} * f.outputs;
  return f.size >= 1 && f.size <= kGptqBlockMax && f.inputs > 0 && f.inputs % f.size == 0 && f.first <= elements &&
         count <= elements - f.first && f.strength >= 0 && f.strength <= 1 && f.hysteresis.dead_zone <= 256 &&
         f.movement.pull >= 0 && f.movement.pull <= kGptqPullMax;
}

// One segment's rounding.
class Rounder {
 public:
  explicit Rounder(GptqKernel* kernel) : kernel_(kernel) {}

  // `values` has the weights on entry and the targets on return; `before` has those of GptqMovement, or is empty. False
  // when a weight or a previous value is out of range.
  bool round(const LatticeSegment& segment, LatticeState state, const Gptq& gptq, std::vector<float> before,
             float* values) {
    const LatticeRule rule = lattice_rule(segment, gptq.hysteresis.dead_zone);
    const int32_t* const previous = state.values;
    for (uint32_t i = 0; i < segment.count; ++i) {
      int32_t x;
      if (!weight_units(values[i], rule.units, &x)) return false;
      if (previous && (previous[i] > rule.kept_max || previous[i] < -rule.kept_max)) return false;
      values[i] = static_cast<float>(x);
      if (before.empty()) continue;
      int32_t old;
      // From here on it is the movement.
      before[i] = weight_units(before[i], rule.units, &old) ? static_cast<float>(x - old) : 0;
    }
    const float least = static_cast<float>(lattice_rule(segment, kGptqPulledZoneMin).dead);
    const uint64_t end = gptq.first + segment.count;
    const uint64_t wide = gptq.inputs_last ? gptq.inputs : gptq.outputs;
    const uint64_t first_row = gptq.first / wide, last_row = (end - 1) / wide;
    // Rows of the tensor are outputs or inputs; only those that the segment touches are visited.
    const uint64_t outputs_from = gptq.inputs_last ? first_row : 0,
                   outputs_to = gptq.inputs_last ? last_row + 1 : gptq.outputs;
    const uint64_t inputs_from = gptq.inputs_last ? 0 : first_row,
                   inputs_to = gptq.inputs_last ? gptq.inputs : last_row + 1;
    std::optional<LatticeZones> zones;
    if (gptq.hysteresis.rates && previous) {
      if (state.activity == nullptr) return false;
      zones.emplace(segment.step, gptq.hysteresis);
      contexts_.resize(segment.count);
      if (lattice_contexts({&segment, 1}, state, contexts_.data()) != Status::ok) return false;
    }
    const Part part{segment, rule, previous, zones ? zones->dead : nullptr,
                    before.empty() ? nullptr : before.data(), least, gptq, values};
    for (uint64_t output = outputs_from; output < outputs_to; output += kGptqLanes) {
      const size_t lanes = std::min<uint64_t>(kGptqLanes, outputs_to - output);
      for (uint64_t block = inputs_from / gptq.size; block * gptq.size < inputs_to; ++block)
        round_tile(part, block, output, lanes);
    }
    const float unit = std::ldexp(1.0f, segment.exponent);
    for (uint32_t i = 0; i < segment.count; ++i) values[i] *= unit;
    return true;
  }

 private:
  struct Part {
    const LatticeSegment& segment;
    const LatticeRule& rule;
    const int32_t* previous;
    const int32_t* zones;   // of LatticeZones, or null if one applies to all
    const float* movement;  // in units, or null
    float zone_min;         // for weights that moved
    const Gptq& gptq;
    float* values;
  };

  // Position of an element in the segment, or past its end if it is not in it.
  static uint64_t place(const Part& part, uint64_t output, uint64_t input) {
    const Gptq& f = part.gptq;
    const uint64_t at = f.inputs_last ? output * f.inputs + input : input * f.outputs + output;
    return at - f.first;  // wraps below the first, which is past the end too
  }

  void round_tile(const Part& part, uint64_t block, uint64_t output, size_t lanes) {
    const size_t size = part.gptq.size, cells = size * kGptqLanes;
    weights_.assign(cells, 0), previous_.assign(cells, 0), present_.assign(cells, 0), errors_.resize(cells),
        targets_.resize(cells);
    const auto dead = static_cast<float>(part.rule.dead);
    dead_up_.assign(cells, dead), dead_down_.assign(cells, dead);
    const float shifted = static_cast<float>(1 << part.rule.shift);
    for_each_cell(part, block, output, lanes, [&](size_t cell, uint64_t at) {
      weights_[cell] = part.values[at];
      previous_[cell] = part.previous ? static_cast<float>(part.previous[at]) * shifted : 0;
      present_[cell] = 1;
      if (part.zones != nullptr) {
        const int32_t* const zones = part.zones + 2 * contexts_[at];
        const bool is_below = part.previous[at] < 0;
        dead_up_[cell] = static_cast<float>(zones[is_below]);
        dead_down_[cell] = static_cast<float>(zones[!is_below]);
      }
      if (part.movement == nullptr) return;
      const float along = part.gptq.movement.pull * part.movement[at];
      dead_up_[cell] = pulled_zone(dead_up_[cell], along, part.zone_min);
      dead_down_[cell] = pulled_zone(dead_down_[cell], -along, part.zone_min);
    });
    const auto step = static_cast<float>(part.rule.step);
    const GptqRule rule{step, static_cast<float>(part.rule.step / 2), part.gptq.strength,
                            static_cast<float>(kLatticeWeightMax) - step};
    kernel_(part.gptq.factor + block * size * size, size, rule,
            {weights_.data(), previous_.data(), present_.data(), dead_up_.data(), dead_down_.data(), errors_.data(),
             targets_.data()});
    for_each_cell(part, block, output, lanes, [&](size_t cell, uint64_t at) { part.values[at] = targets_[cell]; });
  }

  template <typename Body>
  static void for_each_cell(const Part& part, uint64_t block, uint64_t output, size_t lanes, Body body) {
    const size_t size = part.gptq.size;
    for (size_t j = 0; j < size; ++j) {
      for (size_t lane = 0; lane < lanes; ++lane) {
        const uint64_t at = place(part, output + lane, block * size + j);
        if (at < part.segment.count) body(j * kGptqLanes + lane, at);
      }
    }
  }

  GptqKernel* kernel_;
  std::vector<float> weights_, previous_, present_, dead_up_, dead_down_, errors_, targets_;
  std::vector<uint8_t> contexts_;
};

}  // namespace

Status lattice_targets(const void* weights, Dtype dtype, const LatticeSegment& segment, LatticeState previous,
                       const Gptq& gptq, float* targets) {
  size_t count;
  if (!valid_segments({&segment, 1}, &count) || !valid(gptq, segment.count)) return Status::invalid_argument;
  convert(weights, dtype, count, targets, Dtype::f32);
  std::vector<float> before;
  if (gptq.movement.before) {
    before.resize(count);
    convert(gptq.movement.before, dtype, count, before.data(), Dtype::f32);
  }
  const bool in_range = Rounder(gptq_kernel()).round(segment, previous, gptq, std::move(before), targets);
  return in_range ? Status::ok : Status::invalid_argument;
}

}  // namespace firn
