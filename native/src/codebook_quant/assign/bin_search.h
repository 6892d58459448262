// Finds the bin of a weight: the number of boundaries at or below it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace firn {

inline constexpr uint32_t kBoundariesMax = 255;  // between 256 centroids
inline constexpr uint32_t kSearchDepthMax = 8;   // comparisons; 2^8 - 1 = 255

// Boundaries in two orders. Unused places hold NaN, which no weight reaches.
struct BinSearch {
  float sorted[kBoundariesMax + 1];  // never decreasing; the last place is always unused
  // A complete binary search tree in level order: step t compares with tree[(1 << t) - 1 + path], path being the
  // outcomes of the steps before it as bits. After `depth` steps the path is the bin.
  float tree[kBoundariesMax + 1];
  uint32_t boundary_count;
  uint32_t depth;  // 0 for a single centroid
};

// (a + b) / 2 rounded once to binary32, nearest even; a and b finite.
float midpoint(float a, float b);

// `centroids`: 1 <= count <= 256, finite, strictly increasing. `boundaries`: count - 1, likewise; null if they are
// halfway.
BinSearch make_bin_search(const float* centroids, uint32_t count, const float* boundaries);

// In all kernels: bins[i] = number of boundaries b with weights[i] >= b, so 0 for NaN. `weights` are binary32 at any
// alignment.
using FindBinsKernel = void(const BinSearch& search, const void* weights, size_t count, uint8_t* bins);

namespace scalar {
FindBinsKernel find_bins;
}
// Trees deeper than kSearchDepthInRegistersMax take more registers than there are; a BinTable is faster then.
namespace avx2 {
inline constexpr uint32_t kSearchDepthInRegistersMax = 6;
FindBinsKernel find_bins;
}  // namespace avx2
namespace avx512 {
inline constexpr uint32_t kSearchDepthInRegistersMax = 7;
FindBinsKernel find_bins;
}  // namespace avx512

// For each top 16 bits of a weight: the bin of the smallest value with these bits. At most `advances` boundaries lie
// between it and the weight.
struct BinTable {
  uint8_t first_bin[1u << 16];
  uint32_t advances;
};
void make_bin_table(const BinSearch& search, BinTable& table);
void find_bins_table(const BinSearch& search, const BinTable& table, const void* weights, size_t count, uint8_t* bins);

}  // namespace firn
