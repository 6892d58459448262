// Exact weighted one-dimensional k-means by dynamic programming (Groenlund et al., arXiv 1701.07204, section 2).
#pragma once
#include <cstdint>
#include <vector>

#include "codebook_quant/codebook/points.h"
#include "codebook_quant/codebook/runs.h"

namespace firn {

// At most `k` centroids (k >= 1), in increasing order, with the least weighted sum of squared distances. Fewer when
// fewer points have weight. `points` may not be empty. Time O(k n log n), memory O(k n). Throws std::bad_alloc.
std::vector<double> cluster_optimal(const Points& points, uint32_t k);

// The same as runs: the first point of each of the `k` clusters, and behind them the number of points. 1 <= k <=
// runs.size().
std::vector<size_t> optimal_edges(const Runs& runs, uint32_t k);

}  // namespace firn
