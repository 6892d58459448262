#include "simd/cpu_features.h"

#if FIRN_X86
#include <cstring>

#include "residual_quant/lattice/errors_lanes.h"
#include "residual_quant/lattice/quantize_lanes.h"
#include "residual_quant/lattice/rebuild_lanes.h"

namespace firn::avx2 {
namespace {

bool lattice_begin(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor, size_t count,
                   int32_t* values, uint8_t* activity, uint8_t* contexts) {
  if (!lattice_apply(rule, cursor, nullptr, nullptr, count, values, activity)) return false;
  lattice_contexts(next, values, activity, count, contexts);
  return true;
}

bool lattice_follow(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor, int32_t* values,
                    uint8_t* activity, size_t count, uint8_t* contexts) {
  int32_t new_values[kStepElements];
  uint8_t new_activity[kStepElements];
  if (!lattice_apply(rule, cursor, values, activity, count, new_values, new_activity)) return false;
  std::memcpy(values, new_values, count * sizeof *values);
  std::memcpy(activity, new_activity, count);
  lattice_contexts(next, values, activity, count, contexts);
  return true;
}

}  // namespace

LatticeKernels lattice_kernels() {
  return {lattice_quantize, lattice_contexts, lattice_apply,  lattice_values,
          lattice_elements, lattice_begin,    lattice_follow, lattice_errors};
}

}  // namespace firn::avx2
#endif
