// How a 16-bit element tells the binary32 one that it was rounded from (docs/format-blocks.md, section 18).
#pragma once
#include <cstdint>

#include "firn/master_weights.h"

namespace firn {

// Bits that rounding cuts from the pattern of a number with its exponent inside the range of both.
constexpr uint32_t cut_bits(MasterKind kind) { return kind == MasterKind::bf16 ? 16 : 13; }

// Whether the pattern of the binary32 element lies near that of the 16-bit one: not of NaN and infinities, nor, of f16,
// of zeros and subnormals, which stand for numbers of many exponents.
constexpr bool is_near(MasterKind kind, uint16_t bits) {
  if (kind == MasterKind::nothing) return false;
  if (kind == MasterKind::bf16) return (bits & 0x7F80u) != 0x7F80u;
  const uint32_t exponent = bits >> 10 & 0x1Fu;
  return exponent != 0 && exponent != 0x1F;
}

// The pattern of the 16-bit element as binary32; it has to be near.
constexpr uint32_t widened(MasterKind kind, uint16_t bits) {
  if (kind == MasterKind::bf16) return static_cast<uint32_t>(bits) << 16;
  return static_cast<uint32_t>(bits & 0x8000u) << 16 | ((static_cast<uint32_t>(bits & 0x7FFFu) << 13) + (112u << 23));
}

// The pattern with these lowest bits that rounds to nearest to the 16-bit element; of a tie the one farther from zero.
constexpr uint32_t unrounded(MasterKind kind, uint32_t wide, uint32_t rest) {
  const uint32_t cut = cut_bits(kind);
  return wide + rest - (rest > (1u << (cut - 1)) ? 1u << cut : 0u);
}

}  // namespace firn
