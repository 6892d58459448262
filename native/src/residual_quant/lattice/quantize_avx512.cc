// Sixteen weights at a time. No inline functions of other headers are called here: the linker could keep this file's copy for
// everybody.
#include "simd/cpu_features.h"
#include "residual_quant/lattice/lattice_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 16;

// 64-bit sums of the products of 32-bit lanes.
struct ProductSum {
  __m512i even = _mm512_setzero_si512(), odd = _mm512_setzero_si512();
  void add(__m512i a, __m512i b) {
    even = _mm512_add_epi64(even, _mm512_mul_epi32(a, b));
    odd = _mm512_add_epi64(odd, _mm512_mul_epi32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32)));
  }
  // Modulo 2^64: of weights that are out of range anything may be left here.
  int64_t total() const {
    alignas(64) uint64_t lanes[8];
    _mm512_store_si512(lanes, _mm512_add_epi64(even, odd));
    uint64_t sum = 0;
    for (const uint64_t lane : lanes) sum += lane;
    return static_cast<int64_t>(sum);
  }
};

// Sums of one class of moves. 32 bits hold kStepElements / 16 terms a lane: residuals are at most 2^16, weights below 2^22.
struct ClassSum {
  __m512i residuals = _mm512_setzero_si512(), signed_sums = _mm512_setzero_si512();
  int64_t count = 0;
  void add(__mmask16 which, __m512i residual, __m512i signed_x) {
    residuals = _mm512_mask_add_epi32(residuals, which, residuals, residual);
    signed_sums = _mm512_mask_add_epi32(signed_sums, which, signed_sums, signed_x);
    count += _mm_popcnt_u32(_cvtmask16_u32(which));
  }
  // The total of 16 lanes may need more than 32 bits.
  static int64_t total(__m512i lanes) {
    const __m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes));
    const __m512i high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(lanes, 1));
    return _mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
  }
};

class Quantizer {
 public:
  explicit Quantizer(const LatticeRule& rule)
      : units_(_mm512_set1_ps(rule.units)), step_(_mm512_set1_epi32(rule.step)), step_f32_(_mm512_cvtepi32_ps(step_)),
        half_(_mm512_set1_epi32(rule.step / 2)), dead_(_mm512_set1_epi32(rule.dead)),
        shift_(_mm_cvtsi32_si128(rule.shift)) {}

  // Quantizes the lanes of `lanes`; weights and values of the others are 0. `pricing` as of the kernel; its contexts are those of the elements from `index` on.
  void step(__mmask16 lanes, __m512 weights, __m512i kept, const LatticePricing* pricing, LatticeSymbols& out, size_t index) {
    const __m512i x = _mm512_cvtps_epi32(_mm512_mul_ps(weights, units_));
    const __m512i k = _mm512_sll_epi32(kept, shift_);
    const __m512i difference = _mm512_sub_epi32(x, k), distance = _mm512_abs_epi32(difference);
    const __mmask16 minus = _mm512_movepi32_mask(difference);
    const __mmask16 inwards = _kxor_mask16(minus, _mm512_movepi32_mask(k));
    const __mmask16 moves = _mm512_cmpge_epi32_mask(distance, pricing ? dead(*pricing, lanes, index, inwards) : dead_);
    const __m512 numerator = _mm512_cvtepi32_ps(_mm512_add_epi32(distance, half_));
    const __m512i quotient = _mm512_cvttps_epi32(_mm512_div_ps(numerator, step_f32_));
    const __m512i steps = _mm512_maskz_max_epi32(moves, quotient, _mm512_set1_epi32(1));
    const __m512i moved = _mm512_mullo_epi32(steps, step_);
    const __m512i twice = _mm512_slli_epi32(steps, 1);
    const __m512i zigzag = _mm512_mask_sub_epi32(twice, _kand_mask16(moves, inwards), twice, _mm512_set1_epi32(1));
    const __m512i escape = _mm512_set1_epi32(kLatticeEscape);
    _mm_mask_storeu_epi8(out.symbols + index, lanes, _mm512_cvtepi32_epi8(_mm512_min_epu32(zigzag, escape)));
    const __mmask16 escapes = _mm512_cmpge_epu32_mask(zigzag, escape);
    if (escapes) {
      const __m512i rest = _mm512_maskz_compress_epi32(escapes, _mm512_sub_epi32(zigzag, escape));
      const unsigned count = _mm_popcnt_u32(_cvtmask16_u32(escapes));
      _mm512_mask_storeu_epi32(out.escapes + out.escape_count, _cvtu32_mask16((1u << count) - 1), rest);
      out.escape_count += count;
    }

    largest_x_ = _mm512_max_epu32(largest_x_, _mm512_abs_epi32(x));
    largest_kept_ = _mm512_max_epu32(largest_kept_, _mm512_abs_epi32(kept));
    squares_.add(x, x);
    products_.add(x, _mm512_mask_sub_epi32(_mm512_add_epi32(k, moved), minus, k, moved));
    const __m512i residual = _mm512_sub_epi32(distance, moved);
    const __m512i signed_x = _mm512_mask_sub_epi32(x, minus, _mm512_setzero_si512(), x);
    const __mmask16 one = _mm512_cmpeq_epi32_mask(steps, _mm512_set1_epi32(1)), two = _mm512_cmpeq_epi32_mask(steps, _mm512_set1_epi32(2));
    classes_[0].add(one, residual, signed_x);
    classes_[1].add(two, residual, signed_x);
    classes_[2].add(_kandn_mask16(_kor_mask16(one, two), moves), residual, signed_x);
  }

  bool in_range(const LatticeRule& rule) const {
    return _mm512_reduce_max_epu32(largest_x_) <= static_cast<uint32_t>(kLatticeWeightMax) &&
           _mm512_reduce_max_epu32(largest_kept_) <= static_cast<uint32_t>(rule.kept_max);
  }

  void add_to(LatticeStatistics& statistics) const {
    statistics.squares += squares_.total();
    statistics.products += products_.total();
    for (size_t j = 0; j < kLatticeOffsets; ++j) {
      statistics.counts[j] += classes_[j].count;
      statistics.residuals[j] += ClassSum::total(classes_[j].residuals);
      statistics.signed_sums[j] += ClassSum::total(classes_[j].signed_sums);
    }
  }

 private:
  // The zones of sixteen elements, of which those in `inwards` would move that way.
  static __m512i dead(const LatticePricing& pricing, __mmask16 lanes, size_t index, __mmask16 inwards) {
    const __m512i contexts = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(lanes, pricing.contexts + index));
    const __m512i twice = _mm512_add_epi32(contexts, contexts);
    return _mm512_i32gather_epi32(_mm512_mask_add_epi32(twice, inwards, twice, _mm512_set1_epi32(1)), pricing.dead, 4);
  }

  __m512 units_;
  __m512i step_;
  __m512 step_f32_;
  __m512i half_, dead_;
  __m128i shift_;
  // Of magnitudes, as unsigned numbers: what is out of range or not a number converts to 2^31.
  __m512i largest_x_ = _mm512_setzero_si512(), largest_kept_ = _mm512_setzero_si512();
  ProductSum squares_, products_;
  ClassSum classes_[kLatticeOffsets];
};

}  // namespace

bool lattice_quantize_avx512(const LatticeRule& rule, const void* weights, const int32_t* values, const LatticePricing* pricing, size_t count,
                             LatticeSymbols& out, LatticeStatistics& statistics) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  Quantizer quantizer(rule);
  for (size_t i = 0; i < count; i += kLanes) {
    const size_t left = count - i < kLanes ? count - i : kLanes;
    const __mmask16 lanes = _cvtu32_mask16((1u << left) - 1);
    const __m512 weight = _mm512_maskz_loadu_ps(lanes, w + 4 * i);
    const __m512i kept = values ? _mm512_maskz_loadu_epi32(lanes, values + i) : _mm512_setzero_si512();
    quantizer.step(lanes, weight, kept, pricing, out, i);
  }
  // Sums of what is out of range may overflow.
  if (!quantizer.in_range(rule)) return false;
  quantizer.add_to(statistics);
  return true;
}

}  // namespace firn
#endif
