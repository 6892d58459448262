// Weights to levels and back. A level is a bin index, or the pruned or the protected level.
//
// With K centroids: levels 0..K-1 are bins in increasing value order; `pruned_level` and `protected_level`, if present,
// are K and up (pruned before protected). At most 256 levels in all.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/codebook_quant/partition.h"
#include "firn/dtype.h"
#include "firn/status.h"

namespace firn {

inline constexpr uint32_t kLevelsMax = 256;
inline constexpr int32_t kNoLevel = -1;

struct LevelMap {
  const float* centroids = nullptr;  // strictly increasing
  uint32_t centroid_count = 0;       // K >= 1
  int32_t pruned_level = kNoLevel;
  int32_t protected_level = kNoLevel;
  // K - 1 of them, strictly increasing: the smallest value of each bin except the first. Null: halfway between
  // centroids.
  const float* boundaries = nullptr;
};

// Writes `count` levels. A weight goes to bin i if x >= boundary[i-1] and x < boundary[i]. If the map has no
// boundaries, it goes to the bin with the nearest centroid: boundary[i] = (c[i] + c[i+1]) / 2 rounded to binary32.
// Weights must be finite (NaN counts as below every boundary). Weights and gradients need no alignment.
// `protected_count` receives the number of protected weights (may be null). invalid_argument when the partition
// protects or prunes and the map lacks that level, centroids or boundaries are not finite and strictly increasing, or
// levels overlap.
Status assign_levels(const void* weights, Dtype weight_dtype, const void* gradients, Dtype gradient_dtype, size_t count,
                     const Partition& partition, const LevelMap& map, uint8_t* levels, size_t* protected_count);

// Copies the protected weights, in element order, as 16-bit words: bfloat16 for f32 (round to nearest even) and bf16,
// the weight's own bits for f16. `words` must have room for every protected level in `levels`.
void gather_protected(const void* weights, Dtype weight_dtype, const uint8_t* levels, size_t count,
                      uint8_t protected_level, uint16_t* words);

// Rebuilds `count` elements in `dtype`: table[level], or the next protected word if level == protected_level. `table`
// has 256 elements of `dtype`; entries past the last level are never used for valid input. A lookup, no arithmetic
// (DESIGN invariant). No pointer needs alignment, except protected_words. corrupt when a level >= level_count occurs or
// the number of protected levels differs from `protected_count`; invalid_argument when level_count > 256 or
// protected_level is not below it.
Status dequantize(const uint8_t* levels, size_t count, Dtype dtype, const void* table, uint32_t level_count,
                  int32_t protected_level, const uint16_t* protected_words, size_t protected_count, void* out);

}  // namespace firn
