#include "simd/cpu_features.h"

#if FIRN_X86
#include "residual_quant/gptq/feedback_tile.h"
#endif
