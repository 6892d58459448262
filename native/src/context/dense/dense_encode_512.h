// Sixteen states at a time, 32 lanes together. Include in one file per instruction set.
#pragma once
#include <immintrin.h>

#include "context/dense/dense_encode.h"
#include "simd/words_512.h"

namespace firn::FIRN_ISA {
namespace {

constexpr size_t kStates = 16, kGroup = 2 * kStates;
// The tokens of 32 elements, 16 bits each.
struct FoundToken {
  __m512i shares, starts;
};

constexpr uint32_t kLookUp = 64;  // tokens that one look-up chooses from

[[gnu::always_inline]] inline __m512i look_up(const uint16_t* tokens, __m512i places) {
  return _mm512_permutex2var_epi16(_mm512_load_si512(tokens), places, _mm512_load_si512(tokens + kLookUp / 2));
}

// Among kLookUps * kLookUp tokens: all are looked up, since a gather takes longer.
template <uint32_t kLookUps>
[[gnu::always_inline]] inline FoundToken find(const DenseTokens& tokens, __m512i places) {
  constexpr unsigned kPlaceBits = 6;
  static_assert(kLookUp == 1u << kPlaceBits);
  const __m512i numbers = _mm512_srli_epi16(places, kPlaceBits);
  FoundToken found{look_up(tokens.shares, places), look_up(tokens.starts, places)};
  for (uint32_t k = 1; k < kLookUps; ++k) {
    const __mmask32 here = _mm512_cmpeq_epi16_mask(numbers, _mm512_set1_epi16(static_cast<short>(k)));
    found.shares = _mm512_mask_mov_epi16(found.shares, here, look_up(tokens.shares + k * kLookUp, places));
    found.starts = _mm512_mask_mov_epi16(found.starts, here, look_up(tokens.starts + k * kLookUp, places));
  }
  return found;
}

[[gnu::always_inline]] inline __m512i words_of(const uint8_t* bytes) {
  return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)));
}
[[gnu::always_inline]] inline __m512i first_half(__m512i words) {
  return _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words));
}
[[gnu::always_inline]] inline __m512i second_half(__m512i words) {
  return _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1));
}

struct Step {
  __m512i before;  // states, whose low words
  __mmask16 full;  // move out where they are full
};

// Pushes a token of share + 1 slots from `start` on onto each of sixteen states: x becomes floor(x / f) * 2^16 + x mod
// f + start, for x < f * 2^16. The error of the quotient of binary32 numbers is less than 2^-5.8, with any
// approximation of the inverse by the machine. Lowered by 2^-5, it is right or one too small.
[[gnu::always_inline]] inline Step push(__m512i share, __m512i start, __m512i* states) {
  const __m512i before = *states, f = _mm512_sub_epi32(share, _mm512_set1_epi32(-1));
  const __mmask16 full = _mm512_cmpgt_epu32_mask(_mm512_srli_epi32(before, 16), share);
  const __m512i x = _mm512_mask_srli_epi32(before, full, before, 16);
  const __m512 divisor = _mm512_cvtepi32_ps(f), rough = _mm512_rcp14_ps(divisor);
  const __m512 inverse = _mm512_mul_ps(rough, _mm512_fnmadd_ps(divisor, rough, _mm512_set1_ps(2)));
  const __m512i quotient =
      _mm512_cvttps_epi32(_mm512_fmsub_ps(_mm512_cvtepu32_ps(x), inverse, _mm512_set1_ps(1.0f / 32)));
  const __m512i rest = _mm512_sub_epi32(x, _mm512_mullo_epi32(quotient, f));
  const __m512i pushed = _mm512_add_epi32(_mm512_slli_epi32(quotient, 16), _mm512_add_epi32(rest, start));
  const __mmask16 below = _mm512_cmpgt_epu32_mask(rest, share);
  *states = _mm512_mask_add_epi32(pushed, below, pushed, _mm512_sub_epi32(_mm512_set1_epi32(1 << 16), f));
  return {before, full};
}

template <uint32_t kLookUps>
uint8_t* encode(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes,
                uint32_t* states, uint8_t* next) {
  __m512i x[kLanesMax / kStates];
  for (size_t v = 0; v < lanes / kStates; ++v) x[v] = _mm512_loadu_si512(states + v * kStates);
  const __m512i uncoded = _mm512_set1_epi16(static_cast<short>(DenseTokens::kUncoded)),
                width = _mm512_set1_epi16(static_cast<short>(tokens.width));
  __mmask32 missing = 0;
  for (size_t i = count; i > 0; i -= lanes) {
    for (size_t group = lanes / kGroup; group-- > 0;) {
      const size_t at = i - lanes + group * kGroup;
      const __m512i symbol = words_of(symbols + at);
      const FoundToken found =
          find<kLookUps>(tokens, _mm512_add_epi16(_mm512_mullo_epi16(words_of(indexes + at), width), symbol));
      missing = _kor_mask32(missing, _mm512_cmpge_epu16_mask(symbol, width));
      missing = _kor_mask32(missing, _mm512_cmpeq_epi16_mask(_mm512_and_si512(found.shares, found.starts), uncoded));
      const Step high = push(second_half(found.shares), second_half(found.starts), &x[2 * group + 1]);
      const Step low = push(first_half(found.shares), first_half(found.starts), &x[2 * group]);
      next = put_low_words_before(next, low.full, low.before, high.full, high.before);
    }
  }
  for (size_t v = 0; v < lanes / kStates; ++v) _mm512_storeu_si512(states + v * kStates, x[v]);
  return missing ? nullptr : next;
}

}  // namespace

uint8_t* dense_encode(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count,
                      uint32_t lanes, uint32_t* states, uint8_t* next) {
  const uint32_t look_ups = (tokens.tables * tokens.width + kLookUp - 1) / kLookUp;
  const auto kernel = look_ups <= 1   ? encode<1>
                      : look_ups == 2 ? encode<2>
                      : look_ups == 3 ? encode<3>
                      : look_ups == 4 ? encode<4>
                      : look_ups <= 8 ? encode<8>
                                      : encode<kDenseEncodeTablesMax * kContextSymbols / kLookUp>;
  return kernel(tokens, indexes, symbols, count, lanes, states, next);
}

}  // namespace firn::FIRN_ISA
