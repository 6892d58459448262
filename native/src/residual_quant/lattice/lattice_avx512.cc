#include "simd/cpu_features.h"

#if FIRN_X86
#include "residual_quant/lattice/errors_lanes.h"
#include "residual_quant/lattice/follow_512.h"
#include "residual_quant/lattice/quantize_lanes.h"
#include "residual_quant/lattice/rebuild_lanes.h"

namespace firn::avx512 {

LatticeKernels lattice_kernels() {
  return {lattice_quantize, lattice_contexts, lattice_apply,  lattice_values,
          lattice_elements, lattice_begin,    lattice_follow, lattice_errors};
}

}  // namespace firn::avx512
#endif
