// The sketch as in the paper's algorithm 1, one value at a time: the reference for the fast path, and faster for short
// inputs.
#pragma once
#include <cstddef>

#include "firn/sketch.h"

namespace firn {

// Adds `count` binary32 values (any alignment).
void sketch_reference(const void* values, size_t count, Sketch& sketch);

}  // namespace firn
