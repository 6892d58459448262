// The states of 32 lanes in two vectors, one with their high words and one with their low words: nothing needs more
// than 16 bits a lane. Include in one file per instruction set.
#pragma once
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "context/dense/dense_thresholds.h"
#include "simd/words_512.h"

namespace firn::FIRN_ISA {
namespace {

// Thresholds compared at a time: changes by one or two bins lie within the first step.
constexpr uint32_t kStep = 4;
// Tables among which halving is faster.
constexpr uint32_t kHalvedMax = 8;

struct FoundRank {
  __m512i rank, rest, share;  // `rest` is the slot's place in the share
};

__m512i row(const uint16_t* words) { return _mm512_load_si512(words); }

__m512i add_one(__m512i words, __mmask32 where) {
  return _mm512_mask_sub_epi16(words, where, words, _mm512_set1_epi16(-1));
}

// Every lane's table may be another. Few symbols are far from the first, so thresholds are tried in order; they ascend,
// so that a lane below one is below all after it.
[[gnu::always_inline]] inline FoundRank find_mixed(const DenseThresholds& thresholds, __m512i tables, __m512i slots) {
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

// Few tables: thresholds in the order of a binary search over the ranks. Level l has 2^l thresholds per table, kTables
// * 2^l entries in all. The search meets the thresholds directly above and below a slot, from which share and place are
// computed.
template <uint32_t kTables, uint32_t kLevels>
struct Halving {
  static constexpr uint32_t kRow = 32, kRows = std::max<uint32_t>(1, (kTables << (kLevels - 1)) / kRow);
  __m512i levels[kLevels][kRows];

  explicit Halving(const DenseThresholds& thresholds) {
    for (uint32_t level = 0; level < kLevels; ++level) {
      const uint32_t half = 1u << (kLevels - 1 - level);
      alignas(64) uint16_t words[kRows * kRow] = {};
      for (uint32_t i = 0; i < kTables << level; ++i) {
        const uint32_t table = i >> level, rank = (2 * (i & ((1u << level) - 1)) + 1) * half;
        if (table < thresholds.tables) words[i] = thresholds.thresholds[rank][table];
      }
      for (uint32_t r = 0; r < kRows; ++r) levels[level][r] = row(words + r * kRow);
    }
  }

  template <uint32_t kLevel>
  [[gnu::always_inline]] __m512i look_up(__m512i index) const {
    constexpr uint32_t kEntries = kTables << kLevel;
    const auto& rows = levels[kLevel];
    if constexpr (kEntries <= kRow) {
      return _mm512_permutexvar_epi16(index, rows[0]);
    } else {
      const __m512i first = _mm512_permutex2var_epi16(rows[0], index, rows[1]);
      if constexpr (kEntries <= 2 * kRow) return first;
      else
        return _mm512_mask_mov_epi16(first, _mm512_test_epi16_mask(index, _mm512_set1_epi16(2 * kRow)),
                                     _mm512_permutex2var_epi16(rows[2], index, rows[3]));
    }
  }
  template <uint32_t kLevel>
  [[gnu::always_inline]] void narrow(__m512i slots, __m512i index, __m512i least, __m512i most,
                                     FoundRank* found) const {
    if constexpr (kLevel == kLevels) {
      *found = {_mm512_and_si512(index, _mm512_set1_epi16((1 << kLevels) - 1)), least, _mm512_sub_epi16(least, most)};
    } else {
      const __m512i d = _mm512_sub_epi16(slots, look_up<kLevel>(index));
      narrow<kLevel + 1>(slots, add_one(_mm512_add_epi16(index, index), _mm512_cmplt_epu16_mask(d, slots)),
                         _mm512_min_epu16(least, d), _mm512_max_epu16(most, d), found);
    }
  }
  [[gnu::always_inline]] FoundRank find(__m512i tables, __m512i slots) const {
    FoundRank found;
    narrow<0>(slots, tables, slots, slots, &found);
    return found;
  }
};

// One table for all lanes, in registers.
struct Single {
  __m512i before, starts, shares;
  __m512i steps[kContextSymbols / kRankStep - 1];  // the entries of `before` for ranks kRankStep, 2 * kRankStep, ...
  uint32_t step_count;

  Single(const DenseThresholds& thresholds, uint32_t table)
      : before(row(thresholds.before[table])), starts(row(thresholds.starts[table])),
        shares(row(thresholds.shares[table])), step_count(thresholds.last_rank[table] / kRankStep) {
    for (uint32_t step = 0; step < std::size(steps); ++step) {
      steps[step] = _mm512_set1_epi16(static_cast<short>(thresholds.before[table][(step + 1) * kRankStep]));
    }
  }

  [[gnu::always_inline]] FoundRank find(__m512i slots) const {
    __m512i rank = _mm512_setzero_si512();
    for (uint32_t step = 0; step < step_count; ++step) {
      rank =
          _mm512_mask_add_epi16(rank, _mm512_cmpgt_epu16_mask(slots, steps[step]), rank, _mm512_set1_epi16(kRankStep));
    }
    __mmask32 reached[kRankStep];
    for (uint32_t d = 1; d < kRankStep; ++d) {
      const __m512i next = _mm512_add_epi16(rank, _mm512_set1_epi16(static_cast<short>(d)));
      reached[d] = _mm512_cmpgt_epu16_mask(slots, _mm512_permutexvar_epi16(next, before));
    }
    for (uint32_t d = 1; d < kRankStep; ++d) rank = add_one(rank, reached[d]);
    return {rank, _mm512_sub_epi16(slots, _mm512_permutexvar_epi16(rank, starts)),
            _mm512_permutexvar_epi16(rank, shares)};
  }
};

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

  // Take a symbol out of every lane; return the words read.
  [[gnu::always_inline]] size_t take(const DenseThresholds& thresholds, const uint8_t* indexes, const uint8_t* next,
                                     uint8_t* symbols) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indexes));
    const __m512i tables = _mm512_cvtepu8_epi16(here);
    const __m256i differ = _mm256_xor_si256(here, _mm256_set1_epi8(static_cast<char>(indexes[0])));
    const FoundRank found = _mm256_testz_si256(differ, differ) ? Single(thresholds, indexes[0]).find(low)
                                                               : find_mixed(thresholds, tables, low);
    return put(found, _mm512_permutexvar_epi16(tables, row(thresholds.first)), next, symbols);
  }
  template <uint32_t kTables, uint32_t kLevels>
  [[gnu::always_inline]] size_t take(const Halving<kTables, kLevels>& halving, __m512i first, const uint8_t* indexes,
                                     const uint8_t* next, uint8_t* symbols) {
    const __m512i tables = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(indexes)));
    return put(halving.find(tables, low), _mm512_permutexvar_epi16(tables, first), next, symbols);
  }
  [[gnu::always_inline]] size_t take(const Single& single, __m512i first, const uint8_t* next, uint8_t* symbols) {
    return put(single.find(low), first, next, symbols);
  }

 private:
  [[gnu::always_inline]] size_t put(const FoundRank& found, __m512i first, const uint8_t* next, uint8_t* symbols) {
    // share * high + rest, 16 bits at a time; the product has no carry out. A share of 2^16 stands as 0.
    const __m512i zero = _mm512_setzero_si512();
    const __m512i sum = _mm512_add_epi16(_mm512_mullo_epi16(found.share, high), found.rest);
    const __m512i carry = _mm512_min_epu16(_mm512_subs_epu16(found.rest, sum), _mm512_set1_epi16(1));
    const __mmask32 whole = _mm512_cmpeq_epi16_mask(found.share, zero);
    const __m512i upper =
        _mm512_add_epi16(_mm512_mask_mov_epi16(_mm512_mulhi_epu16(found.share, high), whole, high), carry);
    // States below the minimum read a word each.
    const __mmask32 below = _mm512_testn_epi16_mask(upper, upper);
    high = _mm512_mask_mov_epi16(upper, below, sum);
    low = take_words(sum, below, next);

    const __m512i symbol = _mm512_add_epi16(found.rank, first);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(symbols), _mm512_cvtepi16_epi8(symbol));
    return static_cast<size_t>(std::popcount(static_cast<uint32_t>(below)));
  }
};

// take(group, first element, next word) takes a symbol out of every lane of a group and returns the words read.
template <size_t kGroups, typename Take>
size_t rounds(size_t count, LaneDecoder::Window* lanes, Take take) {
  constexpr size_t kRound = kGroups * kDenseLanesMin;
  Group groups[kGroups];
  for (size_t g = 0; g < kGroups; ++g) groups[g] = Group::load(lanes->states + g * kDenseLanesMin);
  const uint8_t* next = lanes->next;
  size_t i = 0;
  for (; i + kRound <= count && static_cast<size_t>(lanes->end - next) >= 2 * kRound; i += kRound) {
    for (size_t g = 0; g < kGroups; ++g) next += 2 * take(groups[g], i + g * kDenseLanesMin, next);
  }
  for (size_t g = 0; g < kGroups; ++g) groups[g].store(lanes->states + g * kDenseLanesMin);
  lanes->next = next;
  return i;
}

template <size_t kGroups, uint32_t kTables, uint32_t kLevels>
size_t halving_rounds(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count,
                      LaneDecoder::Window* lanes, uint8_t* symbols) {
  const Halving<kTables, kLevels> halving(thresholds);
  const __m512i first = row(thresholds.first);
  return rounds<kGroups>(
      count, lanes, [&](Group & group, size_t at, const uint8_t* next) __attribute__((always_inline)) {
        return group.take(halving, first, indexes + at, next, symbols + at);
      });
}

template <size_t kGroups, uint32_t kTables>
size_t halving_rounds(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count,
                      LaneDecoder::Window* lanes, uint8_t* symbols) {
  const uint32_t last_rank = *std::max_element(thresholds.last_rank, thresholds.last_rank + thresholds.tables);
  const auto take = last_rank < 8    ? halving_rounds<kGroups, kTables, 3>
                    : last_rank < 16 ? halving_rounds<kGroups, kTables, 4>
                                     : halving_rounds<kGroups, kTables, 5>;
  return take(thresholds, indexes, count, lanes, symbols);
}

// Whether in some table more than one slot in this many lies beyond the first step of ranks.
bool spread(const DenseThresholds& thresholds) {
  constexpr uint32_t kFew = 64;
  const auto& of_step = thresholds.thresholds[kStep];  // 0 where all slots lie before
  return std::any_of(of_step, of_step + thresholds.tables,
                     [](uint16_t slot) { return slot != 0 && kSlots - slot > kSlots / kFew; });
}

template <size_t kGroups>
size_t rounds_of(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes,
                 uint8_t* symbols) {
  if (indexes && spread(thresholds) && thresholds.tables <= kHalvedMax / 2)
    return halving_rounds<kGroups, kHalvedMax / 2>(thresholds, indexes, count, lanes, symbols);
  if (indexes && spread(thresholds) && thresholds.tables <= kHalvedMax)
    return halving_rounds<kGroups, kHalvedMax>(thresholds, indexes, count, lanes, symbols);
  if (indexes) {
    return rounds<kGroups>(
        count, lanes, [&](Group & group, size_t at, const uint8_t* next) __attribute__((always_inline)) {
          return group.take(thresholds, indexes + at, next, symbols + at);
        });
  }
  const Single single(thresholds, 0);
  const __m512i first = _mm512_set1_epi16(static_cast<short>(thresholds.first[0]));
  return rounds<kGroups>(
      count, lanes, [&](Group & group, size_t at, const uint8_t* next) __attribute__((always_inline)) {
        return group.take(single, first, next, symbols + at);
      });
}

}  // namespace

size_t dense_rounds(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes,
                    uint8_t* symbols) {
  return lanes->lanes == kDenseLanesMin ? rounds_of<1>(thresholds, indexes, count, lanes, symbols)
                                        : rounds_of<2>(thresholds, indexes, count, lanes, symbols);
}

}  // namespace firn::FIRN_ISA
