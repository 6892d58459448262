#include "firn/residual_quant/lattice.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "common/f32_view.h"
#include "residual_quant/lattice/lattice_kernels.h"
#include "residual_quant/lattice/segment_steps.h"
#include "residual_quant/lattice/weight_units.h"
#include "simd/cpu_features.h"

namespace firn {
namespace {

const int32_t* from(const int32_t* values, size_t first) { return values ? values + first : nullptr; }

double total(const double (&lanes)[kErrorLanes]) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

LatticeErrorSums added_up(const LatticeErrorLanes& lanes) {
  LatticeErrorSums sums{
      total(lanes.squares), total(lanes.products), total(lanes.residuals), total(lanes.fresh), {}, {}, {}};
  for (size_t j = 0; j < kLatticeOffsets; ++j) {
    sums.weights[j] = total(lanes.weights[j]);
    sums.signed_residuals[j] = total(lanes.signed_residuals[j]);
    sums.signed_products[j] = total(lanes.signed_products[j]);
  }
  return sums;
}

}  // namespace

LatticeKernels lattice_kernels() {
#if FIRN_X86
  switch (active_isa()) {
    case Isa::avx512: return avx512::lattice_kernels();
    case Isa::avx2: return avx2::lattice_kernels();
    case Isa::scalar: break;
  }
#endif
  return scalar::lattice_kernels();
}

Status lattice_quantize(const void* weights, Dtype dtype, LatticeSegments segments, LatticeState previous,
                        LatticeHysteresis hysteresis, uint8_t* symbols, std::vector<uint32_t>* escapes,
                        LatticeStatistics* statistics) {
  size_t count;
  if (!valid_segments(segments, &count) || hysteresis.dead_zone > kLatticeDeadZoneMax) return Status::invalid_argument;
  escapes->clear();
  std::fill_n(statistics, segments.count, LatticeStatistics{});
  float scratch[kStepElements];
  uint32_t step_escapes[kStepElements];
  const LatticeKernels kernels = lattice_kernels();
  uint8_t contexts[kStepElements];
  const bool is_priced = hysteresis.rates && previous.values;
  std::optional<LatticeZones> zones;
  size_t zones_of = 0;
  const bool done = for_each_step(
      segments, hysteresis.dead_zone, [&](const LatticeRule& rule, size_t index, size_t first, size_t step) {
        const void* w = f32_view(weights, dtype, first, step, scratch);
        LatticeSymbols out{symbols + first, step_escapes, 0};
        if (is_priced) {
          if (!zones || zones_of != index) zones.emplace(rule.step, hysteresis), zones_of = index;
          kernels.contexts(rule, previous.values + first, previous.activity + first, step, contexts);
        }
        const LatticePricing pricing{zones ? zones->dead : nullptr, contexts};
        if (!kernels.quantize(rule, w, from(previous.values, first), is_priced ? &pricing : nullptr, step, out,
                              statistics[index]))
          return false;
        escapes->insert(escapes->end(), step_escapes, step_escapes + out.escape_count);
        return true;
      });
  return done ? Status::ok : Status::invalid_argument;
}

Status lattice_contexts(LatticeSegments segments, LatticeState previous, uint8_t* contexts) {
  size_t count;
  if (!valid_segments(segments, &count)) return Status::invalid_argument;
  if (previous.values == nullptr) {
    if (count > 0) std::memset(contexts, 0, count);
    return Status::ok;
  }
  const auto kernel = lattice_kernels().contexts;
  for_each_step(segments, 0, [&](const LatticeRule& rule, size_t, size_t first, size_t step) {
    kernel(rule, previous.values + first, previous.activity + first, step, contexts + first);
    return true;
  });
  return Status::ok;
}

Status lattice_apply(const uint8_t* symbols, const uint32_t* escapes, size_t escape_count, LatticeSegments segments,
                     LatticeState previous, int32_t* values, uint8_t* activity) {
  size_t count;
  if (!valid_segments(segments, &count)) return Status::invalid_argument;
  SymbolCursor cursor{symbols, escapes, escape_count};
  const auto kernel = lattice_kernels().apply;
  const bool done = for_each_step(segments, 0, [&](const LatticeRule& rule, size_t, size_t first, size_t step) {
    cursor.symbols = symbols + first;
    const uint8_t* before = previous.values ? previous.activity + first : nullptr;
    return kernel(rule, cursor, from(previous.values, first), before, step, values + first, activity + first);
  });
  return done && cursor.escapes_left == 0 ? Status::ok : Status::corrupt;
}

Status lattice_place(const void* elements, Dtype dtype, LatticeSegments segments, int32_t* values) {
  size_t count;
  if (!valid_segments(segments, &count)) return Status::invalid_argument;
  float scratch[kStepElements];
  for_each_step(segments, 0, [&](const LatticeRule& rule, size_t, size_t first, size_t step) {
    const void* const at = f32_view(elements, dtype, first, step, scratch);
    for (size_t i = 0; i < step; ++i) values[first + i] = placed_units(f32_at(at, i), rule.units);
    return true;
  });
  return Status::ok;
}

Status lattice_values(const int32_t* values, LatticeSegments segments, Dtype dtype, void* out) {
  size_t count;
  if (!valid_segments(segments, &count)) return Status::invalid_argument;
  uint8_t* const bytes = static_cast<uint8_t*>(out);
  float scratch[kStepElements];
  const auto kernel = lattice_kernels().values;
  for_each_step(segments, 0, [&](const LatticeRule& rule, size_t, size_t first, size_t step) {
    uint8_t* const to = bytes + first * dtype_bytes(dtype);
    if (dtype == Dtype::f32) {
      kernel(rule, values + first, step, to);
    } else {
      kernel(rule, values + first, step, scratch);
      convert(scratch, Dtype::f32, step, to, dtype);
    }
    return true;
  });
  return Status::ok;
}

Status lattice_error_sums(const void* weights, Dtype dtype, const void* gradients, Dtype gradient_dtype,
                          const float* gradient_scales, const uint8_t* symbols, const uint32_t* escapes,
                          size_t escape_count, LatticeSegments segments, LatticeState previous,
                          LatticeErrorSums* sums) {
  size_t count;
  if (!valid_segments(segments, &count)) return Status::invalid_argument;
  float w_scratch[kStepElements], g_scratch[kStepElements];
  SymbolCursor cursor{symbols, escapes, escape_count};
  LatticeErrorLanes lanes{};
  size_t done_in_segment = 0;
  const auto kernel = lattice_kernels().errors;
  const bool done = for_each_step(segments, 0, [&](const LatticeRule& rule, size_t index, size_t first, size_t step) {
    const void* w = f32_view(weights, dtype, first, step, w_scratch);
    const void* g = gradients && gradient_scales[index] != 0
                        ? f32_view(gradients, gradient_dtype, first, step, g_scratch)
                        : nullptr;
    cursor.symbols = symbols + first;
    const LatticeErrorInput input{w, g, g ? gradient_scales[index] : 0.0f, from(previous.values, first)};
    if (!kernel(rule, input, cursor, step, lanes)) return false;
    done_in_segment += step;
    if (done_in_segment < segments.data[index].count) return true;
    sums[index] = added_up(lanes);
    lanes = {};
    done_in_segment = 0;
    return true;
  });
  return done && cursor.escapes_left == 0 ? Status::ok : Status::invalid_argument;
}

}  // namespace firn
