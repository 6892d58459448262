// Table look-up kernels behind dequantize(); one set per instruction set, identical results.
#pragma once
#include <cstddef>
#include <cstdint>

namespace firn {

// out[i] = table[levels[i]] for `count` levels. `table` holds 256 words; valid input does not use entries past
// `level_count`. `table` and `out` need no alignment. Returns the largest level seen; 0 when count is 0.
using LookUpKernel = uint8_t(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out);

// For words of 32 and of 16 bits.
namespace scalar {
LookUpKernel look_up32, look_up16;
}
namespace avx2 {
LookUpKernel look_up32;
}
namespace avx512 {
LookUpKernel look_up32, look_up16;
}

}  // namespace firn
