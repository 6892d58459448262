#include "simd/cpu_features.h"

#if FIRN_X86
#include "lossless/float/float_kernels_512.h"

namespace firn::vbmi2 {

const FloatKernels& float_kernels(ElementKind kind) { return kernels_512(kind); }

}  // namespace firn::vbmi2
#endif
