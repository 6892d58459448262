#include "simd/cpu_features.h"

#if FIRN_X86
#include "residual_quant/gptq/gptq_tile.h"
#endif
