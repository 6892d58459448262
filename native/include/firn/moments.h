// Sums over weights, from which quantization steps are chosen.
#pragma once
#include <cstddef>

#include "firn/dtype.h"

namespace firn {

// If a sum is not finite, at least one element is not.
struct Moments {
  double sum;
  double squares;
  double magnitude_max;
  double gradient_squares;  // of the finite gradients; 0 without any
};

// Adds up `count` elements in 16 sums over those whose number leaves the same rest, then these in order: the same on
// every machine. `gradients` may be null.
Moments weight_moments(const void* weights, Dtype dtype, const void* gradients, Dtype gradient_dtype, size_t count);

}  // namespace firn
