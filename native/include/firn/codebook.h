// Codebooks: one-dimensional weighted k-means over a sketch (Inshrinkerator section 4.4).
//
// Both methods cluster bucket midpoints, return strictly increasing binary32 centroids, and never more than asked for (fewer when
// the sketch has fewer distinct buckets; one centroid 0 when it is empty). Non-finite values are ignored. Same sketch, same
// arguments: same bits on every machine (no libm transcendentals, no contraction, sums in key order).
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/sketch.h"
#include "firn/status.h"

namespace firn {

inline constexpr uint32_t kBinsMin = 2;
inline constexpr uint32_t kBinsMax = 256;

enum class Clustering : uint8_t {
  kmeanspp = 0,  // algorithms 2 and 3: weights sigma * freq + (1 - sigma) * |value|, each normalised to sum 1; seeding by weighted distance; Lloyd
  optimal = 1,   // exact weighted k-means by divide-and-conquer dynamic programming (Groenlund et al., arXiv 1701.07204)
};

enum class Weighting : uint8_t {
  frequency = 0,            // bucket counts
  frequency_magnitude = 1,  // the paper's mix, `sigma` of it frequency
};

struct CodebookOptions {
  Clustering clustering = Clustering::kmeanspp;
  Weighting weighting = Weighting::frequency_magnitude;
  double sigma = 0.2;     // 0..1, section 4.4
  uint64_t seed = 0;      // used by kmeanspp only
  uint32_t lloyd_max = 25;  // iterations after seeding
};

// Writes at most `bins` centroids to `centroids` (capacity >= bins) and their number to `centroid_count`.
// invalid_argument when bins is outside kBinsMin..kBinsMax or sigma outside 0..1.
Status build_codebook(const Sketch& sketch, uint32_t bins, const CodebookOptions& options, float* centroids,
                      uint32_t* centroid_count);

// Weighted sum of squared distances of bucket midpoints to their nearest centroid; for tests and comparisons.
double codebook_distortion(const Sketch& sketch, const CodebookOptions& options, const float* centroids, uint32_t centroid_count);

}  // namespace firn
