// Signed numbers as unsigned ones: 0, 1, -1, 2, -2, ... as 0, 1, 2, 3, 4, ...
#pragma once
#include <cstdint>

namespace firn {

constexpr uint32_t to_zigzag(int32_t value) {
  return value > 0 ? 2 * static_cast<uint32_t>(value) - 1 : 2 * (0u - static_cast<uint32_t>(value));
}

constexpr int32_t from_zigzag(uint32_t value) {
  const auto half = static_cast<int32_t>(value / 2);
  return value % 2 != 0 ? half + 1 : -half;
}

}  // namespace firn
