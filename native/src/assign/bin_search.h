// Finding the bin of a weight: how many boundaries lie at or below it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace firn {

inline constexpr uint32_t kBoundariesMax = 255;  // between 256 centroids
inline constexpr uint32_t kSearchDepthMax = 8;   // comparisons; 2^8 - 1 = 255

// Boundaries in two orders. Unused places hold NaN, which no weight reaches.
struct BinSearch {
  float sorted[kBoundariesMax + 1];  // never decreasing; the last place is always unused
  // A complete binary search tree in level order: step t compares with tree[(1 << t) - 1 + path], path being the outcomes of the
  // steps before it as bits. After `depth` steps the path is the bin.
  float tree[kBoundariesMax + 1];
  uint32_t boundary_count;
  uint32_t depth;  // 0 for a single centroid
};

// (a + b) / 2 rounded once to binary32, nearest even; a and b finite.
float midpoint(float a, float b);

// `centroids`: 1 <= count <= 256, finite, strictly increasing.
BinSearch make_bin_search(const float* centroids, uint32_t count);

// In all kernels: bins[i] = number of boundaries b with weights[i] >= b, so 0 for NaN. `weights` are binary32 at any alignment.
using BinKernel = void (*)(const BinSearch& search, const void* weights, size_t count, uint8_t* bins);
void find_bins_scalar(const BinSearch& search, const void* weights, size_t count, uint8_t* bins);
void find_bins_avx2(const BinSearch& search, const void* weights, size_t count, uint8_t* bins);  // depth <= kAvx2DepthMax
void find_bins_avx512(const BinSearch& search, const void* weights, size_t count, uint8_t* bins);

// Deeper trees take more registers than AVX2 has.
inline constexpr uint32_t kAvx2DepthMax = 6;

}  // namespace firn
