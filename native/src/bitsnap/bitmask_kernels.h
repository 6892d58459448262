// Finds the states of a block that differ, as packed bits: one kernel per instruction set, identical results.
#pragma once
#include <cstddef>
#include <cstdint>

namespace firn {

// Writes ceil(count / 8) bytes: bit i % 8 of byte i / 8 says whether state i differs; the bits past the last state are
// zero. Returns the number of differing states. Pointers need no alignment.
using BitmaskKernel = size_t(const uint8_t* current, const uint8_t* previous, size_t count, uint8_t* mask);
namespace scalar {
BitmaskKernel changed_mask;
}
namespace avx2 {
BitmaskKernel changed_mask;
}

}  // namespace firn
