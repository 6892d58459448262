// Blocks without a previous state: every element of a segment starts at the segment's origin, with the activity of a
// base.
#pragma once
#include <cstdint>

#include "firn/residual_quant/lattice.h"

namespace firn {

// One context a segment; `segments` are valid.
void contexts_at_start(LatticeSegments segments, const int32_t* origins, uint8_t* contexts);

// The start as a state. Null if all origins are zero, which lattice calls treat as a base; else written to `values` and
// `activity`.
LatticeState state_at_start(LatticeSegments segments, const int32_t* origins, int32_t* values, uint8_t* activity);

}  // namespace firn
