// Sixteen weights at a time. No inline functions of other headers are called here: the linker could keep this file's copy for
// everybody.
#include "simd/cpu_features.h"
#include "codebook_quant/partition/partition_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 16;

struct Masks {
  __mmask16 protect, prune;  // never both
};

struct Rule {
  __m512 protect_m, protect_s, prune_m, prune_s;
  explicit Rule(const PartitionRule& r)
      : protect_m(_mm512_set1_ps(r.protect_magnitude_min)), protect_s(_mm512_set1_ps(r.protect_sensitivity_min)),
        prune_m(_mm512_set1_ps(r.prune_magnitude_below)), prune_s(_mm512_set1_ps(r.prune_sensitivity_below)) {}
};

__m512 load(const unsigned char* bytes) { return _mm512_loadu_ps(reinterpret_cast<const float*>(bytes)); }

template <bool kGradients>
Masks masks(const Rule& rule, __m512 w, const unsigned char* gradients) {
  const __m512 m = _mm512_abs_ps(w);
  __mmask16 protect = _mm512_cmp_ps_mask(m, rule.protect_m, _CMP_GE_OQ), prune = _mm512_cmp_ps_mask(m, rule.prune_m, _CMP_LT_OQ);
  if constexpr (kGradients) {
    const __m512 s = _mm512_abs_ps(_mm512_mul_ps(load(gradients), w));
    protect = _kor_mask16(protect, _mm512_cmp_ps_mask(s, rule.protect_s, _CMP_GE_OQ));
    prune = _kor_mask16(prune, _mm512_cmp_ps_mask(s, rule.prune_s, _CMP_LT_OQ));
  }
  return {protect, _kandn_mask16(protect, prune)};
}

template <bool kGradients>
size_t mark(const PartitionRule& plain, const unsigned char* w, const unsigned char* g, size_t count, PartitionLevels marks,
            uint8_t* levels) {
  const Rule rule(plain);
  const __m128i protect_level = _mm_set1_epi8(static_cast<char>(marks.protect));
  const __m128i prune_level = _mm_set1_epi8(static_cast<char>(marks.pruned));
  size_t protected_count = 0, i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Masks m = masks<kGradients>(rule, load(w + 4 * i), kGradients ? g + 4 * i : nullptr);
    __m128i level = _mm_loadu_si128(reinterpret_cast<const __m128i*>(levels + i));
    level = _mm_mask_mov_epi8(level, m.prune, prune_level);
    level = _mm_mask_mov_epi8(level, m.protect, protect_level);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(levels + i), level);
    protected_count += static_cast<size_t>(_mm_popcnt_u32(_cvtmask16_u32(m.protect)));
  }
  if (i == count) return protected_count;
  return protected_count + mark_levels_scalar(plain, w + 4 * i, kGradients ? g + 4 * i : nullptr, count - i, marks, levels + i);
}

template <bool kGradients>
size_t keep(const PartitionRule& plain, const unsigned char* w, const unsigned char* g, size_t count, float* kept) {
  const Rule rule(plain);
  const __m512i position = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512 marker = _mm512_castsi512_ps(_mm512_or_si512(_mm512_set1_epi32(0x7FC00000), _mm512_slli_epi32(position, 17)));
  size_t replaced = 0, i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m512 weight = load(w + 4 * i);
    const Masks m = masks<kGradients>(rule, weight, kGradients ? g + 4 * i : nullptr);
    const __mmask16 skip = _kor_mask16(m.protect, m.prune);
    _mm512_storeu_ps(kept + i, _mm512_mask_mov_ps(weight, skip, marker));
    replaced += static_cast<size_t>(_mm_popcnt_u32(_cvtmask16_u32(skip)));
  }
  if (i == count) return replaced;
  return replaced + keep_quantized_scalar(plain, w + 4 * i, kGradients ? g + 4 * i : nullptr, count - i, kept + i);
}

}  // namespace

size_t mark_levels_avx512(const PartitionRule& rule, const void* weights, const void* gradients, size_t count,
                          PartitionLevels marks, uint8_t* levels) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  const unsigned char* g = static_cast<const unsigned char*>(gradients);
  return g ? mark<true>(rule, w, g, count, marks, levels) : mark<false>(rule, w, g, count, marks, levels);
}

size_t keep_quantized_avx512(const PartitionRule& rule, const void* weights, const void* gradients, size_t count, float* kept) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  const unsigned char* g = static_cast<const unsigned char*>(gradients);
  return g ? keep<true>(rule, w, g, count, kept) : keep<false>(rule, w, g, count, kept);
}

}  // namespace firn
#endif
