#include "simd/cpu_features.h"
#define FIRN_VECTOR_LANES 2
#include "stats/moments_lanes.h"

namespace firn {

void weight_lanes_scalar(const void* weights, size_t count, MomentLanes& lanes) { weight_lanes(weights, count, lanes); }

void gradient_lanes_scalar(const void* gradients, size_t count, MomentLanes& lanes) { gradient_lanes(gradients, count, lanes); }

}  // namespace firn
