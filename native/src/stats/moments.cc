#include "firn/moments.h"

#include <algorithm>
#include <iterator>

#include "common/f32_view.h"
#include "simd/cpu_features.h"
#include "stats/moments_kernels.h"

namespace firn {
namespace {

static_assert(kStepElements % kMomentLanes == 0);

struct Kernels {
  WeightLanesKernel* weights;
  GradientLanesKernel* gradients;
};

Kernels kernels() {
#if FIRN_X86
  switch (active_isa()) {
    case Isa::avx512: return {avx512::weight_lanes, avx512::gradient_lanes};
    case Isa::avx2: return {avx2::weight_lanes, avx2::gradient_lanes};
    case Isa::scalar: break;
  }
#endif
  return {scalar::weight_lanes, scalar::gradient_lanes};
}

double total(const double (&lanes)[kMomentLanes]) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

Moments weight_moments(const void* weights, Dtype dtype, const void* gradients, Dtype gradient_dtype, size_t count) {
  const Kernels kernel = kernels();
  MomentLanes lanes{};
  float scratch[kStepElements];
  for (size_t first = 0; first < count; first += kStepElements) {
    const size_t step = std::min(count - first, kStepElements);
    kernel.weights(f32_view(weights, dtype, first, step, scratch), step, lanes);
    if (gradients) kernel.gradients(f32_view(gradients, gradient_dtype, first, step, scratch), step, lanes);
  }
  return {total(lanes.sum), total(lanes.squares),
          *std::max_element(std::begin(lanes.magnitude_max), std::end(lanes.magnitude_max)),
          total(lanes.gradient_squares)};
}

}  // namespace firn
