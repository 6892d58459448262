// The difference between a float and the same one of the previous checkpoint, as one of a few symbols that a context
// coder can learn and a field of bits that are noise (docs/format-blocks.md, "Context differences").
//
// With d the difference of the ordered words, m = |d|, and s = 1 when d points against the previous value's sign: z = 2
// m + s, or 0 when m is 0. A symbol is a range of z, its field the place in the range; the last symbol's field is the
// word itself.
#pragma once
#include <array>
#include <cstdint>

#include "lossless/exact/element.h"

#include "simd/isa_namespace.h"

namespace firn {
inline namespace FIRN_FOR_ISA {

struct DifferenceField {
  uint32_t base = 0;  // least z
  uint32_t bits = 0;  // of the field
};

// f32: symbol = bit length of m. 16 bits: m up to 3 with its direction; longer ones by length.
template <typename E>
inline constexpr uint32_t kWordSymbol = E::kWordBits == 32 ? 30 : 18;

inline constexpr uint32_t kShortMax = 3;     // of m, in 16 bits
inline constexpr uint32_t kFirstLength = 3;  // of longer ones
inline constexpr uint32_t kFirstLongSymbol = 2 * kShortMax + 1;

template <typename E>
inline constexpr std::array<DifferenceField, 32> kDifferenceFields = [] {
  std::array<DifferenceField, 32> fields{};
  for (uint32_t s = 1; s < kWordSymbol<E>; ++s) {
    if (E::kWordBits == 32) fields[s] = {1u << s, s};
    else if (s < kFirstLongSymbol) fields[s] = {s + 1, 0};
    else {
      const uint32_t bits = kFirstLength + (s - kFirstLongSymbol);
      fields[s] = {1u << bits, bits};
    }
  }
  fields[kWordSymbol<E>] = {0, E::kWordBits};
  return fields;
}();

}  // namespace FIRN_FOR_ISA
}  // namespace firn
