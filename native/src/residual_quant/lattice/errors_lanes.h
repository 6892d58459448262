// The errors kernel, kLanes weights at a time, each in its lane. Include in one file per instruction set.
#pragma once
#include "common/invariant.h"
#include "residual_quant/lattice/lattice_kernels.h"
#include "simd/vectors.h"

namespace firn::FIRN_ISA {
namespace {

// min(h * h, kSensitivityMax), 0 for NaN.
F32 sensitivities(F32 gradients, F32 scale) {
  const F32 h = gradients * scale;
  return smaller(larger(h * h, F32::all(0)), F32::all(kSensitivityMax));
}

using LaneSums = SumsInMemory<kErrorLanes>;

// LatticeErrorLanes while an errors kernel adds to it.
struct ErrorSums {
  LaneSums squares, products, residuals, fresh;
  LaneSums weights[kLatticeOffsets], signed_residuals[kLatticeOffsets], signed_products[kLatticeOffsets];

  explicit ErrorSums(LatticeErrorLanes& l)
      : squares(l.squares), products(l.products), residuals(l.residuals),
        fresh(l.fresh), weights{LaneSums(l.weights[0]), LaneSums(l.weights[1]), LaneSums(l.weights[2])},
        signed_residuals{LaneSums(l.signed_residuals[0]), LaneSums(l.signed_residuals[1]),
                         LaneSums(l.signed_residuals[2])},
        signed_products{LaneSums(l.signed_products[0]), LaneSums(l.signed_products[1]),
                        LaneSums(l.signed_products[2])} {
    static_assert(kLatticeOffsets == 3);
  }
  void load() {
    for_each([](LaneSums& sums) { sums.load(); });
  }
  void store() {
    for_each([](LaneSums& sums) { sums.store(); });
  }

 private:
  template <typename Body>
  void for_each(Body body) {
    body(squares), body(products), body(residuals), body(fresh);
    for (size_t j = 0; j < kLatticeOffsets; ++j) body(weights[j]), body(signed_residuals[j]), body(signed_products[j]);
  }
};

// Elements [first, first + count), one by one.
bool errors_each(const LatticeRule& rule, const LatticeErrorInput& in, SymbolCursor& cursor, size_t first, size_t count,
                 LatticeErrorLanes& lanes) {
  const unsigned char* w = static_cast<const unsigned char*>(in.weights);
  const unsigned char* g = static_cast<const unsigned char*>(in.gradients);
  const LatticeErrorInput part{w + 4 * first, g ? g + 4 * first : nullptr, in.gradient_scale,
                               in.values ? in.values + first : nullptr};
  SymbolCursor here{cursor.symbols + first, cursor.escapes, cursor.escapes_left};
  const bool done = scalar::lattice_errors(rule, part, here, count, first % kErrorLanes, lanes);
  cursor.escapes = here.escapes;
  cursor.escapes_left = here.escapes_left;
  return done;
}

// Without gradients every weight is 1.
template <bool kWeighted>
bool errors(const LatticeRule& rule, const LatticeErrorInput& in, SymbolCursor& cursor, size_t count,
            LatticeErrorLanes& lanes) {
  const unsigned char* w = static_cast<const unsigned char*>(in.weights);
  const unsigned char* g = static_cast<const unsigned char*>(in.gradients);
  const F32 units = F32::all(rule.units), scale = F32::all(in.gradient_scale);
  const I32 step = I32::all(rule.step), one = I32::all(1), two = I32::all(2);
  const F32 step_f32 = to_f32(step);
  const __m128i shift = _mm_cvtsi32_si128(rule.shift);
  I32 largest_x = I32::zero(), largest_kept = I32::zero();
  FIRN_INVARIANT(count <= kStepElements);
  ErrorSums sums(lanes);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const size_t lane = i % kErrorLanes;
    const I32 symbols = widen_bytes(cursor.symbols + i);
    if (any(greater(symbols, I32::all(kLatticeEscape - 1)))) {
      sums.store();
      if (!errors_each(rule, in, cursor, i, kLanes, lanes)) return false;
      sums.load();
      continue;
    }
    const I32 x = to_nearest(load_f32(w + 4 * i) * units);
    const I32 kept = in.values ? load_i32(in.values + i) : I32::zero();
    const I32 x_magnitude = magnitude(x);
    largest_x = larger_unsigned(largest_x, x_magnitude);
    largest_kept = larger_unsigned(largest_kept, magnitude(kept));
    const I32 steps = shift_right<1>(symbols + one);
    // An odd symbol moves against the side the value is on.
    const Mask minus = odd(symbols) ^ negative(kept);
    const I32 r = subtract_signed(minus, x - (kept << shift), steps * step);
    const I32 over = x_magnitude - truncated(to_f32(x_magnitude) / step_f32) * step;
    const I32 nearest = smaller(over, step - over);
    const F64 weight = to_f64(kWeighted ? sensitivities(load_f32(g + 4 * i), scale) : F32::all(1));
    const F64 xs = to_f64(x), rs = to_f64(r), fs = to_f64(nearest);
    const F64 wx = kWeighted ? weight * xs : xs, wr = kWeighted ? weight * rs : rs, wf = kWeighted ? weight * fs : fs;
    sums.squares.add(lane, wx * xs);
    sums.products.add(lane, wx * rs);
    sums.residuals.add(lane, wr * rs);
    sums.fresh.add(lane, wf * fs);
    if (!any(greater(symbols, I32::zero()))) continue;
    const F64 signed_r = negate(minus, wr), signed_x = negate(minus, wx);
    const Mask of_class[kLatticeOffsets] = {equal(steps, one), equal(steps, two), greater(steps, two)};
    for (size_t j = 0; j < kLatticeOffsets; ++j) {
      if (!any(of_class[j])) continue;
      sums.weights[j].add(lane, of_class[j], weight);
      sums.signed_residuals[j].add(lane, of_class[j], signed_r);
      sums.signed_products[j].add(lane, of_class[j], signed_x);
    }
  }
  sums.store();
  if (any_above(largest_x, kLatticeWeightMax) || any_above(largest_kept, rule.kept_max)) return false;
  return errors_each(rule, in, cursor, i, count - i, lanes);
}

bool lattice_errors(const LatticeRule& rule, const LatticeErrorInput& in, SymbolCursor& cursor, size_t count,
                    LatticeErrorLanes& lanes) {
  return in.gradients ? errors<true>(rule, in, cursor, count, lanes) : errors<false>(rule, in, cursor, count, lanes);
}

}  // namespace
}  // namespace firn::FIRN_ISA
