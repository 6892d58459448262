#include <immintrin.h>

#include <bit>

#include "context/dense_thresholds.h"

namespace firn {
namespace {

constexpr size_t kVector = 8, kVectors = kLanesMax / kVector;

struct Lanes {
  __m256i state, slot, symbol, start, end;
};

// Entry `index` < 32 of 32 words, from registers when the tables are so few that the lower half holds them.
template <bool kFew>
__m256i entries(const uint32_t* words, __m256i index) {
  if constexpr (!kFew) return _mm256_i32gather_epi32(reinterpret_cast<const int*>(words), index, 4);
  const __m256i low = _mm256_permutevar8x32_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(words)), index);
  const __m256i high = _mm256_permutevar8x32_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(words + kVector)), index);
  const __m256 choose = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));  // bit 3 as the sign
  return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), choose));
}

// Narrows the interval of lanes whose slots lie at or above `next`; `end` becomes `next` while a lane is above the last one.
// `active` and the result are all ones or all zeros in each lane.
__m256i narrow(Lanes& lanes, __m256i active, __m256i next) {
  const __m256i above = _mm256_andnot_si256(_mm256_cmpgt_epi32(next, lanes.slot), active);
  lanes.end = _mm256_blendv_epi8(lanes.end, next, active);
  lanes.start = _mm256_blendv_epi8(lanes.start, next, above);
  lanes.symbol = _mm256_sub_epi32(lanes.symbol, above);
  return above;
}

template <bool kFew>
void find(const DenseThresholds& thresholds, const __m256i (&tables)[kVectors], Lanes (&lanes)[kVectors]) {
  __m256i active[kVectors], any;
  for (__m256i& a : active) a = _mm256_set1_epi32(-1);
  uint32_t k = 1;
  do {
    any = _mm256_setzero_si256();
    for (size_t v = 0; v < kVectors; ++v) {
      active[v] = narrow(lanes[v], active[v], entries<kFew>(thresholds.starts[k], tables[v]));
      any = _mm256_or_si256(any, active[v]);
    }
    ++k;
  } while (!_mm256_testz_si256(any, any));
}

void find_single(const DenseThresholds& thresholds, uint32_t table, Lanes (&lanes)[kVectors]) {
  __m256i active[kVectors], any;
  for (__m256i& a : active) a = _mm256_set1_epi32(-1);
  uint32_t k = 1;
  do {
    any = _mm256_setzero_si256();
    const __m256i next = _mm256_set1_epi32(static_cast<int>(thresholds.starts[k][table]));
    for (size_t v = 0; v < kVectors; ++v) {
      active[v] = narrow(lanes[v], active[v], next);
      any = _mm256_or_si256(any, active[v]);
    }
    ++k;
  } while (!_mm256_testz_si256(any, any));
}

Lanes begin(__m256i state) {
  const __m256i zero = _mm256_setzero_si256();
  return {state, _mm256_and_si256(state, _mm256_set1_epi32(kSlots - 1)), zero, zero, zero};
}

// Takes the symbols out of the states and lets those below the minimum read a word each.
const uint8_t* renew(Lanes& lanes, const uint8_t* next) {
  const __m256i rest = _mm256_sub_epi32(lanes.slot, lanes.start);
  const __m256i share = _mm256_sub_epi32(lanes.end, lanes.start);
  const __m256i state = _mm256_add_epi32(_mm256_mullo_epi32(share, _mm256_srli_epi32(lanes.state, kSlotBits)), rest);
  const __m256i low = _mm256_cmpeq_epi32(_mm256_srli_epi32(state, 16), _mm256_setzero_si256());
  const auto bits = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(low)));
  // Byte k of `ranks` is the number of low lanes before lane k, where lane k is low.
  const uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xFF;
  const __m128i ranks = _mm_cvtsi64_si128(static_cast<int64_t>(_pdep_u64(0x0706050403020100u, bytes)));
  const __m256i words = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(next)));
  const __m256i dealt = _mm256_permutevar8x32_epi32(words, _mm256_cvtepu8_epi32(ranks));
  lanes.state = _mm256_blendv_epi8(state, _mm256_or_si256(_mm256_slli_epi32(state, 16), dealt), low);
  return next + 2 * std::popcount(bits);
}

template <bool kFew>
size_t rounds(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* window, uint8_t* symbols) {
  __m256i states[kVectors];
  for (size_t v = 0; v < kVectors; ++v) states[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(window->states + v * kVector));
  const uint8_t* next = window->next;
  size_t i = 0;
  for (; i + kLanesMax <= count && static_cast<size_t>(window->end - next) >= kDenseWordsBytes; i += kLanesMax) {
    Lanes lanes[kVectors];
    for (size_t v = 0; v < kVectors; ++v) lanes[v] = begin(states[v]);
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indexes + i));
    const __m256i same = _mm256_cmpeq_epi8(all, _mm256_broadcastb_epi8(_mm256_castsi256_si128(all)));
    if (_mm256_movemask_epi8(same) == -1) {
      find_single(thresholds, indexes[i], lanes);
    } else {
      __m256i tables[kVectors];
      for (size_t v = 0; v < kVectors; ++v) {
        tables[v] = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(indexes + i + v * kVector)));
      }
      find<kFew>(thresholds, tables, lanes);
    }
    for (size_t v = 0; v < kVectors; ++v) {
      next = renew(lanes[v], next);
      states[v] = lanes[v].state;
    }
    const __m256i low = _mm256_packs_epi32(lanes[0].symbol, lanes[1].symbol), high = _mm256_packs_epi32(lanes[2].symbol, lanes[3].symbol);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // packing interleaves the halves
    const __m256i packed = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(symbols + i), packed);
  }
  for (size_t v = 0; v < kVectors; ++v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(window->states + v * kVector), states[v]);
  window->next = next;
  return i;
}

}  // namespace

size_t dense_rounds_avx2(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes, uint8_t* symbols) {
  return thresholds.tables <= 2 * kVector ? rounds<true>(thresholds, indexes, count, lanes, symbols)
                                          : rounds<false>(thresholds, indexes, count, lanes, symbols);
}

}  // namespace firn
