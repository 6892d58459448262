// The states of 32 lanes in two vectors, one with their high words and one with their low words: nothing needs more than 16 bits a lane.
#include <immintrin.h>

#include <bit>

#include "context/dense_thresholds.h"

namespace firn {
namespace {

// Thresholds are tried so many at a time: changes by one bin or two lie within the first step.
constexpr uint32_t kStep = 4;

struct Found {
  __m512i rank, rest, share;  // `rest` is the slot's place in the share
};

__m512i row(const uint16_t* words) { return _mm512_load_si512(words); }

__m512i add_one(__m512i words, __mmask32 where) { return _mm512_mask_sub_epi16(words, where, words, _mm512_set1_epi16(-1)); }

// Every lane's table may be another. Few symbols are far from the first, so thresholds are tried in order; they ascend, so that a lane below
// one is below all after it.
[[gnu::always_inline]] inline Found find_mixed(const DenseThresholds& thresholds, __m512i tables, __m512i slots) {
  __m512i rank = _mm512_setzero_si512(), least = slots, most = rank;
  __mmask32 reached = 0xFFFFFFFF;
  for (uint32_t k = 1; reached != 0; k += kStep) {
    __m512i d[kStep];
    for (uint32_t step = 0; step < kStep; ++step) {
      d[step] = _mm512_sub_epi16(slots, _mm512_permutexvar_epi16(tables, row(thresholds.thresholds[k + step])));
      reached = _mm512_cmplt_epu16_mask(d[step], slots);
      rank = add_one(rank, reached);
    }
    least = _mm512_min_epu16(least, _mm512_min_epu16(_mm512_min_epu16(d[0], d[1]), _mm512_min_epu16(d[2], d[3])));
    most = _mm512_max_epu16(most, _mm512_max_epu16(_mm512_max_epu16(d[0], d[1]), _mm512_max_epu16(d[2], d[3])));
  }
  return {rank, least, _mm512_sub_epi16(least, most)};
}

// All lanes have the same table.
[[gnu::always_inline]] inline Found find_single(const DenseThresholds& thresholds, uint32_t table, __m512i slots) {
  const auto reached = [&](uint32_t k) {
    return _mm512_cmpge_epu16_mask(slots, _mm512_set1_epi16(static_cast<short>(thresholds.thresholds[k][table])));
  };
  __m512i even = _mm512_setzero_si512(), odd = even;  // two chains of additions
  const uint32_t last = thresholds.last_rank[table];
  for (uint32_t k = 1; k + 1 <= last; k += 2) {
    even = add_one(even, reached(k));
    odd = add_one(odd, reached(k + 1));
  }
  if (last % 2 != 0) even = add_one(even, reached(last));
  const __m512i rank = _mm512_add_epi16(even, odd);
  return {rank, _mm512_sub_epi16(slots, _mm512_permutexvar_epi16(rank, row(thresholds.starts[table]))),
          _mm512_permutexvar_epi16(rank, row(thresholds.shares[table]))};
}

// Words 0, 2, ... and 1, 3, ... of two vectors, and back.
constexpr uint16_t kEven = 0, kOdd = 1;
__m512i every_other_word(__m512i a, __m512i b, uint16_t first) {
  alignas(64) uint16_t order[32];
  for (uint16_t i = 0; i < 32; ++i) order[i] = static_cast<uint16_t>(2 * i + first);
  return _mm512_permutex2var_epi16(a, _mm512_load_si512(order), b);
}
__m512i zip_words(__m512i low, __m512i high, uint16_t from) {
  alignas(64) uint16_t order[32];
  for (uint16_t i = 0; i < 32; ++i) order[i] = static_cast<uint16_t>(from + i / 2 + (i % 2) * 32);
  return _mm512_permutex2var_epi16(low, _mm512_load_si512(order), high);
}

// 32 lanes. Two of them together, when there are 64, wait less for each other's results.
struct Group {
  __m512i low, high;  // words of the states

  static Group load(const uint32_t* states) {
    const __m512i first = _mm512_loadu_si512(states), last = _mm512_loadu_si512(states + 16);
    return {every_other_word(first, last, kEven), every_other_word(first, last, kOdd)};
  }
  void store(uint32_t* states) const {
    _mm512_storeu_si512(states, zip_words(low, high, 0));
    _mm512_storeu_si512(states + 16, zip_words(low, high, 16));
  }

  // Takes a symbol out of every lane; returns the words read.
  [[gnu::always_inline]] size_t take(const DenseThresholds& thresholds, const uint8_t* indexes, const uint8_t* next, uint8_t* symbols) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indexes));
    const __m512i tables = _mm512_cvtepu8_epi16(here);
    const __m256i differ = _mm256_xor_si256(here, _mm256_set1_epi8(static_cast<char>(indexes[0])));
    const Found found = _mm256_testz_si256(differ, differ) ? find_single(thresholds, indexes[0], low) : find_mixed(thresholds, tables, low);

    // share * high + rest, 16 bits at a time; the product has no carry out. A share of 2^16 stands as 0.
    const __m512i zero = _mm512_setzero_si512();
    const __m512i sum = _mm512_add_epi16(_mm512_mullo_epi16(found.share, high), found.rest);
    const __m512i carry = _mm512_min_epu16(_mm512_subs_epu16(found.rest, sum), _mm512_set1_epi16(1));
    const __mmask32 whole = _mm512_cmpeq_epi16_mask(found.share, zero);
    const __m512i upper = _mm512_add_epi16(_mm512_mask_mov_epi16(_mm512_mulhi_epu16(found.share, high), whole, high), carry);
    // States below the minimum read a word each.
    const __mmask32 below = _mm512_testn_epi16_mask(upper, upper);
    high = _mm512_mask_mov_epi16(upper, below, sum);
    low = _mm512_mask_expand_epi16(sum, below, _mm512_loadu_si512(next));

    const __m512i symbol = _mm512_add_epi16(found.rank, _mm512_permutexvar_epi16(tables, row(thresholds.first)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(symbols), _mm512_cvtepi16_epi8(symbol));
    return static_cast<size_t>(std::popcount(static_cast<uint32_t>(below)));
  }
};

template <size_t kGroups>
size_t rounds(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes, uint8_t* symbols) {
  constexpr size_t kRound = kGroups * kDenseLanesMin;
  Group groups[kGroups];
  for (size_t g = 0; g < kGroups; ++g) groups[g] = Group::load(lanes->states + g * kDenseLanesMin);
  const uint8_t* next = lanes->next;
  size_t i = 0;
  for (; i + kRound <= count && static_cast<size_t>(lanes->end - next) >= 2 * kRound; i += kRound) {
    for (size_t g = 0; g < kGroups; ++g) {
      const size_t at = i + g * kDenseLanesMin;
      next += 2 * groups[g].take(thresholds, indexes + at, next, symbols + at);
    }
  }
  for (size_t g = 0; g < kGroups; ++g) groups[g].store(lanes->states + g * kDenseLanesMin);
  lanes->next = next;
  return i;
}

}  // namespace

size_t dense_rounds_vbmi2(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes, uint8_t* symbols) {
  return lanes->lanes == kDenseLanesMin ? rounds<1>(thresholds, indexes, count, lanes, symbols)
                                        : rounds<2>(thresholds, indexes, count, lanes, symbols);
}

}  // namespace firn
