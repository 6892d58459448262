#include "lossless/float/float_kernels.h"

#include "lossless/float/float_passes.h"
#include "simd/cpu_features.h"

namespace firn {

const FloatKernels& float_kernels(ElementKind kind) {
#if FIRN_X86
  const Isa isa = active_isa();
  if (isa >= Isa::avx512) return active_vbmi2() ? vbmi2::float_kernels(kind) : avx512::float_kernels(kind);
  if (isa >= Isa::avx2) return avx2::float_kernels(kind);
#endif
  return scalar::plain_kernels_of(kind);
}

}  // namespace firn
