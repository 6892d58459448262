// Operations on 16-bit words: one instruction with AVX-512 VBMI2, several without. For files of either set.
#pragma once
#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "simd/isa_namespace.h"

namespace firn::FIRN_ISA {
namespace {

// Writes the low words of the selected ones of 32 numbers, `first` and then `second`, in order, so that they end at
// `end`. Returns their beginning.
[[gnu::always_inline]] inline uint8_t* put_low_words_before(uint8_t* end, __mmask16 of_first, __m512i first,
                                                            __mmask16 of_second, __m512i second) {
#ifdef __AVX512VBMI2__
  const __m512i words =
      _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(first)), _mm512_cvtepi32_epi16(second), 1);
  const __mmask32 chosen = _mm512_kunpackw(of_second, of_first);
  const auto count = static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(chosen)));
  end -= 2 * count;
  _mm512_mask_storeu_epi16(end, static_cast<__mmask32>((uint64_t{1} << count) - 1),
                           _mm512_maskz_compress_epi16(chosen, words));
#else
  const auto put = [&](__mmask16 chosen, __m512i numbers) {
    const auto count = static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(chosen)));
    end -= 2 * count;
    _mm512_mask_cvtepi32_storeu_epi16(end, static_cast<__mmask16>((1u << count) - 1),
                                      _mm512_maskz_compress_epi32(chosen, numbers));
  };
  put(of_second, second);
  put(of_first, first);
#endif
  return end;
}

// `words`, with the lanes of `chosen` replaced by words from `next`, in order; reads 64 bytes there.
[[gnu::always_inline]] inline __m512i take_words(__m512i words, __mmask32 chosen, const uint8_t* next) {
#ifdef __AVX512VBMI2__
  return _mm512_mask_expand_epi16(words, chosen, _mm512_loadu_si512(next));
#else
  const auto take = [](__mmask16 mask, const uint8_t* from) {
    const __m512i packed = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    return _mm512_cvtepi32_epi16(_mm512_maskz_expand_epi32(mask, packed));
  };
  const auto low = static_cast<__mmask16>(chosen), high = static_cast<__mmask16>(chosen >> 16);
  const __m256i first = take(low, next), second = take(high, next + 2 * std::popcount(static_cast<uint32_t>(low)));
  return _mm512_mask_mov_epi16(words, chosen, _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1));
#endif
}

// Each lane's bits from `places` modulo its length on, of the lane of `low` and, above it, that of `high`.
[[gnu::always_inline]] inline __m512i join_words16(__m512i low, __m512i high, __m512i places) {
#ifdef __AVX512VBMI2__
  return _mm512_shrdv_epi16(low, high, places);
#else
  const __m512i by = _mm512_and_si512(places, _mm512_set1_epi16(15));
  return _mm512_or_si512(_mm512_srlv_epi16(low, by),
                         _mm512_sllv_epi16(high, _mm512_sub_epi16(_mm512_set1_epi16(16), by)));
#endif
}
[[gnu::always_inline]] inline __m512i join_words32(__m512i low, __m512i high, __m512i places) {
#ifdef __AVX512VBMI2__
  return _mm512_shrdv_epi32(low, high, places);
#else
  const __m512i by = _mm512_and_si512(places, _mm512_set1_epi32(31));
  return _mm512_or_si512(_mm512_srlv_epi32(low, by),
                         _mm512_sllv_epi32(high, _mm512_sub_epi32(_mm512_set1_epi32(32), by)));
#endif
}

}  // namespace
}  // namespace firn::FIRN_ISA
