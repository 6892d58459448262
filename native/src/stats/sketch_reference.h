// The sketch as the paper's algorithm 1 states it, one value at a time: the truth the fast path is compared with, and
// the quicker choice for short inputs.
#pragma once
#include <cstddef>

#include "firn/sketch.h"

namespace firn {

// Adds `count` binary32 values (any alignment).
void sketch_reference(const void* values, size_t count, Sketch& sketch);

}  // namespace firn
