// Eight weights at a time. No inline functions of other headers are called here: the linker could keep this file's copy for everybody.
#include "common/cpu_features.h"
#include "lattice/lattice_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 8;

uint64_t total64(__m256i lanes) {
  alignas(32) uint64_t parts[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), lanes);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

bool exceeds(__m256i lanes, int32_t limit) {
  const __m256i most = _mm256_set1_epi32(limit);
  return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(lanes, most), most)) != -1;
}

// Weights times the halves of squares, in 64-bit lanes.
struct WeightedSum {
  __m256i low = _mm256_setzero_si256(), high = _mm256_setzero_si256();
  // Squares of the signed low halves of `errors`; `weights` in the low halves, too.
  void add(__m256i errors, __m256i weights) {
    const __m256i squares = _mm256_mul_epi32(errors, errors);
    low = _mm256_add_epi64(low, _mm256_mul_epu32(weights, squares));
    high = _mm256_add_epi64(high, _mm256_mul_epu32(weights, _mm256_srli_epi64(squares, 32)));
  }
  void add_to(SplitSum& sum) const {
    sum.low += total64(low);
    sum.high += total64(high);
  }
};

__m256i odd(__m256i lanes) { return _mm256_srli_epi64(lanes, 32); }

// Errors of the even lanes in 1/16 units: right in the low half of each 64-bit lane, which is all that is read. A logical shift moves
// the same bits there as an arithmetic one.
__m256i errors(__m256i x, __m256i k, __m256i gain) {
  const __m256i difference = _mm256_sub_epi64(_mm256_mul_epi32(x, _mm256_set1_epi32(1024)), _mm256_mul_epi32(k, gain));
  return _mm256_srli_epi64(_mm256_add_epi64(difference, _mm256_set1_epi64x(32)), 6);
}

// min(h * h, kSensitivityMax) as whole numbers, 0 for NaN: max returns its second operand then.
__m256i sensitivities(__m256 gradients, __m256 scale) {
  const __m256 h = _mm256_mul_ps(gradients, scale);
  const __m256 square = _mm256_max_ps(_mm256_mul_ps(h, h), _mm256_setzero_ps());
  return _mm256_cvtps_epi32(_mm256_min_ps(square, _mm256_set1_ps(static_cast<float>(kSensitivityMax))));
}

}  // namespace

bool lattice_errors_avx2(const LatticeRule& rule, const void* weights, const void* gradients, float gradient_scale,
                         const int32_t* values, size_t count, SplitErrors& sums) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  const unsigned char* g = static_cast<const unsigned char*>(gradients);
  const __m256 units = _mm256_set1_ps(rule.units), scale = _mm256_set1_ps(gradient_scale);
  const __m256i gain = _mm256_set1_epi32(rule.gain), step = _mm256_set1_epi32(rule.step);
  const __m256 step_f32 = _mm256_cvtepi32_ps(step);
  __m256i largest_x = _mm256_setzero_si256(), largest_k = _mm256_setzero_si256();
  WeightedSum error, fresh;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256i x = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(w + 4 * i)), units));
    const __m256i k = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
    const __m256i weight =
        g ? sensitivities(_mm256_loadu_ps(reinterpret_cast<const float*>(g + 4 * i)), scale) : _mm256_set1_epi32(1);
    const __m256i magnitude = _mm256_abs_epi32(x);
    largest_x = _mm256_max_epu32(largest_x, magnitude);
    largest_k = _mm256_max_epu32(largest_k, _mm256_abs_epi32(k));
    error.add(errors(x, k, gain), weight);
    error.add(errors(odd(x), odd(k), gain), odd(weight));
    const __m256i quotient = _mm256_cvttps_epi32(_mm256_div_ps(_mm256_cvtepi32_ps(magnitude), step_f32));
    const __m256i over = _mm256_sub_epi32(magnitude, _mm256_mullo_epi32(quotient, step));
    const __m256i nearest = _mm256_slli_epi32(_mm256_min_epi32(over, _mm256_sub_epi32(step, over)), 4);
    fresh.add(nearest, weight);
    fresh.add(odd(nearest), odd(weight));
  }
  error.add_to(sums.error);
  fresh.add_to(sums.fresh);
  if (exceeds(largest_x, kLatticeWeightMax) || exceeds(largest_k, kLatticeValueMax)) return false;
  if (i == count) return true;
  return lattice_errors_scalar(rule, w + 4 * i, g ? g + 4 * i : nullptr, gradient_scale, values + i, count - i, sums);
}

}  // namespace firn
#endif
