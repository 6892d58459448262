// Weighted k-means with k-means++ seeding (Inshrinkerator section 4.4, algorithms 2 and 3).
#pragma once
#include <cstdint>
#include <vector>

#include "codebook_quant/codebook/points.h"

namespace firn {

// At most `k` centroids (k >= 1), in increasing order. Fewer when fewer points have weight. `points` may not be empty.
std::vector<double> cluster_kmeanspp(const Points& points, uint32_t k, uint64_t seed, uint32_t lloyd_max);

}  // namespace firn
