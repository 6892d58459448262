// Contexts, new states and values, eight and thirty-two elements at a time. No inline functions of other headers are called here: the
// linker could keep this file's copy for everybody.
#include "simd/cpu_features.h"
#include "residual_quant/lattice/activity.h"
#include "residual_quant/lattice/lattice_kernels.h"

#if FIRN_X86
#include <immintrin.h>

#include <cstring>

namespace firn {
namespace {

constexpr size_t kLanes = 8, kBytes = 32;

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

void store(void* to, __m256i lanes) { _mm256_storeu_si256(static_cast<__m256i*>(to), lanes); }

// A table of 16 bytes for both halves of _mm256_shuffle_epi8.
__m256i byte_table(const uint8_t (&table)[16]) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
}

// Four times eight numbers of -128..127 as 32 bytes, in element order.
__m256i to_bytes(const __m256i (&parts)[4]) {
  const __m256i shuffled = _mm256_packs_epi16(_mm256_packs_epi32(parts[0], parts[1]), _mm256_packs_epi32(parts[2], parts[3]));
  return _mm256_permutevar8x32_epi32(shuffled, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

__m256i negated_where(__m256i mask, __m256i lanes) { return _mm256_sub_epi32(_mm256_xor_si256(lanes, mask), mask); }

bool exceeds(__m256i lanes, int32_t limit) {
  const __m256i most = _mm256_set1_epi32(limit);
  const __m256i within = _mm256_cmpeq_epi32(_mm256_max_epu32(lanes, most), most);
  return _mm256_movemask_epi8(within) != -1;
}

// What is added for the direction of the last move, by its sign; second for values below zero.
constexpr uint8_t kDirectionAbove[16] = {0, kMagnitudes, 2 * kMagnitudes, 2 * kMagnitudes};
constexpr uint8_t kDirectionBelow[16] = {0, 2 * kMagnitudes, kMagnitudes, kMagnitudes};

// Signed distances by symbol. The escape counts as 16 steps towards zero, which cannot leave the range; its element is done again.
class Distances {
 public:
  explicit Distances(const LatticeRule& rule)
      : step_(_mm256_set1_epi32(rule.step)),
        offsets_(_mm256_setr_epi32(0, rule.offsets[0], rule.offsets[1], rule.offsets[2], 0, 0, 0, 0)) {}
  // Of the eight low bytes; `below`: all ones for values below zero.
  __m256i of(__m128i symbols, __m256i below) const {
    const __m256i one = _mm256_set1_epi32(1), symbol = _mm256_cvtepu8_epi32(symbols);
    const __m256i steps = _mm256_srli_epi32(_mm256_add_epi32(symbol, one), 1);
    const __m256i offset = _mm256_permutevar8x32_epi32(offsets_, _mm256_min_epi32(steps, _mm256_set1_epi32(kLatticeOffsets)));
    const __m256i distance = _mm256_sub_epi32(_mm256_mullo_epi32(steps, step_), offset);
    const __m256i odd = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(symbol, one));
    return negated_where(_mm256_xor_si256(odd, below), distance);
  }

 private:
  __m256i step_, offsets_;
};

// The rule of activity.h, for 32 elements.
class ActivityRule {
 public:
  ActivityRule() {
    uint8_t lifted[16];  // by symbol
    for (size_t symbol = 0; symbol < 16; ++symbol) {
      const size_t steps = (symbol + 1) / 2;
      lifted[symbol] = static_cast<uint8_t>(kActivityOfMove[steps < kStepsMax ? steps : kStepsMax] << kSignBits);
    }
    lift_ = byte_table(lifted);
  }
  // `below`: all ones for values below zero. The sign after an escape is not known here.
  __m256i of(__m256i before, __m256i symbols, __m256i below) const {
    const __m256i one = _mm256_set1_epi8(1);
    const __m256i activity = _mm256_andnot_si256(_mm256_set1_epi8((1 << kSignBits) - 1), before);
    const __m256i decayed = _mm256_subs_epu8(activity, _mm256_set1_epi8(kActivityDecay << kSignBits));
    const __m256i lifted = _mm256_shuffle_epi8(lift_, _mm256_min_epu8(symbols, _mm256_set1_epi8(15)));
    // An odd symbol moves against the side the value is on; plus is 1, minus 2.
    const __m256i minus = _mm256_and_si256(one, _mm256_xor_si256(symbols, below));
    const __m256i still = _mm256_cmpeq_epi8(symbols, _mm256_setzero_si256());
    return _mm256_or_si256(_mm256_max_epu8(decayed, lifted), _mm256_andnot_si256(still, _mm256_add_epi8(one, minus)));
  }

 private:
  __m256i lift_;
};

// Elements [first, first + count), one by one.
bool apply_each(const LatticeRule& rule, LatticeMoves& moves, const int32_t* values, const uint8_t* activity, size_t first, size_t count,
                int32_t* new_values, uint8_t* new_activity) {
  LatticeMoves here{moves.symbols + first, moves.escapes, moves.escapes_left};
  const bool done = lattice_apply_scalar(rule, here, values ? values + first : nullptr, values ? activity + first : nullptr, count,
                                         new_values + first, new_activity + first);
  moves.escapes = here.escapes;
  moves.escapes_left = here.escapes_left;
  return done;
}

}  // namespace

void lattice_contexts_avx2(const LatticeRule& rule, const int32_t* values, const uint8_t* activity, size_t count, uint8_t* contexts) {
  uint8_t class_terms[16];
  for (size_t i = 0; i < 16; ++i) class_terms[i] = static_cast<uint8_t>(kActivityClass[i] * kDirections * kMagnitudes);
  const __m256i classes = byte_table(class_terms), above = byte_table(kDirectionAbove), below = byte_table(kDirectionBelow);
  const __m256i class1_from = _mm256_set1_epi32(rule.class1_from), class2_from = _mm256_set1_epi32(rule.class2_from);
  size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    __m256i negative[4], magnitudes[4];  // magnitude classes as 0, -1, -2
    for (size_t part = 0; part < 4; ++part) {
      const __m256i k = load(values + i + part * kLanes), magnitude = _mm256_abs_epi32(k);
      const __m256i from1 = _mm256_cmpeq_epi32(_mm256_max_epu32(magnitude, class1_from), magnitude);
      const __m256i from2 = _mm256_cmpeq_epi32(_mm256_max_epu32(magnitude, class2_from), magnitude);
      negative[part] = _mm256_srai_epi32(k, 31);
      magnitudes[part] = _mm256_add_epi32(from1, from2);
    }
    const __m256i state = load(activity + i);
    const __m256i sign = _mm256_and_si256(state, _mm256_set1_epi8(3));
    const __m256i rough = _mm256_and_si256(_mm256_srli_epi16(state, 4), _mm256_set1_epi8(15));
    const __m256i direction = _mm256_blendv_epi8(_mm256_shuffle_epi8(above, sign), _mm256_shuffle_epi8(below, sign), to_bytes(negative));
    const __m256i context = _mm256_add_epi8(_mm256_shuffle_epi8(classes, rough), direction);
    store(contexts + i, _mm256_sub_epi8(context, to_bytes(magnitudes)));
  }
  if (i < count) lattice_contexts_scalar(rule, values + i, activity + i, count - i, contexts + i);
}

bool lattice_apply_avx2(const LatticeRule& rule, LatticeMoves& moves, const int32_t* values, const uint8_t* activity, size_t count,
                        int32_t* new_values, uint8_t* new_activity) {
  const Distances distances(rule);
  const ActivityRule next_activity;
  const __m256i escape = _mm256_set1_epi8(kLatticeEscape);
  const __m128i shift = _mm_cvtsi32_si128(rule.shift);
  __m256i largest_kept = _mm256_setzero_si256(), largest = _mm256_setzero_si256();
  size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    const __m256i symbols = load(moves.symbols + i);
    if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(symbols, escape), escape)) != -1) return false;
    __m256i below[4];
    for (size_t part = 0; part < 4; ++part) {
      const size_t at = i + part * kLanes;
      const __m256i kept = values ? load(values + at) : _mm256_setzero_si256(), k = _mm256_sll_epi32(kept, shift);
      below[part] = _mm256_srai_epi32(kept, 31);
      const __m256i distance = distances.of(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(moves.symbols + at)), below[part]);
      const __m256i moved = _mm256_add_epi32(k, distance);
      store(new_values + at, moved);
      largest_kept = _mm256_max_epu32(largest_kept, _mm256_abs_epi32(kept));
      largest = _mm256_max_epu32(largest, _mm256_abs_epi32(moved));
    }
    const __m256i state = values ? next_activity.of(load(activity + i), symbols, to_bytes(below))
                                 : _mm256_set1_epi8(static_cast<char>(kStateAfterBase));
    store(new_activity + i, state);
    unsigned escapes = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(symbols, escape)));
    for (; escapes != 0; escapes &= escapes - 1) {
      const size_t at = i + static_cast<size_t>(__builtin_ctz(escapes));
      if (!apply_each(rule, moves, values, activity, at, 1, new_values, new_activity)) return false;
    }
  }
  if (exceeds(largest_kept, rule.kept_max) || exceeds(largest, kLatticeValueMax)) return false;
  return apply_each(rule, moves, values, activity, i, count - i, new_values, new_activity);
}

void lattice_values_avx2(const LatticeRule& rule, const int32_t* values, size_t count, void* out) {
  unsigned char* bytes = static_cast<unsigned char*>(out);
  const __m256 scale = _mm256_set1_ps(rule.scale);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    _mm256_storeu_ps(reinterpret_cast<float*>(bytes + 4 * i), _mm256_mul_ps(_mm256_cvtepi32_ps(load(values + i)), scale));
  }
  if (i < count) lattice_values_scalar(rule, values + i, count - i, bytes + 4 * i);
}

bool lattice_elements_avx2(const LatticeRule& rule, LatticeMoves& moves, const int32_t* values, const uint8_t* activity, size_t count, void* out) {
  int32_t new_values[kStepElements];
  uint8_t new_activity[kStepElements];
  if (!lattice_apply_avx2(rule, moves, values, activity, count, new_values, new_activity)) return false;
  lattice_values_avx2(rule, new_values, count, out);
  return true;
}

bool lattice_begin_avx2(const LatticeRule& rule, const LatticeRule& next, LatticeMoves& moves, size_t count, int32_t* values, uint8_t* activity,
                          uint8_t* contexts) {
  if (!lattice_apply_avx2(rule, moves, nullptr, nullptr, count, values, activity)) return false;
  lattice_contexts_avx2(next, values, activity, count, contexts);
  return true;
}

bool lattice_follow_avx2(const LatticeRule& rule, const LatticeRule& next, LatticeMoves& moves, int32_t* values, uint8_t* activity, size_t count,
                           uint8_t* contexts) {
  int32_t new_values[kStepElements];
  uint8_t new_activity[kStepElements];
  if (!lattice_apply_avx2(rule, moves, values, activity, count, new_values, new_activity)) return false;
  std::memcpy(values, new_values, count * sizeof *values);
  std::memcpy(activity, new_activity, count);
  lattice_contexts_avx2(next, values, activity, count, contexts);
  return true;
}

}  // namespace firn
#endif
