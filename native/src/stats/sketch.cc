#include "firn/sketch.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "common/f32_view.h"
#include "stats/keys.h"
#include "stats/value_counter.h"

namespace firn {
namespace {

// products[i] = |g[i] * w[i]|; the operands are binary32 at any alignment.
void multiply_magnitudes(const void* weights, const void* gradients, size_t count, float* products) {
  const uint8_t* w_bytes = static_cast<const uint8_t*>(weights);
  const uint8_t* g_bytes = static_cast<const uint8_t*>(gradients);
  for (size_t i = 0; i < count; ++i) {
    float w, g;
    std::memcpy(&w, w_bytes + i * 4, sizeof w);
    std::memcpy(&g, g_bytes + i * 4, sizeof g);
    products[i] = std::fabs(g * w);
  }
}

}  // namespace

float sketch_midpoint(uint32_t key) { return std::bit_cast<float>(key << kKeyShift | 1u << (kKeyShift - 1)); }

float sketch_lower_edge(uint32_t key) {
  const uint32_t magnitude = key & (kSignKey - 1);
  return std::bit_cast<float>(magnitude == 0 ? 1u
                                             : magnitude << kKeyShift);  // bucket 0 starts at 2^-149: zeros are apart
}

void sketch_values(const void* values, Dtype dtype, size_t count, Sketch& sketch) {
  ValueCounter counter(sketch, count);
  float scratch[kStepElements];
  for (size_t first = 0; first < count; first += kStepElements) {
    const size_t step = count - first < kStepElements ? count - first : kStepElements;
    const Upcoming upcoming{element_at(values, dtype, first + step), dtype_bytes(dtype)};
    counter.add(f32_view(values, dtype, first, step, scratch), step, 0, upcoming);
  }
}

void sketch_sensitivity(const void* weights, Dtype weight_dtype, const void* gradients, Dtype gradient_dtype,
                        size_t count, Sketch& sketch) {
  ValueCounter counter(sketch, count);
  float w_scratch[kStepElements], g_scratch[kStepElements], products[kStepElements];
  for (size_t first = 0; first < count; first += kStepElements) {
    const size_t step = count - first < kStepElements ? count - first : kStepElements;
    multiply_magnitudes(f32_view(weights, weight_dtype, first, step, w_scratch),
                        f32_view(gradients, gradient_dtype, first, step, g_scratch), step, products);
    counter.add(products, step, 0,
                {element_at(weights, weight_dtype, first + step), dtype_bytes(weight_dtype),
                 element_at(gradients, gradient_dtype, first + step), dtype_bytes(gradient_dtype)});
  }
}

void sketch_merge(const Sketch& from, Sketch& into) {
  for (size_t key = 0; key < kSketchBuckets; ++key) into.counts[key] += from.counts[key];
  into.zeros += from.zeros;
  into.nans += from.nans;
  into.infinities += from.infinities;
}

}  // namespace firn
