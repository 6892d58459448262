// Base-2 logarithm of a mass, without a math library.
#pragma once
#include <bit>
#include <cstdint>

#include "common/fixed_log2.h"
#include "common/invariant.h"

namespace firn {

// log2(n) for a whole number 1 <= n < 2^53, less than 2^-15 off: the table of fixed_log2, straight lines between its
// entries.
inline double mass_bits(double n) {
  FIRN_INNER_INVARIANT(n >= 1 && n < 0x1p53);
  constexpr uint32_t kFractionBits = 52, kBelowBits = kFractionBits - kLog2IndexBits;
  const uint64_t bits = std::bit_cast<uint64_t>(n);
  const uint64_t fraction = bits & ((uint64_t{1} << kFractionBits) - 1);
  const uint32_t index = static_cast<uint32_t>(fraction >> kBelowBits);
  const uint32_t low = kLog2Table[index],
                 high = index + 1 < kLog2Table.size() ? kLog2Table[index + 1] : 1u << kLog2FractionBits;
  const double below = static_cast<double>(fraction & ((uint64_t{1} << kBelowBits) - 1)) *
                       (1.0 / static_cast<double>(uint64_t{1} << kBelowBits));
  const double whole = static_cast<double>(static_cast<int32_t>(bits >> kFractionBits) - 1023);
  return whole + (low + static_cast<double>(high - low) * below) * (1.0 / (1u << kLog2FractionBits));
}

}  // namespace firn
