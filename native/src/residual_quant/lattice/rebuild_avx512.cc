// Contexts, new states and values, sixteen and sixty-four elements at a time. No inline functions of other headers are called here:
// the linker could keep this file's copy for everybody.
#include "simd/cpu_features.h"
#include "residual_quant/lattice/activity.h"
#include "residual_quant/lattice/lattice_kernels.h"

#if FIRN_X86
#include <immintrin.h>

#include <cstring>

namespace firn {
namespace {

constexpr size_t kLanes = 16, kBytes = 64;

__m512i load(const void* from) { return _mm512_loadu_si512(from); }

// A table of 16 bytes for every lane of _mm512_shuffle_epi8.
__m512i byte_table(const uint8_t (&table)[16]) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
}

__mmask64 joined(const __mmask16 (&parts)[4]) {
  return _mm512_kunpackd(_mm512_kunpackw(parts[3], parts[2]), _mm512_kunpackw(parts[1], parts[0]));
}

// What is added for the direction of the last move, by its sign; second for values below zero.
constexpr uint8_t kDirectionAbove[16] = {0, kMagnitudes, 2 * kMagnitudes, 2 * kMagnitudes};
constexpr uint8_t kDirectionBelow[16] = {0, 2 * kMagnitudes, kMagnitudes, kMagnitudes};

// Signed distances by symbol, for k' from zero on; 0 for the escape.
class Distances {
 public:
  explicit Distances(const LatticeRule& rule) {
    int32_t table[kLatticeEscape + 1] = {};
    for (int32_t steps = 1; 2 * steps < kLatticeEscape; ++steps) {
      const int32_t distance = steps * rule.step - rule.offsets[(steps < 3 ? steps : 3) - 1];
      table[2 * steps - 1] = -distance;
      table[2 * steps] = distance;
    }
    near_ = load(table);
    far_ = load(table + kLanes);
  }
  __m512i of(__m128i symbols) const { return _mm512_permutex2var_epi32(near_, _mm512_cvtepu8_epi32(symbols), far_); }
  // Of all symbols, in order.
  void store(int32_t* to) const {
    _mm512_storeu_si512(to, near_);
    _mm512_storeu_si512(to + kLanes, far_);
  }

 private:
  __m512i near_, far_;
};

// The rule of activity.h, for 64 elements.
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
  // Without moves.
  __m512i of_still(__m512i before) const {
    const __m512i activity = _mm512_andnot_si512(_mm512_set1_epi8((1 << kSignBits) - 1), before);
    return _mm512_subs_epu8(activity, _mm512_set1_epi8(kActivityDecay << kSignBits));
  }
  // `below`: values below zero. The sign after an escape is not known here.
  __m512i of(__m512i before, __m512i symbols, __mmask64 below) const {
    const __m512i decayed = of_still(before);
    const __m512i lifted = _mm512_shuffle_epi8(lift_, _mm512_min_epu8(symbols, _mm512_set1_epi8(15)));
    // An odd symbol moves against the side the value is on.
    const __mmask64 moving = _mm512_test_epi8_mask(symbols, symbols), odd = _mm512_test_epi8_mask(symbols, _mm512_set1_epi8(1));
    const __mmask64 minus = _kxor_mask64(odd, below);
    const __m512i sign = _mm512_mask_mov_epi8(_mm512_set1_epi8(kSignPlus), minus, _mm512_set1_epi8(kSignMinus));
    return _mm512_or_si512(_mm512_max_epu8(decayed, lifted), _mm512_maskz_mov_epi8(moving, sign));
  }

 private:
  __m512i lift_;
};

// Contexts of 64 elements under one rule.
class ContextRule {
 public:
  // Comparisons of 16 values each.
  struct Values {
    __mmask16 negative[4], from1[4], from2[4];
  };

  explicit ContextRule(const LatticeRule& rule)
      : class1_from_(_mm512_set1_epi32(rule.class1_from)), class2_from_(_mm512_set1_epi32(rule.class2_from)), above_(byte_table(kDirectionAbove)),
        below_(byte_table(kDirectionBelow)) {
    uint8_t class_terms[16], rests[16];
    for (size_t i = 0; i < 16; ++i) {
      class_terms[i] = static_cast<uint8_t>(kActivityClass[i] * kDirections * kMagnitudes);
      rests[i] = static_cast<uint8_t>(i % kMagnitudes);
    }
    classes_ = byte_table(class_terms);
    rests_ = byte_table(rests);
  }

  void look_at(__m512i k, size_t part, Values& values) const {
    const __m512i magnitude = _mm512_abs_epi32(k);
    values.negative[part] = _mm512_movepi32_mask(k);
    values.from1[part] = _mm512_cmpge_epu32_mask(magnitude, class1_from_);
    values.from2[part] = _mm512_cmpge_epu32_mask(magnitude, class2_from_);
  }
  __m512i of(__m512i state, const Values& values) const {
    const __m512i sign = _mm512_and_si512(state, _mm512_set1_epi8(3)), one = _mm512_set1_epi8(1);
    const __m512i direction = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(above_, sign), joined(values.negative), below_, sign);
    __m512i context = _mm512_add_epi8(activity_term(state), direction);
    context = _mm512_mask_add_epi8(context, joined(values.from1), context, one);
    return _mm512_mask_add_epi8(context, joined(values.from2), context, one);
  }
  // Of elements that did not move, by the contexts that they had under a rule of the same classes of values.
  __m512i of_still(__m512i state, __m512i before) const { return _mm512_add_epi8(activity_term(state), magnitude_of(before)); }

 private:
  __m512i magnitude_of(__m512i contexts) const {
    static_assert(16 % kMagnitudes == 1);
    const __m512i low = _mm512_and_si512(contexts, _mm512_set1_epi8(15)), high = _mm512_and_si512(_mm512_srli_epi16(contexts, 4), _mm512_set1_epi8(15));
    return _mm512_shuffle_epi8(rests_, _mm512_add_epi8(_mm512_shuffle_epi8(rests_, low), high));
  }
  __m512i activity_term(__m512i state) const {
    return _mm512_shuffle_epi8(classes_, _mm512_and_si512(_mm512_srli_epi16(state, 4), _mm512_set1_epi8(15)));
  }

  __m512i class1_from_, class2_from_, above_, below_, classes_, rests_;
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

// What a follow kernel works on, in place.
struct Following {
  int32_t* values;
  uint8_t *activity, *contexts;
};

// Elements [first, first + count) by way of a state of their own.
bool follow_apart(const LatticeRule& rule, const LatticeRule& next, LatticeMoves& moves, const Following& at, size_t first, size_t count) {
  int32_t values[kStepElements];
  uint8_t activity[kStepElements];
  LatticeMoves here{moves.symbols + first, moves.escapes, moves.escapes_left};
  if (!lattice_apply_avx512(rule, here, at.values + first, at.activity + first, count, values, activity)) return false;
  moves.escapes = here.escapes;
  moves.escapes_left = here.escapes_left;
  std::memcpy(at.values + first, values, count * sizeof *values);
  std::memcpy(at.activity + first, activity, count);
  lattice_contexts_avx512(next, values, activity, count, at.contexts + first);
  return true;
}

// Elements that move, one by one, in units that stay.
class OneMove {
 public:
  OneMove(const LatticeRule& rule, const LatticeRule& next) : rule_(rule), next_(next) {}

  // The activity there has decayed already.
  bool follow(LatticeMoves& moves, size_t i, const Following& at) const {
    uint64_t zigzag = moves.symbols[i];
    if (zigzag >= kLatticeEscape) {
      if (zigzag > kLatticeEscape || moves.escapes_left == 0) return false;
      zigzag += *moves.escapes++;
      --moves.escapes_left;
    }
    const uint64_t steps = (zigzag + 1) / 2;
    const int64_t distance = static_cast<int64_t>(steps) * rule_.step - rule_.offsets[(steps < 3 ? steps : 3) - 1];
    const int32_t k = at.values[i];
    const bool minus = ((zigzag & 1) != 0) != (k < 0);
    const int64_t value = k + (minus ? -distance : distance), magnitude = value < 0 ? -value : value;
    if (magnitude > kLatticeValueMax) return false;
    const auto lifted = static_cast<uint8_t>(kActivityOfMove[steps < kStepsMax ? steps : kStepsMax] << kSignBits);
    const uint8_t activity = at.activity[i] > lifted ? at.activity[i] : lifted;
    const uint32_t direction = minus == (value < 0) ? 1 : 2, magnitude_class = (magnitude >= next_.class1_from) + (magnitude >= next_.class2_from);
    at.values[i] = static_cast<int32_t>(value);
    at.activity[i] = activity | (minus ? kSignMinus : kSignPlus);
    at.contexts[i] = static_cast<uint8_t>((kActivityClass[activity >> (kSignBits + 2)] * kDirections + direction) * kMagnitudes + magnitude_class);
    return true;
  }

 private:
  const LatticeRule &rule_, &next_;
};

}  // namespace

void lattice_contexts_avx512(const LatticeRule& rule, const int32_t* values, const uint8_t* activity, size_t count, uint8_t* contexts) {
  const ContextRule context_rule(rule);
  size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    ContextRule::Values compared;
    for (size_t part = 0; part < 4; ++part) context_rule.look_at(load(values + i + part * kLanes), part, compared);
    _mm512_storeu_si512(contexts + i, context_rule.of(load(activity + i), compared));
  }
  if (i < count) lattice_contexts_scalar(rule, values + i, activity + i, count - i, contexts + i);
}

bool lattice_apply_avx512(const LatticeRule& rule, LatticeMoves& moves, const int32_t* values, const uint8_t* activity, size_t count,
                          int32_t* new_values, uint8_t* new_activity) {
  const Distances distances(rule);
  const ActivityRule next_activity;
  const __m512i escape = _mm512_set1_epi8(kLatticeEscape);
  const __m128i shift = _mm_cvtsi32_si128(rule.shift);
  __m512i largest_kept = _mm512_setzero_si512(), largest = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    const __m512i symbols = load(moves.symbols + i);
    if (_mm512_cmpgt_epu8_mask(symbols, escape)) return false;
    __mmask16 below[4];
    for (size_t part = 0; part < 4; ++part) {
      const size_t at = i + part * kLanes;
      const __m512i kept = values ? load(values + at) : _mm512_setzero_si512(), k = _mm512_sll_epi32(kept, shift);
      const __m512i distance = distances.of(_mm_loadu_si128(reinterpret_cast<const __m128i*>(moves.symbols + at)));
      below[part] = _mm512_movepi32_mask(kept);
      const __m512i moved = _mm512_mask_sub_epi32(_mm512_add_epi32(k, distance), below[part], k, distance);
      _mm512_storeu_si512(new_values + at, moved);
      largest_kept = _mm512_max_epu32(largest_kept, _mm512_abs_epi32(kept));
      largest = _mm512_max_epu32(largest, _mm512_abs_epi32(moved));
    }
    const __m512i state = values ? next_activity.of(load(activity + i), symbols, joined(below)) : _mm512_set1_epi8(kStateAfterBase);
    _mm512_storeu_si512(new_activity + i, state);
    for (uint64_t escapes = _mm512_cmpeq_epi8_mask(symbols, escape); escapes != 0; escapes &= escapes - 1) {
      const size_t at = i + static_cast<size_t>(__builtin_ctzll(escapes));
      if (!apply_each(rule, moves, values, activity, at, 1, new_values, new_activity)) return false;
    }
  }
  if (_mm512_reduce_max_epu32(largest_kept) > static_cast<uint32_t>(rule.kept_max)) return false;
  if (_mm512_reduce_max_epu32(largest) > static_cast<uint32_t>(kLatticeValueMax)) return false;
  return apply_each(rule, moves, values, activity, i, count - i, new_values, new_activity);
}

void lattice_values_avx512(const LatticeRule& rule, const int32_t* values, size_t count, void* out) {
  unsigned char* bytes = static_cast<unsigned char*>(out);
  const __m512 scale = _mm512_set1_ps(rule.scale);
  for (size_t i = 0; i < count; i += kLanes) {
    const size_t left = count - i;
    const __mmask16 lanes = left < kLanes ? _cvtu32_mask16((1u << left) - 1) : _cvtu32_mask16(0xFFFF);
    const __m512 k = _mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(lanes, values + i));
    _mm512_mask_storeu_ps(bytes + 4 * i, lanes, _mm512_mul_ps(k, scale));
  }
}

bool lattice_elements_avx512(const LatticeRule& rule, LatticeMoves& moves, const int32_t* values, const uint8_t* activity, size_t count, void* out) {
  unsigned char* const bytes = static_cast<unsigned char*>(out);
  const Distances distances(rule);
  const __m512 scale = _mm512_set1_ps(rule.scale);
  const __m512i escape = _mm512_set1_epi8(kLatticeEscape);
  const __m128i shift = _mm_cvtsi32_si128(rule.shift);
  __m512i largest_kept = _mm512_setzero_si512(), largest = _mm512_setzero_si512();
  const auto each = [&](size_t first, size_t end) {
    for (size_t at = first; at < end; ++at) {
      int32_t value;
      uint8_t unused;
      const int32_t* const before = values ? values + at : nullptr;
      LatticeMoves here{moves.symbols + at, moves.escapes, moves.escapes_left};
      if (!lattice_apply_scalar(rule, here, before, values ? activity + at : nullptr, 1, &value, &unused)) return false;
      moves.escapes = here.escapes;
      moves.escapes_left = here.escapes_left;
      lattice_values_scalar(rule, &value, 1, bytes + 4 * at);
    }
    return true;
  };
  size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    const __m512i symbols = load(moves.symbols + i);
    if (_mm512_cmpgt_epu8_mask(symbols, escape)) return false;
    for (size_t part = 0; part < 4; ++part) {
      const size_t at = i + part * kLanes;
      const __m512i kept = values ? load(values + at) : _mm512_setzero_si512(), k = _mm512_sll_epi32(kept, shift);
      const __m512i distance = distances.of(_mm_loadu_si128(reinterpret_cast<const __m128i*>(moves.symbols + at)));
      const __m512i moved = _mm512_mask_sub_epi32(_mm512_add_epi32(k, distance), _mm512_movepi32_mask(kept), k, distance);
      _mm512_storeu_ps(bytes + 4 * at, _mm512_mul_ps(_mm512_cvtepi32_ps(moved), scale));
      largest_kept = _mm512_max_epu32(largest_kept, _mm512_abs_epi32(kept));
      largest = _mm512_max_epu32(largest, _mm512_abs_epi32(moved));
    }
    for (uint64_t escapes = _mm512_cmpeq_epi8_mask(symbols, escape); escapes != 0; escapes &= escapes - 1) {
      const size_t at = i + static_cast<size_t>(__builtin_ctzll(escapes));
      if (!each(at, at + 1)) return false;
    }
  }
  if (_mm512_reduce_max_epu32(largest_kept) > static_cast<uint32_t>(rule.kept_max)) return false;
  if (_mm512_reduce_max_epu32(largest) > static_cast<uint32_t>(kLatticeValueMax)) return false;
  return each(i, count);
}

bool lattice_begin_avx512(const LatticeRule& rule, const LatticeRule& next, LatticeMoves& moves, size_t count, int32_t* values, uint8_t* activity,
                          uint8_t* contexts) {
  // Where an element comes to be, and with that its context, follows from its symbol, but for escapes. No symbol leads out of range.
  static_assert(int64_t{kLatticeEscape / 2} * kLatticeStepMax + kLatticeStepMax <= kLatticeValueMax);
  const Distances distances(rule);
  alignas(64) int32_t after[2 * kLanes];
  distances.store(after);
  uint8_t context_after[2][16], state_after[16];
  std::memset(state_after, kStateAfterBase, sizeof state_after);
  for (size_t half = 0; half < 2; ++half) lattice_contexts_scalar(next, after + half * kLanes, state_after, kLanes, context_after[half]);
  const __m512i low = byte_table(context_after[0]), high = byte_table(context_after[1]), escape = _mm512_set1_epi8(kLatticeEscape);
  const auto each = [&](size_t first, size_t end) {
    LatticeMoves here{moves.symbols + first, moves.escapes, moves.escapes_left};
    if (!lattice_apply_scalar(rule, here, nullptr, nullptr, end - first, values + first, activity + first)) return false;
    moves.escapes = here.escapes;
    moves.escapes_left = here.escapes_left;
    lattice_contexts_scalar(next, values + first, activity + first, end - first, contexts + first);
    return true;
  };
  size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    const __m512i symbols = load(moves.symbols + i);
    if (_mm512_cmpge_epu8_mask(symbols, escape)) {
      if (!each(i, i + kBytes)) return false;
      continue;
    }
    for (size_t at = i; at < i + kBytes; at += kLanes) {
      _mm512_storeu_si512(values + at, distances.of(_mm_loadu_si128(reinterpret_cast<const __m128i*>(moves.symbols + at))));
    }
    _mm512_storeu_si512(activity + i, _mm512_set1_epi8(static_cast<char>(kStateAfterBase)));
    const __mmask64 far = _mm512_test_epi8_mask(symbols, _mm512_set1_epi8(16));
    const __m512i place = _mm512_and_si512(symbols, _mm512_set1_epi8(15));
    _mm512_storeu_si512(contexts + i, _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(low, place), far, high, place));
  }
  return each(i, count);
}

bool lattice_follow_avx512(const LatticeRule& rule, const LatticeRule& next, LatticeMoves& moves, int32_t* values, uint8_t* activity, size_t count,
                           uint8_t* contexts) {
  if (rule.shift != 0) return follow_apart(rule, next, moves, {values, activity, contexts}, 0, count);
  const Distances distances(rule);
  const ActivityRule next_activity;
  const ContextRule next_context(next);
  const OneMove one(rule, next);
  const Following at_place{values, activity, contexts};
  // Then only elements that move change the class of their value, and the others' need no look at it.
  const bool same_classes = rule.class1_from == next.class1_from && rule.class2_from == next.class2_from;
  const __m512i escape = _mm512_set1_epi8(kLatticeEscape);
  __m512i largest = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    const __m512i symbols = load(moves.symbols + i), before = load(activity + i);
    const uint64_t moving = _cvtmask64_u64(_mm512_test_epi8_mask(symbols, symbols));
    // Whole vectors pay from so many moves on.
    constexpr int kMany = 2;
    if (_mm_popcnt_u64(moving) < kMany || _mm512_cmpge_epu8_mask(symbols, escape)) {
      const __m512i state = next_activity.of_still(before);
      _mm512_storeu_si512(activity + i, state);
      if (same_classes) _mm512_storeu_si512(contexts + i, next_context.of_still(state, load(contexts + i)));
      for (uint64_t left = moving; left != 0; left &= left - 1) {
        if (!one.follow(moves, i + static_cast<size_t>(__builtin_ctzll(left)), at_place)) return false;
      }
      continue;
    }
    __mmask16 below[4];
    ContextRule::Values compared;
    for (size_t part = 0; part < 4; ++part) {
      const size_t at = i + part * kLanes;
      const __m512i k = load(values + at), distance = distances.of(_mm_loadu_si128(reinterpret_cast<const __m128i*>(moves.symbols + at)));
      below[part] = _mm512_movepi32_mask(k);
      const __m512i moved = _mm512_mask_sub_epi32(_mm512_add_epi32(k, distance), below[part], k, distance);
      _mm512_storeu_si512(values + at, moved);
      largest = _mm512_max_epu32(largest, _mm512_abs_epi32(moved));
      next_context.look_at(moved, part, compared);
    }
    const __m512i state = next_activity.of(before, symbols, joined(below));
    _mm512_storeu_si512(activity + i, state);
    if (same_classes) _mm512_storeu_si512(contexts + i, next_context.of(state, compared));
  }
  if (_mm512_reduce_max_epu32(largest) > static_cast<uint32_t>(kLatticeValueMax)) return false;
  if (!same_classes) lattice_contexts_avx512(next, values, activity, i, contexts);
  return follow_apart(rule, next, moves, at_place, i, count - i);
}

}  // namespace firn
#endif
