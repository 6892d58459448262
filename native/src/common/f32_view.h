// Elements of any float dtype as binary32, a block at a time, so that kernels need only one element type.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/dtype.h"

namespace firn {

// Elements handled per step: weights, gradients and results of a step stay in a 32 KiB level-1 cache.
inline constexpr size_t kStepElements = 2048;

// Address of element `index`.
inline const uint8_t* element_at(const void* elements, Dtype dtype, size_t index) {
  return static_cast<const uint8_t*>(elements) + index * dtype_bytes(dtype);
}

// Points at elements [first, first + count) as binary32 (any alignment): in place when they are f32, else widened into
// `scratch`, which holds `count` floats.
inline const void* f32_view(const void* elements, Dtype dtype, size_t first, size_t count, float* scratch) {
  const uint8_t* start = element_at(elements, dtype, first);
  if (dtype == Dtype::f32) return start;
  convert(start, dtype, count, scratch, Dtype::f32);
  return scratch;
}

}  // namespace firn
