// The classes of weights: protected, pruned or quantized (Inshrinkerator section 4.2).
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "firn/dtype.h"
#include "firn/sketch.h"

namespace firn {

enum class Metric : uint8_t { magnitude = 0, sensitivity = 1 };

// A weight w with gradient average g, m = |w|, s = |g * w| (binary32), is
//   protected  if m >= protect_magnitude_min, or s > 0 and s >= protect_sensitivity_min;
//   else pruned if the metric (m or s) < prune_below;
//   else quantized.
// Without gradients (null), s is 0 and the sensitivity metric prunes nothing. An infinite threshold protects nothing,
// not even infinity; a weight or gradient that is NaN fails every comparison.
struct Partition {
  float protect_magnitude_min = std::numeric_limits<float>::infinity();
  float protect_sensitivity_min = std::numeric_limits<float>::infinity();
  Metric prune_metric = Metric::magnitude;
  float prune_below = 0;
};

// Adds the values of the weights that are neither protected nor pruned to `sketch` (the input of build_codebook).
void sketch_quantized(const void* weights, Dtype weight_dtype, const void* gradients, Dtype gradient_dtype,
                      size_t count, const Partition& partition, Sketch& sketch);

}  // namespace firn
