// Eight weights at a time. No inline functions of other headers are called here: the linker could keep this file's copy for everybody.
#include "simd/cpu_features.h"
#include "codebook_quant/partition/partition_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 8;

struct Masks {
  __m256i protect, prune;  // all ones in the lanes it applies to; never both
};

struct Rule {
  __m256 protect_m, protect_s, prune_m, prune_s;
  explicit Rule(const PartitionRule& r)
      : protect_m(_mm256_set1_ps(r.protect_magnitude_min)), protect_s(_mm256_set1_ps(r.protect_sensitivity_min)),
        prune_m(_mm256_set1_ps(r.prune_magnitude_below)), prune_s(_mm256_set1_ps(r.prune_sensitivity_below)) {}
};

__m256 magnitude(__m256 x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x); }

__m256 load(const unsigned char* bytes) { return _mm256_loadu_ps(reinterpret_cast<const float*>(bytes)); }

template <bool kGradients>
Masks masks(const Rule& rule, __m256 w, const unsigned char* gradients) {
  const __m256 m = magnitude(w);
  __m256 protect = _mm256_cmp_ps(m, rule.protect_m, _CMP_GE_OQ), prune = _mm256_cmp_ps(m, rule.prune_m, _CMP_LT_OQ);
  if constexpr (kGradients) {
    const __m256 s = magnitude(_mm256_mul_ps(load(gradients), w));
    protect = _mm256_or_ps(protect, _mm256_cmp_ps(s, rule.protect_s, _CMP_GE_OQ));
    prune = _mm256_or_ps(prune, _mm256_cmp_ps(s, rule.prune_s, _CMP_LT_OQ));
  }
  return {_mm256_castps_si256(protect), _mm256_castps_si256(_mm256_andnot_ps(protect, prune))};
}

// Four masks of 8 lanes as one mask of 32 bytes, in element order.
__m256i to_bytes(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i shuffled = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
  return _mm256_permutevar8x32_epi32(shuffled, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

template <bool kGradients>
size_t mark(const PartitionRule& plain, const unsigned char* w, const unsigned char* g, size_t count, PartitionLevels marks,
            uint8_t* levels) {
  const Rule rule(plain);
  const __m256i protect_level = _mm256_set1_epi8(static_cast<char>(marks.protect));
  const __m256i prune_level = _mm256_set1_epi8(static_cast<char>(marks.pruned));
  size_t protected_count = 0, i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    Masks m[4];
    for (size_t k = 0; k < 4; ++k) {
      const size_t at = i + k * kLanes;
      m[k] = masks<kGradients>(rule, load(w + 4 * at), kGradients ? g + 4 * at : nullptr);
    }
    const __m256i protect = to_bytes(m[0].protect, m[1].protect, m[2].protect, m[3].protect);
    const __m256i prune = to_bytes(m[0].prune, m[1].prune, m[2].prune, m[3].prune);
    __m256i level = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels + i));
    level = _mm256_blendv_epi8(level, prune_level, prune);
    level = _mm256_blendv_epi8(level, protect_level, protect);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(levels + i), level);
    protected_count += static_cast<size_t>(_mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_epi8(protect))));
  }
  if (i == count) return protected_count;
  return protected_count + mark_levels_scalar(plain, w + 4 * i, kGradients ? g + 4 * i : nullptr, count - i, marks, levels + i);
}

template <bool kGradients>
size_t keep(const PartitionRule& plain, const unsigned char* w, const unsigned char* g, size_t count, float* kept) {
  const Rule rule(plain);
  // skip_marker of positions 0..7 and 8..15.
  const __m256i base = _mm256_set1_epi32(0x7FC00000);
  const __m256i low = _mm256_or_si256(base, _mm256_slli_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), 17));
  const __m256i high = _mm256_or_si256(base, _mm256_slli_epi32(_mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15), 17));
  size_t replaced = 0, i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    for (size_t k = 0; k < 2; ++k) {
      const size_t at = i + k * kLanes;
      const __m256 weight = load(w + 4 * at);
      const Masks m = masks<kGradients>(rule, weight, kGradients ? g + 4 * at : nullptr);
      const __m256 skip = _mm256_castsi256_ps(_mm256_or_si256(m.protect, m.prune));
      _mm256_storeu_ps(kept + at, _mm256_blendv_ps(weight, _mm256_castsi256_ps(k ? high : low), skip));
      replaced += static_cast<size_t>(_mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_ps(skip))));
    }
  }
  if (i == count) return replaced;
  return replaced + keep_quantized_scalar(plain, w + 4 * i, kGradients ? g + 4 * i : nullptr, count - i, kept + i);
}

}  // namespace

size_t mark_levels_avx2(const PartitionRule& rule, const void* weights, const void* gradients, size_t count, PartitionLevels marks,
                        uint8_t* levels) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  const unsigned char* g = static_cast<const unsigned char*>(gradients);
  return g ? mark<true>(rule, w, g, count, marks, levels) : mark<false>(rule, w, g, count, marks, levels);
}

size_t keep_quantized_avx2(const PartitionRule& rule, const void* weights, const void* gradients, size_t count, float* kept) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  const unsigned char* g = static_cast<const unsigned char*>(gradients);
  return g ? keep<true>(rule, w, g, count, kept) : keep<false>(rule, w, g, count, kept);
}

}  // namespace firn
#endif
