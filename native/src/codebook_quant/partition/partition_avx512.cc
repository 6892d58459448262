#include "simd/cpu_features.h"

#if FIRN_X86
#include "codebook_quant/partition/partition_lanes.h"
#endif
