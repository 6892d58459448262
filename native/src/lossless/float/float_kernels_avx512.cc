#include "simd/cpu_features.h"

#if FIRN_X86
#include "lossless/float/float_kernels_512.h"

namespace firn::avx512 {

const FloatKernels& float_kernels(ElementKind kind) { return kernels_512(kind); }

}  // namespace firn::avx512
#endif
