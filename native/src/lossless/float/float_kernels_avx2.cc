#include "lossless/float/float_kernels.h"
#include "lossless/float/float_passes.h"

namespace firn {

const FloatKernels& float_kernels_avx2(ElementKind kind) { return plain_kernels_of(kind); }

}  // namespace firn
