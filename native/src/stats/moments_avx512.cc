#include "simd/cpu_features.h"

#if FIRN_X86
#include "stats/moments_lanes.h"
#endif
