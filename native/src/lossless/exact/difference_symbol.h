// The difference between an element and the same element of the previous checkpoint, split into a symbol worth
// modelling and low bits that are noise.
//
// d is the difference of the ordered words modulo 2^w, read as a signed number; m = |d|. The symbol holds m's bit
// length, the bit below its leading one, and whether d points the way of the previous value's sign:
//   0 for d = 0; 1 + s for m = 1; 3 + 4 (length - 2) + 2 s + next for longer ones (at most 254).
// s is 1 when the sign of d differs from the sign of the previous value (towards zero), for integers when d < 0.
#pragma once
#include <array>
#include <cstdint>

#include "lossless/exact/element.h"

#include "simd/isa_namespace.h"

namespace firn {
inline namespace FIRN_FOR_ISA {

inline constexpr uint32_t kDifferenceContexts = 32;

// Distance of an exponent below the reference, 0..31. An update of a given size takes about one bit less for each step.
inline uint32_t difference_context(uint32_t exponent, uint32_t reference) {
  const uint32_t below = reference > exponent ? reference - exponent : 0;
  return below < kDifferenceContexts ? below : kDifferenceContexts - 1;
}

struct Difference {
  uint64_t magnitude;  // m
  bool against;        // s; false when m is 0
};

template <typename E>
constexpr Difference difference(typename E::Word now, typename E::Word before) {
  using Word = typename E::Word;
  const Word d = static_cast<Word>(E::to_ordered(now) - E::to_ordered(before));
  const Word negative = E::sign_mask(d), before_negative = E::kFloat ? E::sign_mask(before) : Word{0};
  return {static_cast<Word>((d ^ negative) - negative), static_cast<bool>((d != 0) & (negative != before_negative))};
}

// The inverse. False when no difference of this element kind looks like that: |d| = 2^(w-1) exists for negative d only.
template <typename E>
inline bool apply_difference(Difference difference, typename E::Word before, typename E::Word* now) {
  using Word = typename E::Word;
  const Word before_negative = E::kFloat ? E::sign_mask(before) : Word{0};
  const Word negative = static_cast<Word>((0 - static_cast<Word>(difference.against)) ^ before_negative);
  const Word d = static_cast<Word>((static_cast<Word>(difference.magnitude) ^ negative) - negative);
  *now = E::from_ordered(static_cast<Word>(E::to_ordered(before) + d));
  return difference.magnitude < E::kSign || (difference.magnitude == E::kSign && negative != 0);
}

inline uint32_t bit_length(uint64_t magnitude) {
  return 64 - static_cast<uint32_t>(__builtin_clzll(magnitude | 1)) - (magnitude == 0);
}

// The same formula for every length, because most lengths cannot be predicted: the bit below the leading one of 0 and 1
// counts as 0.
inline uint8_t difference_symbol(Difference difference) {
  constexpr auto kFirst = [] {
    std::array<uint8_t, 65> first{0, 1};
    for (uint32_t length = 2; length < first.size(); ++length)
      first[length] = static_cast<uint8_t>(3 + 4 * (length - 2));
    return first;
  }();
  const uint32_t length = bit_length(difference.magnitude);
  const uint32_t next = static_cast<uint32_t>(difference.magnitude << 1 >> ((length - 1) & 63)) & 1;
  return static_cast<uint8_t>(kFirst[length] + (static_cast<uint32_t>(difference.against) << (length > 1)) + next);
}

// The fields of a symbol, without branches, because symbols cannot be predicted.
struct DifferenceSymbol {
  uint64_t leading;  // magnitude with its open bits zero
  uint8_t low_bits;  // bits the symbol leaves open, 0..62
  bool against;
};

inline constexpr std::array<DifferenceSymbol, 256> kDifferenceSymbols = [] {
  std::array<DifferenceSymbol, 256> symbols{};
  symbols[1] = {1, 0, false};
  symbols[2] = {1, 0, true};
  for (uint32_t symbol = 3; symbol < 255; ++symbol) {
    const uint32_t rest = symbol - 3, low_bits = rest / 4;
    symbols[symbol] = {(2 + uint64_t{rest & 1}) << low_bits, static_cast<uint8_t>(low_bits), (rest & 2) != 0};
  }
  // Not a symbol of any difference: a magnitude that apply_difference refuses.
  symbols[255] = {~uint64_t{0}, 0, false};
  return symbols;
}();

}  // namespace FIRN_FOR_ISA
}  // namespace firn
