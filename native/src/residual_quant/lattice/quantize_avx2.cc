// Eight weights at a time. No inline functions of other headers are called here: the linker could keep this file's copy for everybody.
#include "simd/cpu_features.h"
#include "residual_quant/lattice/lattice_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 8;

int64_t total64(__m256i lanes) {
  alignas(32) int64_t parts[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), lanes);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

int64_t total32(__m256i lanes) {
  const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
  return total64(_mm256_add_epi64(low, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes, 1))));
}

uint32_t largest(__m256i lanes) {
  alignas(32) uint32_t parts[kLanes];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), lanes);
  uint32_t most = 0;
  for (const uint32_t part : parts) most = part > most ? part : most;
  return most;
}

// 64-bit sums of the products of 32-bit lanes.
struct ProductSum {
  __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
  void add(__m256i a, __m256i b) {
    even = _mm256_add_epi64(even, _mm256_mul_epi32(a, b));
    odd = _mm256_add_epi64(odd, _mm256_mul_epi32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32)));
  }
  int64_t total() const { return total64(_mm256_add_epi64(even, odd)); }
};

// Sums of one class of moves. 32 bits hold kStepElements / 8 terms a lane: residuals are at most 2^16, weights below 2^22.
struct ClassSum {
  __m256i counts = _mm256_setzero_si256(), residuals = _mm256_setzero_si256(), signed_sums = _mm256_setzero_si256();
  void add(__m256i which, __m256i residual, __m256i signed_x) {
    counts = _mm256_sub_epi32(counts, which);
    residuals = _mm256_add_epi32(residuals, _mm256_and_si256(which, residual));
    signed_sums = _mm256_add_epi32(signed_sums, _mm256_and_si256(which, signed_x));
  }
};

class Quantizer {
 public:
  explicit Quantizer(const LatticeRule& rule)
      : units_(_mm256_set1_ps(rule.units)), step_(_mm256_set1_epi32(rule.step)), step_f32_(_mm256_cvtepi32_ps(step_)),
        half_(_mm256_set1_epi32(rule.step / 2)), below_dead_(_mm256_set1_epi32(rule.dead - 1)),
        shift_(_mm_cvtsi32_si128(rule.shift)) {}

  // `pricing` as of the kernel; its contexts are those of the elements from `index` on.
  void step(__m256 weights, __m256i kept, const LatticePricing* pricing, LatticeSymbols& out, size_t index) {
    const __m256i x = _mm256_cvtps_epi32(_mm256_mul_ps(weights, units_));
    const __m256i k = _mm256_sll_epi32(kept, shift_);
    const __m256i difference = _mm256_sub_epi32(x, k), distance = _mm256_abs_epi32(difference);
    const __m256i minus = _mm256_srai_epi32(difference, 31), against = _mm256_xor_si256(minus, _mm256_srai_epi32(k, 31));
    const __m256i moves = _mm256_cmpgt_epi32(distance, pricing ? below_dead(*pricing, index, against) : below_dead_);
    const __m256 numerator = _mm256_cvtepi32_ps(_mm256_add_epi32(distance, half_));
    const __m256i quotient = _mm256_cvttps_epi32(_mm256_div_ps(numerator, step_f32_));
    const __m256i steps = _mm256_and_si256(moves, _mm256_max_epi32(quotient, _mm256_set1_epi32(1)));
    const __m256i moved = _mm256_mullo_epi32(steps, step_);
    const __m256i inwards = _mm256_and_si256(moves, against);
    const __m256i zigzag = _mm256_add_epi32(_mm256_slli_epi32(steps, 1), inwards);
    store(zigzag, out, index);

    largest_x_ = _mm256_max_epu32(largest_x_, _mm256_abs_epi32(x));
    largest_kept_ = _mm256_max_epu32(largest_kept_, _mm256_abs_epi32(kept));
    squares_.add(x, x);
    products_.add(x, _mm256_add_epi32(k, negated_where(minus, moved)));
    const __m256i residual = _mm256_sub_epi32(distance, moved), signed_x = negated_where(minus, x);
    classes_[0].add(_mm256_cmpeq_epi32(steps, _mm256_set1_epi32(1)), residual, signed_x);
    classes_[1].add(_mm256_cmpeq_epi32(steps, _mm256_set1_epi32(2)), residual, signed_x);
    classes_[2].add(_mm256_cmpgt_epi32(steps, _mm256_set1_epi32(2)), residual, signed_x);
  }

  bool in_range(const LatticeRule& rule) const {
    return largest(largest_x_) <= static_cast<uint32_t>(kLatticeWeightMax) &&
           largest(largest_kept_) <= static_cast<uint32_t>(rule.kept_max);
  }

  void add_to(LatticeStatistics& statistics) const {
    statistics.squares += squares_.total();
    statistics.products += products_.total();
    for (size_t j = 0; j < kLatticeOffsets; ++j) {
      statistics.counts[j] += total32(classes_[j].counts);
      statistics.residuals[j] += total32(classes_[j].residuals);
      statistics.signed_sums[j] += total32(classes_[j].signed_sums);
    }
  }

 private:
  // The zones of eight elements less one. `against` has all bits set in the lanes of moves inwards.
  static __m256i below_dead(const LatticePricing& pricing, size_t index, __m256i against) {
    const __m256i contexts = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(pricing.contexts + index)));
    const __m256i places = _mm256_sub_epi32(_mm256_add_epi32(contexts, contexts), against);
    return _mm256_add_epi32(_mm256_i32gather_epi32(pricing.dead, places, 4), _mm256_set1_epi32(-1));
  }

  static __m256i negated_where(__m256i mask, __m256i lanes) { return _mm256_sub_epi32(_mm256_xor_si256(lanes, mask), mask); }

  static void store(__m256i zigzag, LatticeSymbols& out, size_t index) {
    const __m256i escape = _mm256_set1_epi32(kLatticeEscape);
    const __m256i symbols = _mm256_min_epi32(zigzag, escape);
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(symbols), _mm256_extracti128_si256(symbols, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out.symbols + index), _mm_packus_epi16(words, words));
    unsigned escapes = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(symbols, escape))));
    if (escapes == 0) return;
    alignas(32) uint32_t all[kLanes];
    _mm256_store_si256(reinterpret_cast<__m256i*>(all), zigzag);
    for (; escapes != 0; escapes &= escapes - 1) out.escapes[out.escape_count++] = all[__builtin_ctz(escapes)] - kLatticeEscape;
  }

  __m256 units_;
  __m256i step_;
  __m256 step_f32_;
  __m256i half_, below_dead_;
  __m128i shift_;
  // Of magnitudes, as unsigned numbers: what is out of range or not a number converts to 2^31.
  __m256i largest_x_ = _mm256_setzero_si256(), largest_kept_ = _mm256_setzero_si256();
  ProductSum squares_, products_;
  ClassSum classes_[kLatticeOffsets];
};

}  // namespace

bool lattice_quantize_avx2(const LatticeRule& rule, const void* weights, const int32_t* values, const LatticePricing* pricing, size_t count,
                           LatticeSymbols& out, LatticeStatistics& statistics) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  Quantizer quantizer(rule);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 weight = _mm256_loadu_ps(reinterpret_cast<const float*>(w + 4 * i));
    const __m256i kept = values ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i)) : _mm256_setzero_si256();
    quantizer.step(weight, kept, pricing, out, i);
  }
  if (!quantizer.in_range(rule)) return false;
  quantizer.add_to(statistics);
  LatticeSymbols rest{out.symbols + i, out.escapes + out.escape_count, 0};
  const LatticePricing rest_pricing{pricing ? pricing->dead : nullptr, pricing ? pricing->contexts + i : nullptr};
  const bool done = lattice_quantize_scalar(rule, w + 4 * i, values ? values + i : nullptr, pricing ? &rest_pricing : nullptr, count - i, rest, statistics);
  out.escape_count += rest.escape_count;
  return done;
}

}  // namespace firn
#endif
