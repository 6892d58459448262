// Sixteen weights at a time. No inline functions of other headers are called here: the linker could keep this file's copy for
// everybody.
#include "common/cpu_features.h"
#include "lattice/lattice_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 16;

// Weights times the halves of squares, in 64-bit lanes.
struct WeightedSum {
  __m512i low = _mm512_setzero_si512(), high = _mm512_setzero_si512();
  // Squares of the signed low halves of `errors`; `weights` in the low halves, too.
  void add(__m512i errors, __m512i weights) {
    const __m512i squares = _mm512_mul_epi32(errors, errors);
    low = _mm512_add_epi64(low, _mm512_mul_epu32(weights, squares));
    high = _mm512_add_epi64(high, _mm512_mul_epu32(weights, _mm512_srli_epi64(squares, 32)));
  }
  void add_to(SplitSum& sum) const {
    sum.low += static_cast<uint64_t>(_mm512_reduce_add_epi64(low));
    sum.high += static_cast<uint64_t>(_mm512_reduce_add_epi64(high));
  }
};

__m512i odd(__m512i lanes) { return _mm512_srli_epi64(lanes, 32); }

// Errors of the even lanes in 1/16 units, as 64-bit lanes.
__m512i errors(__m512i x, __m512i k, __m512i gain) {
  const __m512i difference = _mm512_sub_epi64(_mm512_mul_epi32(x, _mm512_set1_epi32(1024)), _mm512_mul_epi32(k, gain));
  return _mm512_srai_epi64(_mm512_add_epi64(difference, _mm512_set1_epi64(32)), 6);
}

// min(h * h, kSensitivityMax) as whole numbers, 0 for NaN: max returns its second operand then.
__m512i sensitivities(__m512 gradients, __m512 scale) {
  const __m512 h = _mm512_mul_ps(gradients, scale);
  const __m512 square = _mm512_max_ps(_mm512_mul_ps(h, h), _mm512_setzero_ps());
  return _mm512_cvtps_epi32(_mm512_min_ps(square, _mm512_set1_ps(static_cast<float>(kSensitivityMax))));
}

}  // namespace

bool lattice_errors_avx512(const LatticeRule& rule, const void* weights, const void* gradients, float gradient_scale,
                           const int32_t* values, size_t count, SplitErrors& sums) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  const unsigned char* g = static_cast<const unsigned char*>(gradients);
  const __m512 units = _mm512_set1_ps(rule.units), scale = _mm512_set1_ps(gradient_scale);
  const __m512i gain = _mm512_set1_epi32(rule.gain), step = _mm512_set1_epi32(rule.step);
  const __m512 step_f32 = _mm512_cvtepi32_ps(step);
  __m512i largest_x = _mm512_setzero_si512(), largest_k = _mm512_setzero_si512();
  WeightedSum error, fresh;
  for (size_t i = 0; i < count; i += kLanes) {
    const size_t left = count - i;
    const __mmask16 lanes = left < kLanes ? _cvtu32_mask16((1u << left) - 1) : _cvtu32_mask16(0xFFFF);
    const __m512i x = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_maskz_loadu_ps(lanes, w + 4 * i), units));
    const __m512i k = _mm512_maskz_loadu_epi32(lanes, values + i);
    const __m512i weight = g ? sensitivities(_mm512_maskz_loadu_ps(lanes, g + 4 * i), scale) : _mm512_set1_epi32(1);
    const __m512i magnitude = _mm512_abs_epi32(x);
    largest_x = _mm512_max_epu32(largest_x, magnitude);
    largest_k = _mm512_max_epu32(largest_k, _mm512_abs_epi32(k));
    error.add(errors(x, k, gain), weight);
    error.add(errors(odd(x), odd(k), gain), odd(weight));
    const __m512i quotient = _mm512_cvttps_epi32(_mm512_div_ps(_mm512_cvtepi32_ps(magnitude), step_f32));
    const __m512i over = _mm512_sub_epi32(magnitude, _mm512_mullo_epi32(quotient, step));
    const __m512i nearest = _mm512_slli_epi32(_mm512_min_epi32(over, _mm512_sub_epi32(step, over)), 4);
    fresh.add(nearest, weight);
    fresh.add(odd(nearest), odd(weight));
  }
  error.add_to(sums.error);
  fresh.add_to(sums.fresh);
  return _mm512_reduce_max_epu32(largest_x) <= static_cast<uint32_t>(kLatticeWeightMax) &&
         _mm512_reduce_max_epu32(largest_k) <= static_cast<uint32_t>(kLatticeValueMax);
}

}  // namespace firn
#endif
