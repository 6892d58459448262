#include "simd/cpu_features.h"

#if FIRN_X86
#include "lossless/float/float_passes.h"

namespace firn::avx2 {

const FloatKernels& float_kernels(ElementKind kind) { return plain_kernels_of(kind); }

}  // namespace firn::avx2
#endif
