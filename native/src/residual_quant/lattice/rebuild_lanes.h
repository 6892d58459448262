// The kernels of contexts, new states and values, kByteLanes and kLanes elements at a time. Include in one file per
// instruction set.
#pragma once
#include "residual_quant/lattice/activity.h"
#include "residual_quant/lattice/lattice_kernels.h"
#include "simd/vectors.h"

namespace firn::FIRN_ISA {
namespace {

// Added to a context for the direction of the last move, by its sign; the second table is for values below zero.
constexpr uint8_t kDirectionAbove[16] = {0, kMagnitudes, 2 * kMagnitudes, 2 * kMagnitudes};
constexpr uint8_t kDirectionBelow[16] = {0, 2 * kMagnitudes, kMagnitudes, kMagnitudes};

// k' and the change that a symbol adds to it. The change for the escape symbol may be anything that stays in range,
// because its element is computed again.
#ifdef __AVX512F__
class Distances {
 public:
  explicit Distances(const LatticeRule& rule) {
    int32_t table[kLatticeEscape + 1] = {};
    for (int32_t steps = 1; 2 * steps < kLatticeEscape; ++steps) {
      const int32_t distance = steps * rule.step - rule.offsets[(steps < 3 ? steps : 3) - 1];
      table[2 * steps - 1] = -distance;
      table[2 * steps] = distance;
    }
    near_ = load_i32(table);
    far_ = load_i32(table + kLanes);
  }
  I32 moved(I32 k, Mask below, const uint8_t* symbols) const { return add_signed(below, k, of(symbols)); }
  // For k' from zero on; 0 for the escape.
  I32 of(const uint8_t* symbols) const { return {_mm512_permutex2var_epi32(near_.v, widen_bytes(symbols).v, far_.v)}; }
  // Stores all symbols, in order.
  void store_all(int32_t* to) const {
    store(to, near_);
    store(to + kLanes, far_);
  }

 private:
  I32 near_, far_;
};
#else
class Distances {
 public:
  explicit Distances(const LatticeRule& rule)
      : step_(I32::all(rule.step)), offsets_{_mm256_setr_epi32(0, rule.offsets[0], rule.offsets[1], rule.offsets[2], 0,
                                                               0, 0, 0)} {}
  I32 moved(I32 k, Mask below, const uint8_t* symbols) const {
    const I32 symbol = widen_bytes(symbols), steps = shift_right<1>(symbol + I32::all(1));
    const I32 offset{_mm256_permutevar8x32_epi32(offsets_.v, smaller(steps, I32::all(kLatticeOffsets)).v)};
    return add_signed(odd(symbol) ^ below, k, steps * step_ - offset);
  }

 private:
  I32 step_, offsets_;
};
#endif

// The rule of activity.h, for kByteLanes elements.
class ActivityRule {
 public:
  ActivityRule() {
    uint8_t lifted[16];  // by symbol
    for (size_t symbol = 0; symbol < 16; ++symbol) {
      const size_t steps = (symbol + 1) / 2;
      lifted[symbol] = static_cast<uint8_t>(kActivityOfSteps[steps < kStepsMax ? steps : kStepsMax] << kSignBits);
    }
    lift_ = byte_table(lifted);
  }
  // Without moves.
  Bytes of_still(Bytes before) const {
    return minus_saturated(and_not(before, all_bytes((1 << kSignBits) - 1)), all_bytes(kActivityDecay << kSignBits));
  }
  // `below`: values below zero. The sign after an escape is not known here.
  Bytes of(Bytes before, Bytes symbols, ByteMask below) const {
    const Bytes lifted = look_up(lift_, smaller(symbols, all_bytes(15)));
    // An odd symbol moves against the side the value is on.
    const Bytes sign = choose(odd(symbols) ^ below, all_bytes(kSignMinus), all_bytes(kSignPlus));
    return larger(of_still(before), lifted) | clear(equal(symbols, all_bytes(0)), sign);
  }

 private:
  Bytes lift_;
};

// Contexts of kByteLanes elements under one rule.
class ContextRule {
 public:
  // Comparisons of kLanes values each.
  struct Values {
    Mask negative[4], from1[4], from2[4];
  };

  explicit ContextRule(const LatticeRule& rule)
      : class1_from_(I32::all(rule.class1_from)), class2_from_(I32::all(rule.class2_from)),
        above_(byte_table(kDirectionAbove)), below_(byte_table(kDirectionBelow)) {
    uint8_t class_terms[16];
    for (size_t i = 0; i < 16; ++i)
      class_terms[i] = static_cast<uint8_t>(kActivityClass[i] * kDirections * kMagnitudes);
    classes_ = byte_table(class_terms);
  }

  void look_at(I32 k, size_t part, Values& values) const {
    const I32 k_magnitude = magnitude(k);
    values.negative[part] = negative(k);
    values.from1[part] = at_least_unsigned(k_magnitude, class1_from_);
    values.from2[part] = at_least_unsigned(k_magnitude, class2_from_);
  }
  Bytes of(Bytes state, const Values& values) const {
    const Bytes sign = state & all_bytes((1 << kSignBits) - 1);
    const Bytes direction = choose(joined(values.negative), look_up(below_, sign), look_up(above_, sign));
    return activity_term(state) + direction + count_of(values.from1, values.from2);
  }
  // The part of a context that is the class of its activity.
  Bytes activity_term(Bytes state) const { return look_up(classes_, high_halves(state)); }

 private:
  I32 class1_from_, class2_from_;
  Bytes above_, below_, classes_;
};

// Elements [first, first + count), one by one.
bool apply_each(const LatticeRule& rule, SymbolCursor& cursor, const int32_t* values, const uint8_t* activity,
                size_t first, size_t count, int32_t* new_values, uint8_t* new_activity) {
  SymbolCursor here{cursor.symbols + first, cursor.escapes, cursor.escapes_left};
  const bool done =
      scalar::lattice_apply(rule, here, values ? values + first : nullptr, values ? activity + first : nullptr, count,
                            new_values + first, new_activity + first);
  cursor.escapes = here.escapes;
  cursor.escapes_left = here.escapes_left;
  return done;
}

void lattice_contexts(const LatticeRule& rule, const int32_t* values, const uint8_t* activity, size_t count,
                      uint8_t* contexts) {
  const ContextRule context_rule(rule);
  size_t i = 0;
  for (; i + kByteLanes <= count; i += kByteLanes) {
    ContextRule::Values compared;
    for (size_t part = 0; part < 4; ++part) context_rule.look_at(load_i32(values + i + part * kLanes), part, compared);
    store(contexts + i, context_rule.of(load_bytes(activity + i), compared));
  }
  if (i < count) scalar::lattice_contexts(rule, values + i, activity + i, count - i, contexts + i);
}

bool lattice_apply(const LatticeRule& rule, SymbolCursor& cursor, const int32_t* values, const uint8_t* activity,
                   size_t count, int32_t* new_values, uint8_t* new_activity) {
  const Distances distances(rule);
  const ActivityRule next_activity;
  const __m128i shift = _mm_cvtsi32_si128(rule.shift);
  I32 largest_kept = I32::zero(), largest_moved = I32::zero();
  size_t i = 0;
  for (; i + kByteLanes <= count; i += kByteLanes) {
    const Bytes symbols = load_bytes(cursor.symbols + i);
    if (any_above(symbols, kLatticeEscape)) return false;
    Mask below[4];
    for (size_t part = 0; part < 4; ++part) {
      const size_t at = i + part * kLanes;
      const I32 kept = values ? load_i32(values + at) : I32::zero();
      below[part] = negative(kept);
      const I32 moved = distances.moved(kept << shift, below[part], cursor.symbols + at);
      store(new_values + at, moved);
      largest_kept = larger_unsigned(largest_kept, magnitude(kept));
      largest_moved = larger_unsigned(largest_moved, magnitude(moved));
    }
    store(new_activity + i,
          values ? next_activity.of(load_bytes(activity + i), symbols, joined(below)) : all_bytes(kStateAfterBase));
    for (uint64_t escapes = bits(equal(symbols, all_bytes(kLatticeEscape))); escapes != 0; escapes &= escapes - 1) {
      const size_t at = i + static_cast<size_t>(__builtin_ctzll(escapes));
      if (!apply_each(rule, cursor, values, activity, at, 1, new_values, new_activity)) return false;
    }
  }
  if (any_above(largest_kept, rule.kept_max) || any_above(largest_moved, kLatticeValueMax)) return false;
  return apply_each(rule, cursor, values, activity, i, count - i, new_values, new_activity);
}

void lattice_values(const LatticeRule& rule, const int32_t* values, size_t count, void* out) {
  unsigned char* const bytes = static_cast<unsigned char*>(out);
  const F32 scale = F32::all(rule.scale);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(bytes + 4 * i, to_f32(load_i32(values + i)) * scale);
  if (i < count) scalar::lattice_values(rule, values + i, count - i, bytes + 4 * i);
}

bool lattice_elements(const LatticeRule& rule, SymbolCursor& cursor, const int32_t* values, const uint8_t* activity,
                      size_t count, void* out) {
  unsigned char* const bytes = static_cast<unsigned char*>(out);
  const Distances distances(rule);
  const F32 scale = F32::all(rule.scale);
  const __m128i shift = _mm_cvtsi32_si128(rule.shift);
  I32 largest_kept = I32::zero(), largest_moved = I32::zero();
  const auto each = [&](size_t first, size_t end) {
    for (size_t at = first; at < end; ++at) {
      int32_t value;
      uint8_t unused;
      const int32_t* const before = values ? values + at : nullptr;
      SymbolCursor here{cursor.symbols + at, cursor.escapes, cursor.escapes_left};
      if (!scalar::lattice_apply(rule, here, before, values ? activity + at : nullptr, 1, &value, &unused))
        return false;
      cursor.escapes = here.escapes;
      cursor.escapes_left = here.escapes_left;
      scalar::lattice_values(rule, &value, 1, bytes + 4 * at);
    }
    return true;
  };
  size_t i = 0;
  for (; i + kByteLanes <= count; i += kByteLanes) {
    const Bytes symbols = load_bytes(cursor.symbols + i);
    if (any_above(symbols, kLatticeEscape)) return false;
    for (size_t part = 0; part < 4; ++part) {
      const size_t at = i + part * kLanes;
      const I32 kept = values ? load_i32(values + at) : I32::zero();
      const I32 moved = distances.moved(kept << shift, negative(kept), cursor.symbols + at);
      store(bytes + 4 * at, to_f32(moved) * scale);
      largest_kept = larger_unsigned(largest_kept, magnitude(kept));
      largest_moved = larger_unsigned(largest_moved, magnitude(moved));
    }
    for (uint64_t escapes = bits(equal(symbols, all_bytes(kLatticeEscape))); escapes != 0; escapes &= escapes - 1) {
      const size_t at = i + static_cast<size_t>(__builtin_ctzll(escapes));
      if (!each(at, at + 1)) return false;
    }
  }
  if (any_above(largest_kept, rule.kept_max) || any_above(largest_moved, kLatticeValueMax)) return false;
  return each(i, count);
}

}  // namespace
}  // namespace firn::FIRN_ISA
