// The bucket of a value: the top 15 bits of its binary32 pattern (firn/sketch.h).
#pragma once
#include <cstdint>

namespace firn {

inline constexpr uint32_t kKeyShift = 17;             // 32 - 15
inline constexpr uint32_t kSignKey = 1u << 14;        // set in the keys of negative values
inline constexpr uint32_t kMagnitudeKeys = 1u << 14;  // keys without the sign bit
inline constexpr uint32_t kNonFiniteKey = 0x3FC0;  // first magnitude key whose exponent is all ones: infinity and NaN

constexpr uint32_t sketch_key(uint32_t bits) { return bits >> kKeyShift; }

}  // namespace firn
