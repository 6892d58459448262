#include "codebook_quant/assign/bin_search.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>

#include "common/invariant.h"

namespace firn {

float midpoint(float a, float b) {
  // The binary64 sum is exact unless one operand is below 2^-28 of the other. Then the result is half the larger one in
  // either case.
  return static_cast<float>((static_cast<double>(a) + b) / 2);
}

BinSearch make_bin_search(const float* centroids, uint32_t count, const float* boundaries) {
  constexpr float kUnused = std::numeric_limits<float>::quiet_NaN();
  FIRN_INVARIANT(count >= 1 && count <= kBoundariesMax + 1);
  FIRN_INVARIANT(std::adjacent_find(centroids, centroids + count, std::greater_equal<>()) == centroids + count);
  BinSearch search;
  search.boundary_count = count - 1;
  search.depth = static_cast<uint32_t>(std::bit_width(count - 1));
  for (uint32_t i = 0; i <= kBoundariesMax; ++i) {
    if (i + 1 >= count) search.sorted[i] = kUnused;
    else search.sorted[i] = boundaries == nullptr ? midpoint(centroids[i], centroids[i + 1]) : boundaries[i];
    search.tree[i] = kUnused;
  }
  for (uint32_t step = 0; step < search.depth; ++step) {
    const uint32_t stride = 1u << (search.depth - step);  // boundaries below one node of this step, and itself
    for (uint32_t path = 0; path < 1u << step; ++path) {
      search.tree[(1u << step) - 1 + path] = search.sorted[path * stride + stride / 2 - 1];
    }
  }
  return search;
}

namespace scalar {

void find_bins(const BinSearch& search, const void* weights, size_t count, uint8_t* bins) {
  const uint8_t* bytes = static_cast<const uint8_t*>(weights);
  for (size_t i = 0; i < count; ++i) {
    float weight;
    std::memcpy(&weight, bytes + i * sizeof weight, sizeof weight);
    uint32_t low = 0, high = search.boundary_count;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (weight >= search.sorted[middle]) low = middle + 1;
      else high = middle;
    }
    bins[i] = static_cast<uint8_t>(low);
  }
}

}  // namespace scalar

}  // namespace firn
