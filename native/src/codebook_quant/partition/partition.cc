#include "firn/codebook_quant/partition.h"

#include <limits>

#include "codebook_quant/partition/partition_kernels.h"
#include "common/f32_view.h"
#include "simd/cpu_features.h"
#include "stats/value_counter.h"

namespace firn {

PartitionRule partition_rule(const Partition& partition, bool has_gradients) {
  constexpr float kNever = std::numeric_limits<float>::quiet_NaN();
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  PartitionRule rule{kNever, kNever, kNever, kNever};
  const float m_min = partition.protect_magnitude_min, s_min = partition.protect_sensitivity_min;
  if (m_min != kInfinity) rule.protect_magnitude_min = m_min;
  if (has_gradients && s_min != kInfinity)
    rule.protect_sensitivity_min = s_min < kSmallest ? kSmallest : s_min;  // s > 0 too
  if (partition.prune_below > 0) {
    if (partition.prune_metric == Metric::magnitude) rule.prune_magnitude_below = partition.prune_below;
    else if (has_gradients) rule.prune_sensitivity_below = partition.prune_below;
  }
  return rule;
}

MarkKernel* mark_kernel() {
#if FIRN_X86
  switch (active_isa()) {
    case Isa::avx512: return avx512::mark_levels;
    case Isa::avx2: return avx2::mark_levels;
    case Isa::scalar: break;
  }
#endif
  return scalar::mark_levels;
}

KeepKernel* keep_kernel() {
#if FIRN_X86
  switch (active_isa()) {
    case Isa::avx512: return avx512::keep_quantized;
    case Isa::avx2: return avx2::keep_quantized;
    case Isa::scalar: break;
  }
#endif
  return scalar::keep_quantized;
}

void sketch_quantized(const void* weights, Dtype weight_dtype, const void* gradients, Dtype gradient_dtype,
                      size_t count, const Partition& partition, Sketch& sketch) {
  const PartitionRule rule = partition_rule(partition, gradients != nullptr);
  if (!rule.protects() && !rule.prunes()) return sketch_values(weights, weight_dtype, count, sketch);
  KeepKernel* const keep = keep_kernel();
  ValueCounter counter(sketch, count);
  float w_scratch[kStepElements], g_scratch[kStepElements], kept[kStepElements];
  for (size_t first = 0; first < count; first += kStepElements) {
    const size_t step = count - first < kStepElements ? count - first : kStepElements;
    const void* w = f32_view(weights, weight_dtype, first, step, w_scratch);
    const void* g = gradients ? f32_view(gradients, gradient_dtype, first, step, g_scratch) : nullptr;
    const size_t skipped = keep(rule, w, g, step, kept);
    Upcoming upcoming{element_at(weights, weight_dtype, first + step), dtype_bytes(weight_dtype)};
    if (gradients) {
      upcoming.gradients = element_at(gradients, gradient_dtype, first + step);
      upcoming.gradient_bytes = dtype_bytes(gradient_dtype);
    }
    counter.add(kept, step, skipped, upcoming);
  }
}

}  // namespace firn
