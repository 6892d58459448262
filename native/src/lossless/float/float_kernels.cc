#include "lossless/float/float_kernels.h"

#include "simd/cpu_features.h"
#include "lossless/float/float_passes.h"

namespace firn {

const FloatKernels& float_kernels(ElementKind kind) {
#if FIRN_X86
  const Isa isa = active_isa();
  if (isa >= Isa::avx512) return active_vbmi2() ? float_kernels_vbmi2(kind) : float_kernels_avx512(kind);
  if (isa >= Isa::avx2) return float_kernels_avx2(kind);
#endif
  return plain_kernels_of(kind);
}

}  // namespace firn
