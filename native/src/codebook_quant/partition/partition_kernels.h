// Kernels that apply a partition; one set per instruction set, identical results.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/codebook_quant/partition.h"

namespace firn {

// A Partition reduced to comparisons. A rule that never applies has the threshold NaN, which no value compares with.
struct PartitionRule {
  float protect_magnitude_min;    // protected: m >= this
  float protect_sensitivity_min;  // protected: s >= this; above 0
  float prune_magnitude_below;    // pruned: m < this
  float prune_sensitivity_below;  // pruned: s < this

  bool protects() const {
    return protect_magnitude_min == protect_magnitude_min || protect_sensitivity_min == protect_sensitivity_min;
  }
  bool prunes() const {
    return prune_magnitude_below == prune_magnitude_below || prune_sensitivity_below == prune_sensitivity_below;
  }
};

// `has_gradients`: whether the kernels below will get gradients.
PartitionRule partition_rule(const Partition& partition, bool has_gradients);

// Levels written over the bins of weights that are not quantized.
struct PartitionLevels {
  uint8_t pruned;
  uint8_t protect;
};

// In all kernels: `weights` and `gradients` are `count` binary32 values at any alignment, `gradients` null or as
// announced.

// Overwrites levels[i] where weight i is protected or pruned. Returns the number of protected weights.
using MarkKernel = size_t(const PartitionRule& rule, const void* weights, const void* gradients, size_t count,
                          PartitionLevels marks, uint8_t* levels);

// Copies the weights to `kept`, with skip_marker(i & 15) (stats/value_counter.h) in place of the protected and pruned
// ones. Returns the number of replaced weights.
using KeepKernel = size_t(const PartitionRule& rule, const void* weights, const void* gradients, size_t count,
                          float* kept);

namespace scalar {
MarkKernel mark_levels;
KeepKernel keep_quantized;
}  // namespace scalar
namespace avx2 {
MarkKernel mark_levels;
KeepKernel keep_quantized;
}  // namespace avx2
namespace avx512 {
MarkKernel mark_levels;
KeepKernel keep_quantized;
}  // namespace avx512

// The kernels for active_isa().
MarkKernel* mark_kernel();
KeepKernel* keep_kernel();

}  // namespace firn
