// Length of the vectors in kernels with portable vectors: a register of the instruction set that this file is compiled
// for.
#pragma once
#include <cstddef>

#include "simd/isa_namespace.h"

namespace firn {
inline namespace FIRN_FOR_ISA {

#if defined(__AVX512F__)
inline constexpr size_t kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr size_t kVectorBytes = 32;
#else
inline constexpr size_t kVectorBytes = 16;
#endif

}  // namespace FIRN_FOR_ISA
}  // namespace firn
