// Weights as whole numbers of units.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#include "firn/residual_quant/lattice.h"

namespace firn {

// Element `index` of binary32 values at any alignment.
inline float f32_at(const void* values, size_t index) {
  float value;
  std::memcpy(&value, static_cast<const uint8_t*>(values) + index * sizeof value, sizeof value);
  return value;
}

// weight * units, to nearest, ties to even. Scaling by a power of two is exact, or the result is 0 either way. False
// when it is beyond kLatticeWeightMax or not a number.
inline bool weight_units(float weight, float units, int32_t* x) {
  const float scaled = weight * units;
  if (!(std::fabs(scaled) < static_cast<float>(kLatticeWeightMax + 1))) return false;
  *x = static_cast<int32_t>(std::lrint(scaled));
  return *x <= kLatticeWeightMax && *x >= -kLatticeWeightMax;
}

// The same for any element: bounded by kLatticeValueMax, 0 for NaN.
inline int32_t placed_units(float element, float units) {
  constexpr auto bound = static_cast<float>(kLatticeValueMax);
  const float scaled = element * units;
  if (!(std::fabs(scaled) < bound)) return std::isnan(scaled) ? 0 : scaled < 0 ? -kLatticeValueMax : kLatticeValueMax;
  return static_cast<int32_t>(std::lrint(scaled));
}

}  // namespace firn
