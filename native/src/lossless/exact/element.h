// Properties of each element kind for the exact coder: its word, and for floats the place of the exponent.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "common/bytes.h"
#include "firn/lossless.h"

#include "simd/isa_namespace.h"

namespace firn {
inline namespace FIRN_FOR_ISA {

// kExponentShift is the number of mantissa bits, kExponentBits 0 for integers.
template <typename W, bool kIsFloat, uint32_t kShift, uint32_t kBits>
struct Element {
  using Word = W;
  static constexpr bool kFloat = kIsFloat;
  static constexpr uint32_t kExponentShift = kShift;
  static constexpr uint32_t kExponentBits = kBits;
  static constexpr uint32_t kWordBits = 8 * sizeof(W);
  static constexpr Word kSign = static_cast<Word>(Word{1} << (kWordBits - 1));

  // All ones when the top bit is set, else 0. Signs of weights cannot be predicted, so nothing below branches on them.
  static constexpr Word sign_mask(Word word) {
    return static_cast<Word>(0 - static_cast<Word>(word >> (kWordBits - 1)));
  }

  // Maps words to the order of their numbers (negative numbers below positive ones, NaN at both ends), or of unsigned
  // integers. A bijection: the sign bit is flipped, and for negative numbers all others too.
  static constexpr Word to_ordered(Word word) {
    if constexpr (kFloat) return static_cast<Word>(word ^ (sign_mask(word) | kSign));
    return word;
  }
  static constexpr Word from_ordered(Word ordered) {
    if constexpr (kFloat) return static_cast<Word>(ordered ^ (static_cast<Word>(~sign_mask(ordered)) | kSign));
    return ordered;
  }

  // Moves the sign to the lowest bit, so that a float's exponent starts at the top of the word; integers are unchanged.
  // Linear over XOR.
  static constexpr Word to_rotated(Word word) {
    if constexpr (kFloat) return static_cast<Word>(word << 1 | word >> (kWordBits - 1));
    return word;
  }
  static constexpr Word from_rotated(Word rotated) {
    if constexpr (kFloat) return static_cast<Word>(rotated >> 1 | rotated << (kWordBits - 1));
    return rotated;
  }

  // The biased exponent field; 0 for integers.
  static constexpr uint32_t exponent(Word word) {
    if constexpr (kFloat) return static_cast<uint32_t>(word >> kExponentShift) & ((1u << kExponentBits) - 1);
    return 0;
  }
};

using ByteElement = Element<uint8_t, false, 0, 0>;
using F16Element = Element<uint16_t, true, 10, 5>;
using Bf16Element = Element<uint16_t, true, 7, 8>;
using F32Element = Element<uint32_t, true, 23, 8>;
using F64Element = Element<uint64_t, true, 52, 11>;
using Word16Element = Element<uint16_t, false, 0, 0>;
using Word32Element = Element<uint32_t, false, 0, 0>;
using Word64Element = Element<uint64_t, false, 0, 0>;

// Element `index` of a block of little-endian words at any alignment.
template <typename E>
inline typename E::Word word_at(const uint8_t* words, size_t index) {
  return load_le<typename E::Word>(words + index * sizeof(typename E::Word));
}

// Calls visit(E{}) with the Element of `kind`; every branch must give the same type.
template <typename Visit>
auto with_element(ElementKind kind, Visit visit) {
  switch (kind) {
    case ElementKind::bytes: return visit(ByteElement{});
    case ElementKind::f16: return visit(F16Element{});
    case ElementKind::bf16: return visit(Bf16Element{});
    case ElementKind::f32: return visit(F32Element{});
    case ElementKind::f64: return visit(F64Element{});
    case ElementKind::word16: return visit(Word16Element{});
    case ElementKind::word32: return visit(Word32Element{});
    case ElementKind::word64: break;
  }
  return visit(Word64Element{});
}

}  // namespace FIRN_FOR_ISA
}  // namespace firn
