// The states of sixteen lanes in two vectors, one with their high words and one with their low words: nothing needs
// more than 16 bits a lane.
#include <immintrin.h>

#include <array>
#include <bit>
#include <iterator>

#include "context/dense/dense_thresholds.h"

namespace firn::avx2 {
namespace {

constexpr size_t kVector = 16, kVectors = kDenseLanesMin / kVector;
// Thresholds compared at a time: changes by one or two bins lie within the first step.
constexpr uint32_t kStep = 4;
// Tables that one shuffle can tell apart.
constexpr uint32_t kTablesFew = 16;

// For each set of low lanes among eight, the bytes of the words that they take in order; other lanes get zeros.
using Dealing = std::array<uint8_t, 16>;
constexpr std::array<Dealing, 256> kDealings = [] {
  std::array<Dealing, 256> dealings{};
  for (uint32_t set = 0; set < 256; ++set) {
    uint8_t taken = 0;
    for (uint32_t lane = 0; lane < 8; ++lane) {
      const bool takes = set >> lane & 1;
      dealings[set][2 * lane] = static_cast<uint8_t>(takes ? 2 * taken : 0x80);
      dealings[set][2 * lane + 1] = static_cast<uint8_t>(takes ? 2 * taken + 1 : 0x80);
      taken = static_cast<uint8_t>(taken + takes);
    }
  }
  return dealings;
}();

// Sixteen words of a row, picked by number.
struct Sixteen {
  __m256i low, high;  // bytes of each word

  explicit Sixteen(const uint16_t* words) {
    const __m256i both = _mm256_load_si256(reinterpret_cast<const __m256i*>(words));
    const __m256i lows_highs =
        _mm256_packus_epi16(_mm256_and_si256(both, _mm256_set1_epi16(0xFF)), _mm256_srli_epi16(both, 8));
    low = _mm256_permute4x64_epi64(lows_highs, 0x88);
    high = _mm256_permute4x64_epi64(lows_highs, 0xDD);
  }
  // `index` has a number below 16 in every byte, the same one in both bytes of a word.
  __m256i pick(__m256i index) const {
    const __m256i high_bytes = _mm256_set1_epi16(static_cast<short>(0xFF00));
    return _mm256_blendv_epi8(_mm256_shuffle_epi8(low, index), _mm256_shuffle_epi8(high, index), high_bytes);
  }
};

// Entries of a row of kDenseTablesMax words; the upper half is not looked at when there are few tables.
template <bool kFew>
struct Row {
  Sixteen first, second;

  explicit Row(const uint16_t* words) : first(words), second(kFew ? words : words + kTablesFew) {}
  __m256i pick(__m256i index) const {
    if constexpr (kFew) return first.pick(index);
    const __m256i inside = _mm256_and_si256(index, _mm256_set1_epi8(kTablesFew - 1));
    const __m256i upper = _mm256_slli_epi16(index, 3);  // bit 4 as the sign of each byte
    return _mm256_blendv_epi8(first.pick(inside), second.pick(inside), upper);
  }
};

struct Found {
  __m256i rank = _mm256_setzero_si256(), least, most = _mm256_setzero_si256();  // as in dense_thresholds.h

  // Returns the lanes that reach the threshold, as all ones in theirs.
  [[gnu::always_inline]] __m256i narrow(__m256i slots, __m256i threshold) {
    const __m256i d = _mm256_sub_epi16(slots, threshold), sign = _mm256_set1_epi16(static_cast<short>(0x8000));
    least = _mm256_min_epu16(least, d);
    most = _mm256_max_epu16(most, d);
    const __m256i reached = _mm256_cmpgt_epi16(_mm256_xor_si256(slots, sign), _mm256_xor_si256(d, sign));
    rank = _mm256_sub_epi16(rank, reached);
    return reached;
  }
};

// Every lane's table may be another. Few symbols are far from the first, so thresholds are tried in order; they ascend,
// so that a lane below one is below all after it.
template <bool kFew>
[[gnu::always_inline]] inline void find_mixed(const DenseThresholds& thresholds, const __m256i (&tables)[kVectors],
                                              const __m256i (&slots)[kVectors], Found (&found)[kVectors]) {
  __m256i any = _mm256_set1_epi8(-1);
  for (uint32_t k = 1; !_mm256_testz_si256(any, any); k += kStep) {
    for (uint32_t step = 0; step < kStep; ++step) {
      const Row<kFew> row(thresholds.thresholds[k + step]);
      any = found[0].narrow(slots[0], row.pick(tables[0]));
      any = _mm256_or_si256(any, found[1].narrow(slots[1], row.pick(tables[1])));
    }
  }
}

// One table for all lanes, in registers.
struct Single {
  Row<false> before, starts, shares;
  __m256i steps[kContextSymbols / kRankStep - 1];  // the entries of `before` for ranks kRankStep, 2 * kRankStep, ...
  uint32_t step_count;

  Single(const DenseThresholds& thresholds, uint32_t table)
      : before(thresholds.before[table]), starts(thresholds.starts[table]), shares(thresholds.shares[table]),
        step_count(thresholds.last_rank[table] / kRankStep) {
    for (uint32_t step = 0; step < std::size(steps); ++step) {
      steps[step] = _mm256_set1_epi16(static_cast<short>(thresholds.before[table][(step + 1) * kRankStep]));
    }
  }

  [[gnu::always_inline]] void find(__m256i slots, Found* found) const {
    // -1 in the lanes that have not reached a rank.
    const auto missed = [&](__m256i slot_before) {
      return _mm256_cmpeq_epi16(_mm256_max_epu16(slots, slot_before), slot_before);
    };
    __m256i rank = _mm256_set1_epi16(static_cast<short>(step_count));
    for (uint32_t step = 0; step < step_count; ++step) rank = _mm256_add_epi16(rank, missed(steps[step]));
    rank = _mm256_mullo_epi16(rank, _mm256_set1_epi16(kRankStep * 0x0101));  // in both bytes
    __m256i further = _mm256_set1_epi16(kRankStep - 1);
    for (uint32_t d = 1; d < kRankStep; ++d) {
      const __m256i next = _mm256_add_epi16(rank, _mm256_set1_epi16(static_cast<short>(d * 0x0101)));
      further = _mm256_add_epi16(further, missed(before.pick(next)));
    }
    rank = _mm256_add_epi16(rank, _mm256_or_si256(further, _mm256_slli_epi16(further, 8)));
    found->rank = _mm256_and_si256(rank, _mm256_set1_epi16(0xFF));
    found->least = _mm256_sub_epi16(slots, starts.pick(rank));
    found->most = _mm256_sub_epi16(found->least, shares.pick(rank));
  }
};

struct States {
  __m256i low, high;

  static States load(const uint32_t* states) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(states));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(states + 8));
    const __m256i words = _mm256_set1_epi32(0xFFFF);
    return {_mm256_permute4x64_epi64(_mm256_packus_epi32(_mm256_and_si256(a, words), _mm256_and_si256(b, words)), 0xD8),
            _mm256_permute4x64_epi64(_mm256_packus_epi32(_mm256_srli_epi32(a, 16), _mm256_srli_epi32(b, 16)), 0xD8)};
  }
  void store(uint32_t* states) const {
    const __m256i a = _mm256_unpacklo_epi16(low, high), b = _mm256_unpackhi_epi16(low, high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(states), _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(states + 8), _mm256_permute2x128_si256(a, b, 0x31));
  }

  // Removes symbols from the states; returns the lanes whose states are below the minimum.
  [[gnu::always_inline]] __m256i pop(const Found& found) {
    // share * high + rest, 16 bits at a time; the product has no carry out. A share of 2^16 stands as 0.
    const __m256i share = _mm256_sub_epi16(found.least, found.most), zero = _mm256_setzero_si256();
    const __m256i whole = _mm256_and_si256(_mm256_cmpeq_epi16(share, zero), high);
    low = _mm256_add_epi16(_mm256_mullo_epi16(share, high), found.least);
    const __m256i carry = _mm256_min_epu16(_mm256_subs_epu16(found.least, low), _mm256_set1_epi16(1));
    high = _mm256_add_epi16(_mm256_add_epi16(_mm256_mulhi_epu16(share, high), whole), carry);
    return _mm256_cmpeq_epi16(high, zero);
  }
  void push(__m256i below, __m128i words0, __m128i words8) {
    high = _mm256_blendv_epi8(high, low, below);
    low = _mm256_blendv_epi8(low, _mm256_inserti128_si256(_mm256_castsi128_si256(words0), words8, 1), below);
  }
};

__m128i deal(uint32_t set, const uint8_t* words) {
  const __m128i order = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kDealings[set].data()));
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words)), order);
}

__m256i spread_indexes(const uint8_t* indexes) {
  const __m256i words = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(indexes)));
  return _mm256_or_si256(words, _mm256_slli_epi16(words, 8));
}

// 32 lanes.
template <bool kFew>
struct Group {
  States states[kVectors];

  // Take a symbol out of every lane; return the words read.
  [[gnu::always_inline]] size_t take(const DenseThresholds& thresholds, const uint8_t* indexes, const uint8_t* next,
                                     uint8_t* symbols) {
    const __m256i tables[kVectors] = {spread_indexes(indexes), spread_indexes(indexes + kVector)};
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indexes));
    const __m256i differ = _mm256_xor_si256(here, _mm256_set1_epi8(static_cast<char>(indexes[0])));
    const Row<kFew> first(thresholds.first);
    const __m256i firsts[kVectors] = {first.pick(tables[0]), first.pick(tables[1])};
    if (_mm256_testz_si256(differ, differ)) return take(Single(thresholds, indexes[0]), firsts, next, symbols);
    Found found[kVectors];
    const __m256i slots[kVectors] = {states[0].low, states[1].low};
    found[0].least = slots[0];
    found[1].least = slots[1];
    find_mixed<kFew>(thresholds, tables, slots, found);
    return put(found, firsts, next, symbols);
  }
  [[gnu::always_inline]] size_t take(const Single& single, const __m256i (&firsts)[kVectors], const uint8_t* next,
                                     uint8_t* symbols) {
    Found found[kVectors];
    for (size_t v = 0; v < kVectors; ++v) single.find(states[v].low, &found[v]);
    return put(found, firsts, next, symbols);
  }

 private:
  [[gnu::always_inline]] size_t put(const Found (&found)[kVectors], const __m256i (&firsts)[kVectors],
                                    const uint8_t* next, uint8_t* symbols) {
    const __m256i below0 = states[0].pop(found[0]), below1 = states[1].pop(found[1]);
    // Packing puts lanes 16..23 before lanes 8..15.
    const auto set = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(below0, below1)));
    const uint32_t set0 = set & 0xFF, set16 = set >> 8 & 0xFF, set8 = set >> 16 & 0xFF, set24 = set >> 24;
    const int words8 = std::popcount(set0), words16 = words8 + std::popcount(set8),
              words24 = words16 + std::popcount(set16);
    states[0].push(below0, deal(set0, next), deal(set8, next + 2 * words8));
    states[1].push(below1, deal(set16, next + 2 * words16), deal(set24, next + 2 * words24));

    const __m256i symbols0 = _mm256_add_epi16(found[0].rank, firsts[0]);
    const __m256i symbols1 = _mm256_add_epi16(found[1].rank, firsts[1]);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(symbols0, symbols1), 0xD8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(symbols), packed);
    return static_cast<size_t>(std::popcount(set));
  }
};

// take(group, first element, next word) takes a symbol out of every lane of a group and returns the words read.
template <bool kFew, size_t kGroups, typename Take>
size_t rounds(size_t count, LaneDecoder::Window* lanes, Take take) {
  constexpr size_t kRound = kGroups * kDenseLanesMin;
  Group<kFew> groups[kGroups];
  for (size_t v = 0; v < kGroups * kVectors; ++v)
    groups[v / kVectors].states[v % kVectors] = States::load(lanes->states + v * kVector);
  const uint8_t* next = lanes->next;
  size_t i = 0;
  for (; i + kRound <= count && static_cast<size_t>(lanes->end - next) >= 2 * kRound; i += kRound) {
    for (size_t g = 0; g < kGroups; ++g) next += 2 * take(groups[g], i + g * kDenseLanesMin, next);
  }
  for (size_t v = 0; v < kGroups * kVectors; ++v)
    groups[v / kVectors].states[v % kVectors].store(lanes->states + v * kVector);
  lanes->next = next;
  return i;
}

template <bool kFew, size_t kGroups>
size_t mixed_rounds(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes,
                    uint8_t* symbols) {
  return rounds<kFew, kGroups>(
      count, lanes, [&](Group<kFew> & group, size_t at, const uint8_t* next) __attribute__((always_inline)) {
        return group.take(thresholds, indexes + at, next, symbols + at);
      });
}

template <size_t kGroups>
size_t rounds_of(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes,
                 uint8_t* symbols) {
  if (indexes) {
    return thresholds.tables <= kTablesFew ? mixed_rounds<true, kGroups>(thresholds, indexes, count, lanes, symbols)
                                           : mixed_rounds<false, kGroups>(thresholds, indexes, count, lanes, symbols);
  }
  const Single single(thresholds, 0);
  const __m256i first = _mm256_set1_epi16(static_cast<short>(thresholds.first[0])), firsts[kVectors] = {first, first};
  return rounds<true, kGroups>(
      count, lanes, [&](Group<true> & group, size_t at, const uint8_t* next) __attribute__((always_inline)) {
        return group.take(single, firsts, next, symbols + at);
      });
}

}  // namespace

size_t dense_rounds(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes,
                    uint8_t* symbols) {
  return lanes->lanes == kDenseLanesMin ? rounds_of<1>(thresholds, indexes, count, lanes, symbols)
                                        : rounds_of<2>(thresholds, indexes, count, lanes, symbols);
}

}  // namespace firn::avx2
