// Coding costs in fixed point, 1/65536 bit. They decide which bytes are stored, so they are integers that are equal on
// every machine.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "common/invariant.h"

namespace firn {

// A number of bits in 1/65536.
using CostBits = uint64_t;
inline constexpr uint32_t kCostFractionBits = 16;
constexpr CostBits whole_bits(uint64_t bits) { return bits << kCostFractionBits; }

inline constexpr uint32_t kCostLogIndexBits = 10;

// log2(1 + i / 2^kCostLogIndexBits) in 1/2^24, bit by bit (Knuth, TAOCP 1.2.2, exercise 25). One entry more than the
// index has values.
inline constexpr std::array<uint32_t, (1u << kCostLogIndexBits) + 1> kCostLogTable = [] {
  std::array<uint32_t, (1u << kCostLogIndexBits) + 1> table{};
  for (uint32_t i = 0; i + 1 < table.size(); ++i) {
    unsigned __int128 x =
        (static_cast<unsigned __int128>(1) << 62) + (static_cast<unsigned __int128>(i) << (62 - kCostLogIndexBits));
    uint32_t fraction = 0;
    for (uint32_t bit = 0; bit < 24; ++bit) {
      x = (x * x) >> 62;
      fraction <<= 1;
      if (x >> 63) {
        fraction |= 1;
        x >>= 1;
      }
    }
    table[i] = fraction;
  }
  table.back() = 1u << 24;
  return table;
}();

// log2(n), n >= 1, interpolated between the table's entries: within 2^-16.
constexpr CostBits cost_log2(uint64_t n) {
  FIRN_INNER_INVARIANT(n >= 1);
  const uint32_t whole = static_cast<uint32_t>(std::bit_width(n)) - 1;
  const uint64_t fraction = (n << (63 - whole)) << 1;  // below the leading one, left-aligned
  const uint32_t index = static_cast<uint32_t>(fraction >> (64 - kCostLogIndexBits));
  const uint64_t rest = (fraction << kCostLogIndexBits) >> 40;  // 24 bits
  const uint64_t low = kCostLogTable[index], step = kCostLogTable[index + 1] - low;
  return whole_bits(whole) + ((low + ((step * rest) >> 24) + (1u << 7)) >> 8);
}

}  // namespace firn
