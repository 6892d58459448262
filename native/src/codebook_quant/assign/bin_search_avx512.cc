#include "simd/cpu_features.h"

#if FIRN_X86
#include "codebook_quant/assign/bin_search_lanes.h"
#endif
