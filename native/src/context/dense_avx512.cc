#include <immintrin.h>

#include <bit>

#include "context/dense_thresholds.h"

namespace firn {
namespace {

constexpr size_t kVector = 16;

// Lanes of one vector on their way through a round.
struct Lanes {
  __m512i state, slot, symbol, start, end;
};

// Entry `index` of 32 words.
__m512i entries(const uint32_t* words, __m512i index) {
  return _mm512_permutex2var_epi32(_mm512_load_si512(words), index, _mm512_load_si512(words + kVector));
}

// Narrows the interval of the lanes in `active`, whose slots lie at or above `start`. Returns those at or above `next`.
__mmask16 narrow(Lanes& lanes, __mmask16 active, __m512i next) {
  const __mmask16 above = _mm512_mask_cmpge_epi32_mask(active, lanes.slot, next);
  lanes.end = _mm512_mask_mov_epi32(lanes.end, active, next);
  lanes.start = _mm512_mask_mov_epi32(lanes.start, above, next);
  lanes.symbol = _mm512_mask_sub_epi32(lanes.symbol, above, lanes.symbol, _mm512_set1_epi32(-1));
  return above;
}

// Every lane's table may be another. Few symbols are far from 0, so they are tried in order.
void find_mixed(const DenseThresholds& thresholds, __m512i tables0, __m512i tables1, Lanes& a, Lanes& b) {
  __mmask16 active_a = 0xFFFF, active_b = 0xFFFF;
  for (uint32_t k = 1; active_a | active_b; ++k) {
    active_a = narrow(a, active_a, entries(thresholds.starts[k], tables0));
    active_b = narrow(b, active_b, entries(thresholds.starts[k], tables1));
  }
}

// All lanes have the same table.
void find_single(const DenseThresholds& thresholds, uint32_t table, Lanes& a, Lanes& b) {
  __mmask16 active_a = 0xFFFF, active_b = 0xFFFF;
  for (uint32_t k = 1; active_a | active_b; ++k) {
    const __m512i next = _mm512_set1_epi32(static_cast<int>(thresholds.starts[k][table]));
    active_a = narrow(a, active_a, next);
    active_b = narrow(b, active_b, next);
  }
}

Lanes begin(__m512i state) {
  const __m512i zero = _mm512_setzero_si512();
  return {state, _mm512_and_si512(state, _mm512_set1_epi32(kSlots - 1)), zero, zero, zero};
}

// Takes the symbols out of the states and lets those below the minimum read a word each.
const uint8_t* renew(Lanes& lanes, const uint8_t* next) {
  const __m512i rest = _mm512_sub_epi32(lanes.slot, lanes.start);
  const __m512i share = _mm512_sub_epi32(lanes.end, lanes.start);
  const __m512i state = _mm512_add_epi32(_mm512_mullo_epi32(share, _mm512_srli_epi32(lanes.state, kSlotBits)), rest);
  const __mmask16 low = _mm512_cmplt_epu32_mask(state, _mm512_set1_epi32(kStateMin));
  const __m512i words = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(next)));
  const __m512i shifted = _mm512_mask_slli_epi32(state, low, state, 16);
  lanes.state = _mm512_or_si512(shifted, _mm512_maskz_expand_epi32(low, words));
  return next + 2 * std::popcount(static_cast<uint32_t>(low));
}

}  // namespace

size_t dense_rounds_avx512(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes,
                           uint8_t* symbols) {
  __m512i state0 = _mm512_loadu_si512(lanes->states), state1 = _mm512_loadu_si512(lanes->states + kVector);
  const uint8_t* next = lanes->next;
  size_t i = 0;
  for (; i + kLanesMax <= count && static_cast<size_t>(lanes->end - next) >= kDenseWordsBytes; i += kLanesMax) {
    Lanes a = begin(state0), b = begin(state1);
    const __m256i tables = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indexes + i));
    const __mmask32 same = _mm256_cmpeq_epi8_mask(tables, _mm256_broadcastb_epi8(_mm256_castsi256_si128(tables)));
    if (same == 0xFFFFFFFF) {
      find_single(thresholds, indexes[i], a, b);
    } else {
      find_mixed(thresholds, _mm512_cvtepu8_epi32(_mm256_castsi256_si128(tables)), _mm512_cvtepu8_epi32(_mm256_extracti128_si256(tables, 1)),
                 a, b);
    }
    next = renew(a, next);
    next = renew(b, next);
    state0 = a.state;
    state1 = b.state;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(symbols + i), _mm512_cvtepi32_epi8(a.symbol));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(symbols + i + kVector), _mm512_cvtepi32_epi8(b.symbol));
  }
  _mm512_storeu_si512(lanes->states, state0);
  _mm512_storeu_si512(lanes->states + kVector, state1);
  lanes->next = next;
  return i;
}

}  // namespace firn
