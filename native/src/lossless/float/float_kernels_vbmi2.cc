#include "lossless/float/float_kernels_512.h"

namespace firn {

const FloatKernels& float_kernels_vbmi2(ElementKind kind) { return kernels_512(kind); }

}  // namespace firn
