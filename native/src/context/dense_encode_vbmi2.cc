// Sixteen states at a time, 32 lanes together.
#include <immintrin.h>

#include <bit>

#include "context/dense_encode.h"

namespace firn {
namespace {

constexpr size_t kStates = 16, kGroup = 2 * kStates;
constexpr unsigned kSymbolBits = 5;
static_assert(kContextSymbols == 1u << kSymbolBits);

// floor(x / f) for x < f * 2^16, and f at most 2^16. The quotient of binary32 numbers, however a machine approximates the inverse, is less than 2^-6
// off, so the rest tells the right one of three.
struct Divided {
  __m512i quotient, rest;
};

[[gnu::always_inline]] inline Divided divide(__m512i x, __m512i f) {
  const __m512 divisor = _mm512_cvtepi32_ps(f), rough = _mm512_rcp14_ps(divisor);
  const __m512 inverse = _mm512_mul_ps(rough, _mm512_fnmadd_ps(divisor, rough, _mm512_set1_ps(2)));
  __m512i quotient = _mm512_cvttps_epi32(_mm512_mul_ps(_mm512_cvtepu32_ps(x), inverse));
  __m512i rest = _mm512_sub_epi32(x, _mm512_mullo_epi32(quotient, f));
  const __m512i one = _mm512_set1_epi32(1);
  const __mmask16 above = _mm512_movepi32_mask(rest);  // one too many: the rest is below zero
  quotient = _mm512_mask_sub_epi32(quotient, above, quotient, one);
  rest = _mm512_mask_add_epi32(rest, above, rest, f);
  const __mmask16 below = _mm512_cmpge_epu32_mask(rest, f);
  quotient = _mm512_mask_add_epi32(quotient, below, quotient, one);
  return {quotient, _mm512_mask_sub_epi32(rest, below, rest, f)};
}

// The tokens of sixteen elements.
[[gnu::always_inline]] inline __m512i find(const uint32_t* tokens, const uint8_t* indexes, const uint8_t* symbols) {
  const __m512i table = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(indexes)));
  const __m512i symbol = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols)));
  return _mm512_i32gather_epi32(_mm512_or_si512(_mm512_slli_epi32(table, kSymbolBits), symbol), tokens, 4);
}

struct Step {
  __m512i low_words;  // of the states before
  __mmask16 full;     // which of them move out
};

// Pushes a token onto each of sixteen states.
[[gnu::always_inline]] inline Step push(__m512i token, __m512i* states) {
  const __m512i x = *states, f = _mm512_add_epi32(_mm512_and_si512(token, _mm512_set1_epi32(0xFFFF)), _mm512_set1_epi32(1));
  const __mmask16 full = _mm512_cmpge_epu32_mask(_mm512_srli_epi32(x, 16), f);
  const Divided by = divide(_mm512_mask_srli_epi32(x, full, x, 16), f);
  *states = _mm512_add_epi32(_mm512_add_epi32(_mm512_slli_epi32(by.quotient, 16), by.rest), _mm512_srli_epi32(token, 16));
  return {x, full};
}

// The words that 32 lanes move out, before `next` in the order of lanes.
[[gnu::always_inline]] inline uint8_t* write_words(const Step& first, const Step& second, uint8_t* next) {
  const __m512i words = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(first.low_words)), _mm512_cvtepi32_epi16(second.low_words), 1);
  const __mmask32 full = _mm512_kunpackw(second.full, first.full);
  const auto count = static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(full)));
  next -= 2 * count;
  _mm512_mask_storeu_epi16(next, static_cast<__mmask32>((uint64_t{1} << count) - 1), _mm512_maskz_compress_epi16(full, words));
  return next;
}

}  // namespace

uint8_t* dense_encode_vbmi2(const uint32_t* tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes, uint32_t* states,
                            uint8_t* next) {
  __m512i x[kLanesMax / kStates];
  for (size_t v = 0; v < lanes / kStates; ++v) x[v] = _mm512_loadu_si512(states + v * kStates);
  const __m512i uncoded = _mm512_set1_epi32(static_cast<int>(kUncoded));
  __mmask16 missing = 0;
  for (size_t i = count; i > 0; i -= lanes) {
    for (size_t group = lanes / kGroup; group-- > 0;) {
      const size_t at = i - lanes + group * kGroup;
      const __m512i first = find(tokens, indexes + at, symbols + at), second = find(tokens, indexes + at + kStates, symbols + at + kStates);
      missing = _kor_mask16(missing, _kor_mask16(_mm512_cmpeq_epi32_mask(first, uncoded), _mm512_cmpeq_epi32_mask(second, uncoded)));
      const Step high = push(second, &x[2 * group + 1]), low = push(first, &x[2 * group]);
      next = write_words(low, high, next);
    }
  }
  for (size_t v = 0; v < lanes / kStates; ++v) _mm512_storeu_si512(states + v * kStates, x[v]);
  return missing ? nullptr : next;
}

}  // namespace firn
