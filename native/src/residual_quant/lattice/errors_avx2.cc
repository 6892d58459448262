// Eight weights at a time, each in its lane. No inline functions of other headers are called here: the linker could keep this file's copy for
// everybody.
#include "simd/cpu_features.h"
#include "residual_quant/lattice/lattice_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 8, kHalf = 4;

bool exceeds(__m256i lanes, int32_t limit) {
  const __m256i most = _mm256_set1_epi32(limit);
  return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(lanes, most), most)) != -1;
}

// Eight binary64 numbers.
struct Doubles {
  __m256d low, high;

  static Doubles of(__m256i lanes) {
    return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(lanes)), _mm256_cvtepi32_pd(_mm256_extracti128_si256(lanes, 1))};
  }
  static Doubles of(__m256 lanes) { return {_mm256_cvtps_pd(_mm256_castps256_ps128(lanes)), _mm256_cvtps_pd(_mm256_extractf128_ps(lanes, 1))}; }
  // All bits set in the lanes where `lanes` has them.
  static Doubles mask(__m256i lanes) {
    return {_mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes))),
            _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes, 1)))};
  }
  Doubles operator*(const Doubles& b) const { return {_mm256_mul_pd(low, b.low), _mm256_mul_pd(high, b.high)}; }
  Doubles operator&(const Doubles& mask) const { return {_mm256_and_pd(low, mask.low), _mm256_and_pd(high, mask.high)}; }
  Doubles negated(const Doubles& where) const {
    const __m256d sign = _mm256_set1_pd(-0.0);
    return {_mm256_xor_pd(low, _mm256_and_pd(where.low, sign)), _mm256_xor_pd(high, _mm256_and_pd(where.high, sign))};
  }
  void add_to(double* sums) const {
    _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), low));
    _mm256_storeu_pd(sums + kHalf, _mm256_add_pd(_mm256_loadu_pd(sums + kHalf), high));
  }
};

// min(h * h, kSensitivityMax), 0 for NaN: max returns its second operand then.
__m256 sensitivities(__m256 gradients, __m256 scale) {
  const __m256 h = _mm256_mul_ps(gradients, scale);
  const __m256 square = _mm256_max_ps(_mm256_mul_ps(h, h), _mm256_setzero_ps());
  return _mm256_min_ps(square, _mm256_set1_ps(kSensitivityMax));
}

// Elements [first, first + count), one by one.
bool errors_each(const LatticeRule& rule, const LatticeErrorInput& in, LatticeMoves& moves, size_t first, size_t count, LatticeErrorLanes& lanes) {
  const unsigned char* w = static_cast<const unsigned char*>(in.weights);
  const unsigned char* g = static_cast<const unsigned char*>(in.gradients);
  const LatticeErrorInput part{w + 4 * first, g ? g + 4 * first : nullptr, in.gradient_scale, in.values ? in.values + first : nullptr};
  LatticeMoves here{moves.symbols + first, moves.escapes, moves.escapes_left};
  const bool done = lattice_errors_scalar(rule, part, here, count, first % kErrorLanes, lanes);
  moves.escapes = here.escapes;
  moves.escapes_left = here.escapes_left;
  return done;
}

}  // namespace

bool lattice_errors_avx2(const LatticeRule& rule, const LatticeErrorInput& in, LatticeMoves& moves, size_t count, LatticeErrorLanes& lanes) {
  const unsigned char* w = static_cast<const unsigned char*>(in.weights);
  const unsigned char* g = static_cast<const unsigned char*>(in.gradients);
  const __m256 units = _mm256_set1_ps(rule.units), scale = _mm256_set1_ps(in.gradient_scale);
  const __m256i step = _mm256_set1_epi32(rule.step), one = _mm256_set1_epi32(1), two = _mm256_set1_epi32(2), zero = _mm256_setzero_si256();
  const __m256 step_f32 = _mm256_cvtepi32_ps(step);
  const __m128i shift = _mm_cvtsi32_si128(rule.shift);
  __m256i largest_x = zero, largest_kept = zero;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const size_t lane = i % kErrorLanes;
    const __m256i symbols = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(moves.symbols + i)));
    if (_mm256_movemask_epi8(_mm256_cmpgt_epi32(symbols, _mm256_set1_epi32(kLatticeEscape - 1))) != 0) {
      if (!errors_each(rule, in, moves, i, kLanes, lanes)) return false;
      continue;
    }
    const __m256i x = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(w + 4 * i)), units));
    const __m256i kept = in.values ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in.values + i)) : zero;
    const __m256i magnitude = _mm256_abs_epi32(x);
    largest_x = _mm256_max_epu32(largest_x, magnitude);
    largest_kept = _mm256_max_epu32(largest_kept, _mm256_abs_epi32(kept));
    const __m256i steps = _mm256_srli_epi32(_mm256_add_epi32(symbols, one), 1);
    const __m256i moved = _mm256_mullo_epi32(steps, step);
    // An odd symbol moves against the side the value is on.
    const __m256i minus = _mm256_xor_si256(_mm256_cmpeq_epi32(_mm256_and_si256(symbols, one), one), _mm256_srai_epi32(kept, 31));
    const __m256i signed_moved = _mm256_sub_epi32(_mm256_xor_si256(moved, minus), minus);
    const __m256i r = _mm256_sub_epi32(_mm256_sub_epi32(x, _mm256_sll_epi32(kept, shift)), signed_moved);
    const __m256i quotient = _mm256_cvttps_epi32(_mm256_div_ps(_mm256_cvtepi32_ps(magnitude), step_f32));
    const __m256i over = _mm256_sub_epi32(magnitude, _mm256_mullo_epi32(quotient, step));
    const __m256i nearest = _mm256_min_epi32(over, _mm256_sub_epi32(step, over));
    const Doubles weight = Doubles::of(g ? sensitivities(_mm256_loadu_ps(reinterpret_cast<const float*>(g + 4 * i)), scale) : _mm256_set1_ps(1));
    const Doubles xs = Doubles::of(x), rs = Doubles::of(r), fs = Doubles::of(nearest), wx = weight * xs, wr = weight * rs;
    (wx * xs).add_to(lanes.squares + lane);
    (wx * rs).add_to(lanes.products + lane);
    (wr * rs).add_to(lanes.residuals + lane);
    (weight * fs * fs).add_to(lanes.fresh + lane);
    const Doubles down = Doubles::mask(minus), signed_r = wr.negated(down), signed_x = wx.negated(down);
    const __m256i of_class[kLatticeOffsets] = {_mm256_cmpeq_epi32(steps, one), _mm256_cmpeq_epi32(steps, two), _mm256_cmpgt_epi32(steps, two)};
    for (size_t j = 0; j < kLatticeOffsets; ++j) {
      if (_mm256_testz_si256(of_class[j], of_class[j])) continue;
      const Doubles members = Doubles::mask(of_class[j]);
      (weight & members).add_to(lanes.weights[j] + lane);
      (signed_r & members).add_to(lanes.signed_residuals[j] + lane);
      (signed_x & members).add_to(lanes.signed_products[j] + lane);
    }
  }
  if (exceeds(largest_x, kLatticeWeightMax) || exceeds(largest_kept, rule.kept_max)) return false;
  return errors_each(rule, in, moves, i, count - i, lanes);
}

}  // namespace firn
#endif
