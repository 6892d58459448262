// Base-2 logarithms of integers in fixed point: coding costs must be equal on every machine, because they decide which
// bytes are stored.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/invariant.h"

namespace firn {

inline constexpr uint32_t kLog2FractionBits = 16;
inline constexpr uint32_t kLog2IndexBits = 11;

// log2(1 + i / 2^kLog2IndexBits) in 1/2^kLog2FractionBits, rounded down: bit by bit, squaring (Knuth, TAOCP 1.2.2,
// exercise 25).
inline constexpr std::array<uint32_t, 1u << kLog2IndexBits> kLog2Table = [] {
  std::array<uint32_t, 1u << kLog2IndexBits> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint64_t x = (uint64_t{1} << 30) + (uint64_t{i} << (30 - kLog2IndexBits));  // 1 <= x < 2 in 2.30
    uint32_t fraction = 0;
    for (uint32_t bit = 0; bit < kLog2FractionBits; ++bit) {
      x = (x * x) >> 30;
      fraction <<= 1;
      if (x >> 31) {
        fraction |= 1;
        x >>= 1;
      }
    }
    table[i] = fraction;
  }
  return table;
}();

// log2(n) in 1/2^kLog2FractionBits; n >= 1. The error is below 2^-10.
inline uint32_t fixed_log2(uint32_t n) {
  FIRN_INNER_INVARIANT(n >= 1);
  const uint32_t whole = static_cast<uint32_t>(std::bit_width(n)) - 1;
  const uint32_t index = static_cast<uint32_t>((static_cast<uint64_t>(n) << (32 - whole)) >> (32 - kLog2IndexBits)) &
                         ((1u << kLog2IndexBits) - 1);
  return (whole << kLog2FractionBits) + kLog2Table[index];
}

// Bits, in 1/2^kLog2FractionBits, that an ideal order-0 coder spends on symbols with these counts.
template <size_t kSymbols>
uint64_t entropy_cost(const std::array<uint32_t, kSymbols>& counts) {
  uint64_t total = 0, spent = 0;
  for (const uint32_t count : counts) {
    if (count == 0) continue;
    total += count;
    spent += static_cast<uint64_t>(count) * fixed_log2(count);
  }
  return total == 0 ? 0 : total * fixed_log2(static_cast<uint32_t>(total)) - spent;
}

}  // namespace firn
