// Runs code at every instruction set level of the machine, one after another: for tests and fuzz targets, which compare
// the results.
#pragma once
#include "simd/cpu_features.h"

namespace firn {

// Runs `body` at every level this machine has, scalar first, AVX-512 without and with VBMI2, and lifts the limit
// afterwards.
template <typename Body>
void for_each_isa(Body body) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    if (isa > detected_isa()) continue;
    limit_isa(isa, false);
    body();
  }
  limit_isa(Isa::avx512);
  if (active_vbmi2()) body();
}

}  // namespace firn
