// The kernels begin and follow, each in one pass over sixty-four elements: AVX-512 has the registers for it.
#pragma once
#include <cstring>

#include "residual_quant/lattice/rebuild_lanes.h"

namespace firn::FIRN_ISA {
namespace {

// Magnitude classes of contexts, as they are within them.
class MagnitudeOf {
 public:
  MagnitudeOf() {
    uint8_t rests[16];
    for (size_t i = 0; i < 16; ++i) rests[i] = static_cast<uint8_t>(i % kMagnitudes);
    rests_ = byte_table(rests);
  }
  Bytes operator()(Bytes contexts) const {
    static_assert(16 % kMagnitudes == 1);
    return look_up(rests_, look_up(rests_, contexts & all_bytes(15)) + high_halves(contexts));
  }

 private:
  Bytes rests_;
};

// Data of a follow kernel, changed in place.
struct Following {
  int32_t* values;
  uint8_t *activity, *contexts;
};

// Elements [first, first + count) by way of a state of their own.
bool follow_apart(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor, const Following& at,
                  size_t first, size_t count) {
  int32_t values[kStepElements];
  uint8_t activity[kStepElements];
  SymbolCursor here{cursor.symbols + first, cursor.escapes, cursor.escapes_left};
  if (!lattice_apply(rule, here, at.values + first, at.activity + first, count, values, activity)) return false;
  cursor.escapes = here.escapes;
  cursor.escapes_left = here.escapes_left;
  std::memcpy(at.values + first, values, count * sizeof *values);
  std::memcpy(at.activity + first, activity, count);
  lattice_contexts(next, values, activity, count, at.contexts + first);
  return true;
}

// Elements that move, one by one, in units that stay.
class OneSymbol {
 public:
  OneSymbol(const LatticeRule& rule, const LatticeRule& next) : rule_(rule), next_(next) {}

  // The activity there has decayed already.
  bool follow(SymbolCursor& cursor, size_t i, const Following& at) const {
    uint64_t zigzag = cursor.symbols[i];
    if (zigzag >= kLatticeEscape) {
      if (zigzag > kLatticeEscape || cursor.escapes_left == 0) return false;
      zigzag += *cursor.escapes++;
      --cursor.escapes_left;
    }
    const uint64_t steps = (zigzag + 1) / 2;
    const int64_t distance = static_cast<int64_t>(steps) * rule_.step - rule_.offsets[(steps < 3 ? steps : 3) - 1];
    const int32_t k = at.values[i];
    const bool minus = ((zigzag & 1) != 0) != (k < 0);
    const int64_t value = k + (minus ? -distance : distance), magnitude = value < 0 ? -value : value;
    if (magnitude > kLatticeValueMax) return false;
    const auto lifted = static_cast<uint8_t>(kActivityOfSteps[steps < kStepsMax ? steps : kStepsMax] << kSignBits);
    const uint8_t activity = at.activity[i] > lifted ? at.activity[i] : lifted;
    const uint32_t direction = minus == (value < 0) ? 1 : 2,
                   magnitude_class = (magnitude >= next_.class1_from) + (magnitude >= next_.class2_from);
    at.values[i] = static_cast<int32_t>(value);
    at.activity[i] = activity | (minus ? kSignMinus : kSignPlus);
    at.contexts[i] = static_cast<uint8_t>(
        (kActivityClass[activity >> (kSignBits + 2)] * kDirections + direction) * kMagnitudes + magnitude_class);
    return true;
  }

 private:
  const LatticeRule &rule_, &next_;
};

bool lattice_begin(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor, size_t count,
                   int32_t* values, uint8_t* activity, uint8_t* contexts) {
  // Except for escapes, an element's new value, and with it its context, follows from its symbol. No symbol leads out
  // of range.
  static_assert(int64_t{kLatticeEscape / 2} * kLatticeStepMax + kLatticeStepMax <= kLatticeValueMax);
  const Distances distances(rule);
  alignas(64) int32_t after[2 * kLanes];
  distances.store_all(after);
  uint8_t context_after[2][16], state_after[16];
  std::memset(state_after, kStateAfterBase, sizeof state_after);
  for (size_t half = 0; half < 2; ++half)
    scalar::lattice_contexts(next, after + half * kLanes, state_after, kLanes, context_after[half]);
  const Bytes low = byte_table(context_after[0]), high = byte_table(context_after[1]);
  const auto each = [&](size_t first, size_t end) {
    SymbolCursor here{cursor.symbols + first, cursor.escapes, cursor.escapes_left};
    if (!scalar::lattice_apply(rule, here, nullptr, nullptr, end - first, values + first, activity + first))
      return false;
    cursor.escapes = here.escapes;
    cursor.escapes_left = here.escapes_left;
    scalar::lattice_contexts(next, values + first, activity + first, end - first, contexts + first);
    return true;
  };
  size_t i = 0;
  for (; i + kByteLanes <= count; i += kByteLanes) {
    const Bytes symbols = load_bytes(cursor.symbols + i);
    if (any_above(symbols, kLatticeEscape - 1)) {
      if (!each(i, i + kByteLanes)) return false;
      continue;
    }
    for (size_t at = i; at < i + kByteLanes; at += kLanes) store(values + at, distances.of(cursor.symbols + at));
    store(activity + i, all_bytes(kStateAfterBase));
    const __mmask64 far = _mm512_test_epi8_mask(symbols.v, _mm512_set1_epi8(16));
    const Bytes place = symbols & all_bytes(15);
    store(contexts + i, Bytes{_mm512_mask_shuffle_epi8(look_up(low, place).v, far, high.v, place.v)});
  }
  return each(i, count);
}

bool lattice_follow(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor, int32_t* values,
                    uint8_t* activity, size_t count, uint8_t* contexts) {
  if (rule.shift != 0) return follow_apart(rule, next, cursor, {values, activity, contexts}, 0, count);
  const Distances distances(rule);
  const ActivityRule next_activity;
  const ContextRule next_context(next);
  const MagnitudeOf magnitude_of;
  const OneSymbol one(rule, next);
  const Following at_place{values, activity, contexts};
  // Then only elements that move change the class of their value, and the others' need no look at it.
  const bool same_classes = rule.class1_from == next.class1_from && rule.class2_from == next.class2_from;
  I32 largest_moved = I32::zero();
  size_t i = 0;
  for (; i + kByteLanes <= count; i += kByteLanes) {
    const Bytes symbols = load_bytes(cursor.symbols + i), before = load_bytes(activity + i);
    const uint64_t moving = _cvtmask64_u64(_mm512_test_epi8_mask(symbols.v, symbols.v));
    // Whole vectors pay from this many moves on.
    constexpr int kMany = 2;
    if (_mm_popcnt_u64(moving) < kMany || any_above(symbols, kLatticeEscape - 1)) {
      const Bytes state = next_activity.of_still(before);
      store(activity + i, state);
      if (same_classes) store(contexts + i, next_context.activity_term(state) + magnitude_of(load_bytes(contexts + i)));
      for (uint64_t left = moving; left != 0; left &= left - 1) {
        if (!one.follow(cursor, i + static_cast<size_t>(__builtin_ctzll(left)), at_place)) return false;
      }
      continue;
    }
    Mask below[4];
    ContextRule::Values compared;
    for (size_t part = 0; part < 4; ++part) {
      const size_t at = i + part * kLanes;
      const I32 k = load_i32(values + at);
      below[part] = negative(k);
      const I32 moved = distances.moved(k, below[part], cursor.symbols + at);
      store(values + at, moved);
      largest_moved = larger_unsigned(largest_moved, magnitude(moved));
      next_context.look_at(moved, part, compared);
    }
    const Bytes state = next_activity.of(before, symbols, joined(below));
    store(activity + i, state);
    if (same_classes) store(contexts + i, next_context.of(state, compared));
  }
  if (any_above(largest_moved, kLatticeValueMax)) return false;
  if (!same_classes) lattice_contexts(next, values, activity, i, contexts);
  return follow_apart(rule, next, cursor, at_place, i, count - i);
}

}  // namespace
}  // namespace firn::FIRN_ISA
