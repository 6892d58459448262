// Codebooks over a sketch: one-dimensional weighted k-means (Inshrinkerator section 4.4), and cells of least total cost
// in error and bits.
//
// All methods cluster bucket midpoints and return strictly increasing binary32 centroids, never more than requested.
// They return fewer if the sketch has fewer distinct buckets, and one centroid 0 if it is empty. Non-finite values are
// ignored. Same sketch, same arguments: same bits on every machine (no libm transcendentals, no contraction, sums in
// key order).
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/sketch.h"
#include "firn/status.h"

namespace firn {

inline constexpr uint32_t kBinsMin = 2;
inline constexpr uint32_t kBinsMax = 256;

enum class Clustering : uint8_t {
  kmeanspp = 0,  // algorithms 2 and 3: weights sigma * freq + (1 - sigma) * |value|, each normalised to sum 1; seeding
                 // by weighted distance; Lloyd
  optimal = 1,  // exact weighted k-means by divide-and-conquer dynamic programming (Groenlund et al., arXiv 1701.07204)
};

enum class Weighting : uint8_t {
  frequency = 0,            // bucket counts
  frequency_magnitude = 1,  // the paper's mix, `sigma` of it frequency
};

struct CodebookOptions {
  Clustering clustering = Clustering::kmeanspp;
  Weighting weighting = Weighting::frequency_magnitude;
  double sigma = 0.2;       // 0..1, section 4.4
  uint64_t seed = 0;        // used by kmeanspp only
  uint32_t lloyd_max = 25;  // iterations after seeding
};

// Writes at most `bins` centroids to `centroids` (capacity >= bins) and their number to `centroid_count`.
// invalid_argument when bins is outside kBinsMin..kBinsMax or sigma outside 0..1.
Status build_codebook(const Sketch& sketch, uint32_t bins, const CodebookOptions& options, float* centroids,
                      uint32_t* centroid_count);

// Entropy-constrained scalar quantization (Chou, Lookabaugh, Gray 1989), over cells of neighbouring buckets.
struct EntropyOptions {
  Weighting weighting = Weighting::frequency;
  double sigma = 0.2;  // as in CodebookOptions; at least kEntropySigmaMin if used
  double bit_price =
      1;  // 0..kBitPriceMax: the price of a bit a weight, in errors of optimal k-means with as many bins
};

inline constexpr double kBitPriceMax = 1024;
inline constexpr double kEntropySigmaMin = 0x1p-20;  // then every bucket has weight
// Boundaries between cells that are considered; further ones are thinned out, to at least kCutPlacesPerBin a bin. With
// 768, the cost was at most 0.07 % above the minimum on four distributions and 4 to 32 bins
// (docs/decisions/0021-entropy-constrained-codebooks.md); time grows with their square.
inline constexpr uint32_t kCutPlacesMax = 1024;
inline constexpr uint32_t kCutPlacesPerBin = 4;

// Finds the cells with the least
//
//   error + bit_price * error of optimal k-means with `bins` clusters * bits a weight
//
// where a weight in a cell with a share p of all weights takes -log2(p) bits. Weights outside the sketch (pruned,
// protected) change the bits of all cells alike, so they have no effect. Cells are runs of neighbouring buckets, at
// most `bins` of them, and fewer if another cell costs more bits than it saves. A price of 0 gives optimal k-means.
// Exact if the sketch has at most kCutPlacesMax buckets; see there. Writes at most `bins` centroids (the weighted means
// of the cells) and one boundary fewer, each the smallest value of the cell above it, for LevelMap; the capacity of
// both is at least `bins`. invalid_argument when bins, sigma or bit_price are outside their ranges.
Status build_entropy_codebook(const Sketch& sketch, uint32_t bins, const EntropyOptions& options, float* centroids,
                              float* boundaries, uint32_t* centroid_count);

// Weighted sum of squared distances of bucket midpoints to their nearest centroid; for tests and comparisons.
double codebook_distortion(const Sketch& sketch, const CodebookOptions& options, const float* centroids,
                           uint32_t centroid_count);

}  // namespace firn
