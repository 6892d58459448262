// Sixteen weights at a time, each in its lane. No inline functions of other headers are called here: the linker could keep this file's copy for
// everybody.
#include "simd/cpu_features.h"
#include "residual_quant/lattice/lattice_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 16, kHalf = 8;

// Sixteen binary64 numbers.
struct Doubles {
  __m512d low, high;

  static Doubles load(const double* from) { return {_mm512_loadu_pd(from), _mm512_loadu_pd(from + kHalf)}; }
  void store(double* to) const {
    _mm512_storeu_pd(to, low);
    _mm512_storeu_pd(to + kHalf, high);
  }
  static Doubles of(__m512i lanes) {
    return {_mm512_cvtepi32_pd(_mm512_castsi512_si256(lanes)), _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(lanes, 1))};
  }
  static Doubles of(__m512 lanes) {
    const __m512d halves = _mm512_castps_pd(lanes);
    return {_mm512_cvtps_pd(_mm512_castps512_ps256(lanes)), _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(halves, 1)))};
  }
  Doubles operator*(const Doubles& b) const { return {_mm512_mul_pd(low, b.low), _mm512_mul_pd(high, b.high)}; }
  void operator+=(const Doubles& b) {
    low = _mm512_add_pd(low, b.low);
    high = _mm512_add_pd(high, b.high);
  }
  void add(__mmask16 where, const Doubles& b) {
    low = _mm512_mask_add_pd(low, static_cast<__mmask8>(where), low, b.low);
    high = _mm512_mask_add_pd(high, static_cast<__mmask8>(where >> kHalf), high, b.high);
  }
  Doubles negated(__mmask16 where) const {
    const __m512d zero = _mm512_setzero_pd();
    return {_mm512_mask_sub_pd(low, static_cast<__mmask8>(where), zero, low), _mm512_mask_sub_pd(high, static_cast<__mmask8>(where >> kHalf), zero, high)};
  }
};

// min(h * h, kSensitivityMax), 0 for NaN: max returns its second operand then.
__m512 sensitivities(__m512 gradients, __m512 scale) {
  const __m512 h = _mm512_mul_ps(gradients, scale);
  const __m512 square = _mm512_max_ps(_mm512_mul_ps(h, h), _mm512_setzero_ps());
  return _mm512_min_ps(square, _mm512_set1_ps(kSensitivityMax));
}

struct Sums {
  Doubles squares, products, residuals, fresh;
  Doubles weights[kLatticeOffsets], signed_residuals[kLatticeOffsets], signed_products[kLatticeOffsets];

  explicit Sums(const LatticeErrorLanes& lanes) { load(lanes); }
  void load(const LatticeErrorLanes& lanes) {
    squares = Doubles::load(lanes.squares), products = Doubles::load(lanes.products);
    residuals = Doubles::load(lanes.residuals), fresh = Doubles::load(lanes.fresh);
    for (size_t j = 0; j < kLatticeOffsets; ++j) {
      weights[j] = Doubles::load(lanes.weights[j]);
      signed_residuals[j] = Doubles::load(lanes.signed_residuals[j]), signed_products[j] = Doubles::load(lanes.signed_products[j]);
    }
  }
  void store(LatticeErrorLanes& lanes) const {
    squares.store(lanes.squares), products.store(lanes.products), residuals.store(lanes.residuals), fresh.store(lanes.fresh);
    for (size_t j = 0; j < kLatticeOffsets; ++j) {
      weights[j].store(lanes.weights[j]);
      signed_residuals[j].store(lanes.signed_residuals[j]), signed_products[j].store(lanes.signed_products[j]);
    }
  }
};

// Elements [first, first + count), `first` a multiple of the lanes, one by one.
bool errors_each(const LatticeRule& rule, const LatticeErrorInput& in, LatticeMoves& moves, size_t first, size_t count, LatticeErrorLanes& lanes) {
  const unsigned char* w = static_cast<const unsigned char*>(in.weights);
  const unsigned char* g = static_cast<const unsigned char*>(in.gradients);
  const LatticeErrorInput part{w + 4 * first, g ? g + 4 * first : nullptr, in.gradient_scale, in.values ? in.values + first : nullptr};
  LatticeMoves here{moves.symbols + first, moves.escapes, moves.escapes_left};
  const bool done = lattice_errors_scalar(rule, part, here, count, 0, lanes);
  moves.escapes = here.escapes;
  moves.escapes_left = here.escapes_left;
  return done;
}

// Without gradients every weight is 1.
template <bool kWeighted>
bool errors(const LatticeRule& rule, const LatticeErrorInput& in, LatticeMoves& moves, size_t count, LatticeErrorLanes& lanes) {
  const unsigned char* w = static_cast<const unsigned char*>(in.weights);
  const unsigned char* g = static_cast<const unsigned char*>(in.gradients);
  const __m512 units = _mm512_set1_ps(rule.units), scale = _mm512_set1_ps(in.gradient_scale);
  const __m512i step = _mm512_set1_epi32(rule.step);
  const __m512 step_f32 = _mm512_cvtepi32_ps(step);
  const __m128i shift = _mm_cvtsi32_si128(rule.shift);
  __m512i largest_x = _mm512_setzero_si512(), largest_kept = _mm512_setzero_si512();
  Sums sums(lanes);
  for (size_t i = 0; i + kLanes <= count; i += kLanes) {
    const __m512i symbols = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(moves.symbols + i)));
    if (_mm512_cmpge_epu32_mask(symbols, _mm512_set1_epi32(kLatticeEscape))) {
      sums.store(lanes);
      if (!errors_each(rule, in, moves, i, kLanes, lanes)) return false;
      sums.load(lanes);
      continue;
    }
    const __m512i x = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(w + 4 * i), units));
    const __m512i kept = in.values ? _mm512_loadu_si512(in.values + i) : _mm512_setzero_si512(), k = _mm512_sll_epi32(kept, shift);
    const __m512i magnitude = _mm512_abs_epi32(x);
    largest_x = _mm512_max_epu32(largest_x, magnitude);
    largest_kept = _mm512_max_epu32(largest_kept, _mm512_abs_epi32(kept));
    const __m512i steps = _mm512_srli_epi32(_mm512_add_epi32(symbols, _mm512_set1_epi32(1)), 1);
    const __m512i moved = _mm512_mullo_epi32(steps, step);
    // An odd symbol moves against the side the value is on.
    const __mmask16 minus = _kxor_mask16(_mm512_test_epi32_mask(symbols, _mm512_set1_epi32(1)), _mm512_movepi32_mask(kept));
    const __m512i off = _mm512_sub_epi32(x, k), r = _mm512_mask_add_epi32(_mm512_sub_epi32(off, moved), minus, off, moved);
    const __m512i quotient = _mm512_cvttps_epi32(_mm512_div_ps(_mm512_cvtepi32_ps(magnitude), step_f32));
    const __m512i over = _mm512_sub_epi32(magnitude, _mm512_mullo_epi32(quotient, step));
    const __m512i nearest = _mm512_min_epi32(over, _mm512_sub_epi32(step, over));
    const Doubles weight = Doubles::of(kWeighted ? sensitivities(_mm512_loadu_ps(g + 4 * i), scale) : _mm512_set1_ps(1));
    const Doubles xs = Doubles::of(x), rs = Doubles::of(r), fs = Doubles::of(nearest);
    const Doubles wx = kWeighted ? weight * xs : xs, wr = kWeighted ? weight * rs : rs, wf = kWeighted ? weight * fs : fs;
    sums.squares += wx * xs;
    sums.products += wx * rs;
    sums.residuals += wr * rs;
    sums.fresh += wf * fs;
    const __mmask16 moving = _mm512_test_epi32_mask(symbols, symbols);
    if (!moving) continue;
    const Doubles signed_r = wr.negated(minus), signed_x = wx.negated(minus);
    const __mmask16 one = _mm512_cmpeq_epi32_mask(steps, _mm512_set1_epi32(1)), two = _mm512_cmpeq_epi32_mask(steps, _mm512_set1_epi32(2));
    const __mmask16 of_class[kLatticeOffsets] = {one, two, _kandn_mask16(_kor_mask16(one, two), moving)};
    for (size_t j = 0; j < kLatticeOffsets; ++j) {
      if (!of_class[j]) continue;
      sums.weights[j].add(of_class[j], weight);
      sums.signed_residuals[j].add(of_class[j], signed_r);
      sums.signed_products[j].add(of_class[j], signed_x);
    }
  }
  sums.store(lanes);
  if (_mm512_reduce_max_epu32(largest_x) > static_cast<uint32_t>(kLatticeWeightMax)) return false;
  if (_mm512_reduce_max_epu32(largest_kept) > static_cast<uint32_t>(rule.kept_max)) return false;
  return errors_each(rule, in, moves, count / kLanes * kLanes, count % kLanes, lanes);
}

}  // namespace

bool lattice_errors_avx512(const LatticeRule& rule, const LatticeErrorInput& in, LatticeMoves& moves, size_t count, LatticeErrorLanes& lanes) {
  return in.gradients ? errors<true>(rule, in, moves, count, lanes) : errors<false>(rule, in, moves, count, lanes);
}

}  // namespace firn
#endif
