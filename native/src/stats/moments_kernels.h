// Kernels of moments over binary32 at any alignment, one an instruction set, identical results.
#pragma once
#include <cstddef>

namespace firn {

// Partial sums before they are added up: lane l has the elements whose number is l modulo 16.
inline constexpr size_t kMomentLanes = 16;
struct MomentLanes {
  double sum[kMomentLanes], squares[kMomentLanes], gradient_squares[kMomentLanes];
  float magnitude_max[kMomentLanes];
};

// Add to `lanes`, the first element to lane 0. NaN never becomes the largest magnitude; the sums show it.
using WeightLanesKernel = void(const void* weights, size_t count, MomentLanes& lanes);

using GradientLanesKernel = void(const void* gradients, size_t count, MomentLanes& lanes);

namespace scalar {
WeightLanesKernel weight_lanes;
GradientLanesKernel gradient_lanes;
}  // namespace scalar
namespace avx2 {
WeightLanesKernel weight_lanes;
GradientLanesKernel gradient_lanes;
}  // namespace avx2
namespace avx512 {
WeightLanesKernel weight_lanes;
GradientLanesKernel gradient_lanes;
}  // namespace avx512

}  // namespace firn
