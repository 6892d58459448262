#include "simd/cpu_features.h"
#define FIRN_VECTOR_LANES 8
#include "stats/moments_lanes.h"

#if FIRN_X86
namespace firn {

void weight_lanes_avx512(const void* weights, size_t count, MomentLanes& lanes) { weight_lanes(weights, count, lanes); }

void gradient_lanes_avx512(const void* gradients, size_t count, MomentLanes& lanes) { gradient_lanes(gradients, count, lanes); }

}  // namespace firn
#endif
