// The quantize kernel, kLanes weights at a time. Include in one file per instruction set.
#pragma once
#include <cstring>

#include "common/invariant.h"
#include "residual_quant/lattice/lattice_kernels.h"
#include "simd/vectors.h"

namespace firn::FIRN_ISA {
namespace {

// Sums of one class of symbols. 32 bits hold kStepElements / 8 terms a lane: residuals are at most 2^16, weights below
// 2^22.
struct ClassSum {
  MaskCount counts;
  I32 residuals = I32::zero(), signed_sums = I32::zero();
  void add(Mask which, I32 residual, I32 signed_x) {
    counts.add(which);
    residuals = add_where(which, residuals, residual);
    signed_sums = add_where(which, signed_sums, signed_x);
  }
};

class Quantizer {
 public:
  explicit Quantizer(const LatticeRule& rule)
      : units_(F32::all(rule.units)), step_(I32::all(rule.step)), step_f32_(to_f32(step_)),
        half_(I32::all(rule.step / 2)), dead_(I32::all(rule.dead)), shift_(_mm_cvtsi32_si128(rule.shift)) {}

  // `contexts` and `symbols`: of these elements. `dead` as in LatticePricing; null without rates.
  void step(F32 weights, I32 kept, const int32_t* dead, const uint8_t* contexts, uint8_t* symbols,
            LatticeSymbols& out) {
    const I32 x = to_nearest(weights * units_), k = kept << shift_;
    const I32 difference = x - k, distance = magnitude(difference);
    const Mask minus = negative(difference), against = minus ^ negative(k);
    const Mask moves = at_least(distance, dead ? zones(dead, contexts, against) : dead_);
    const I32 quotient = truncated(to_f32(distance + half_) / step_f32_);
    const I32 steps = keep(moves, larger(quotient, I32::all(1)));
    const I32 moved = steps * step_;
    const I32 zigzag = decrement(moves & against, shift_left<1>(steps));
    const I32 escape = I32::all(kLatticeEscape), symbol = smaller(zigzag, escape);
    store_as_bytes(symbols, symbol);
    out.escape_count += store_where(out.escapes + out.escape_count, equal(symbol, escape), zigzag - escape);

    largest_x_ = larger_unsigned(largest_x_, magnitude(x));
    largest_kept_ = larger_unsigned(largest_kept_, magnitude(kept));
    squares_.add(x, x);
    products_.add(x, add_signed(minus, k, moved));
    const I32 residual = distance - moved, signed_x = negate(minus, x);
    classes_[0].add(equal(steps, I32::all(1)), residual, signed_x);
    classes_[1].add(equal(steps, I32::all(2)), residual, signed_x);
    classes_[2].add(greater(steps, I32::all(2)), residual, signed_x);
  }

  bool in_range(const LatticeRule& rule) const {
    return !any_above(largest_x_, kLatticeWeightMax) && !any_above(largest_kept_, rule.kept_max);
  }

  // Only when in_range: sums of what is out of range may have overflowed.
  void add_to(LatticeStatistics& statistics) const {
    statistics.squares += squares_.total();
    statistics.products += products_.total();
    for (size_t j = 0; j < kLatticeOffsets; ++j) {
      statistics.counts[j] += classes_[j].counts.value();
      statistics.residuals[j] += total(classes_[j].residuals);
      statistics.signed_sums[j] += total(classes_[j].signed_sums);
    }
  }

 private:
  // The dead zones of elements, of which those in `against` would move inwards.
  static I32 zones(const int32_t* dead, const uint8_t* contexts, Mask against) {
    return gather(dead, increment(against, shift_left<1>(widen_bytes(contexts))));
  }

  F32 units_;
  I32 step_;
  F32 step_f32_;
  I32 half_, dead_;
  __m128i shift_;
  // Of magnitudes, as unsigned numbers: what is out of range or not a number converts to 2^31.
  I32 largest_x_ = I32::zero(), largest_kept_ = I32::zero();
  ProductSum squares_, products_;
  ClassSum classes_[kLatticeOffsets];
};

bool lattice_quantize(const LatticeRule& rule, const void* weights, const int32_t* values,
                      const LatticePricing* pricing, size_t count, LatticeSymbols& out, LatticeStatistics& statistics) {
  FIRN_INVARIANT(count <= kStepElements && rule.dead >= 1);
  const unsigned char* const w = static_cast<const unsigned char*>(weights);
  const int32_t* const dead = pricing ? pricing->dead : nullptr;
  const uint8_t* const contexts = pricing ? pricing->contexts : nullptr;
  Quantizer quantizer(rule);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    quantizer.step(load_f32(w + 4 * i), values ? load_i32(values + i) : I32::zero(), dead,
                   contexts + (contexts ? i : 0), out.symbols + i, out);
  }
  if (i < count) {
    // Weights of 0 beside values of 0 stay: they add to no sum but `largest`, and to that nothing.
    float last_weights[kLanes] = {};
    int32_t last_values[kLanes] = {};
    uint8_t last_contexts[kLanes] = {}, last_symbols[kLanes];
    std::memcpy(last_weights, w + 4 * i, (count - i) * sizeof(float));
    if (values) std::memcpy(last_values, values + i, (count - i) * sizeof(int32_t));
    if (contexts) std::memcpy(last_contexts, contexts + i, count - i);
    quantizer.step(load_f32(last_weights), load_i32(last_values), dead, last_contexts, last_symbols, out);
    std::memcpy(out.symbols + i, last_symbols, count - i);
  }
  if (!quantizer.in_range(rule)) return false;
  quantizer.add_to(statistics);
  return true;
}

}  // namespace
}  // namespace firn::FIRN_ISA
