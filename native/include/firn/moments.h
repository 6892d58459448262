// Sums over weights that quantization steps are chosen by.
#pragma once
#include <cstddef>

#include "firn/dtype.h"

namespace firn {

// Of elements whose sums are not finite at least one is not.
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
