// Splits a block into stretches for the kernels.
#pragma once
#include <algorithm>
#include <cstddef>

#include "common/f32_view.h"
#include "residual_quant/lattice/lattice_kernels.h"

namespace firn {

// Calls body(rule, segment index, first element, count) for stretches of at most kStepElements elements, until it
// returns false. Returns whether it never did.
template <typename Body>
bool for_each_step(LatticeSegments segments, uint32_t dead_zone, Body body) {
  size_t first = 0;
  for (size_t index = 0; index < segments.count; ++index) {
    const LatticeRule rule = lattice_rule(segments.data[index], dead_zone);
    for (size_t left = segments.data[index].count; left > 0;) {
      const size_t step = std::min(left, kStepElements);
      if (!body(rule, index, first, step)) return false;
      first += step;
      left -= step;
    }
  }
  return true;
}

}  // namespace firn
