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

}  // namespace firn
