#include "codebook_quant/codebook/optimal.h"

#include <algorithm>

#include "codebook_quant/codebook/runs.h"
#include "common/invariant.h"

namespace firn {
namespace {

// The recurrence, cluster by cluster: best[c][j] = min over i < j of best[c - 1][i] + cost(i, j), for the first j
// points in c clusters. The i that attains it never falls as j or c grows, so a range of j is solved by its middle
// first (divide and conquer).
class Table {
 public:
  Table(const Runs& runs, uint32_t k)
      : runs_(runs), k_(k), width_(runs.size() + 1), before_(width_), best_(width_), starts_(k * width_) {
    for (size_t j = 1; j < width_; ++j) best_[j] = runs_.cost(0, j);
    for (uint32_t c = 2; c <= k_; ++c) {
      before_.swap(best_);
      starts_before_ = &starts_[(c - 2) * width_];
      starts_now_ = &starts_[(c - 1) * width_];
      const size_t last = width_ - 1;
      // Only the end of the last row is needed; every later cluster needs a point of its own.
      solve(c == k_ ? last : c, last - (k_ - c), c - 1, last - 1);
    }
  }

  // First points of the k clusters of all points, and their end.
  std::vector<size_t> edges() const {
    std::vector<size_t> edges(k_ + 1, 0);
    edges[k_] = width_ - 1;
    for (uint32_t c = k_; c-- > 1;) edges[c] = starts_[c * width_ + edges[c + 1]];
    return edges;
  }

 private:
  // Fills j in [low, high], knowing that the last cluster starts in [start_low, start_high].
  void solve(size_t low, size_t high, size_t start_low, size_t start_high) {
    while (low <= high) {
      const size_t j = low + (high - low) / 2;
      const size_t from = std::max<size_t>(start_low, starts_before_[j]), to = std::min(start_high, j - 1);
      double best = before_[from] + runs_.cost(from, j);
      size_t start = from;
      for (size_t i = from + 1; i <= to; ++i) {
        const double cost = before_[i] + runs_.cost(i, j);
        if (cost < best) {
          best = cost;
          start = i;
        }
      }
      best_[j] = best;
      starts_now_[j] = static_cast<uint16_t>(start);
      if (j > low) solve(low, j - 1, start_low, start);
      low = j + 1;
      start_low = start;
    }
  }

  const Runs& runs_;
  uint32_t k_;
  size_t width_;
  std::vector<double> before_, best_;
  std::vector<uint16_t>
      starts_;  // where the last cluster starts, by (clusters - 1, points); there are fewer than 2^16 points
  const uint16_t* starts_before_ = nullptr;
  uint16_t* starts_now_ = nullptr;
};

}  // namespace

static_assert(kSketchBuckets < UINT16_MAX);

std::vector<size_t> optimal_edges(const Runs& runs, uint32_t k) {
  FIRN_INVARIANT(k >= 1 && k <= runs.size());
  return Table(runs, k).edges();
}

std::vector<double> cluster_optimal(const Points& points, uint32_t k) {
  const Runs runs(points);
  if (runs.size() == 0) return {points.values[0]};
  k = static_cast<uint32_t>(std::min<size_t>(k, runs.size()));
  const std::vector<size_t> edges = optimal_edges(runs, k);
  std::vector<double> centroids(k);
  for (uint32_t c = 0; c < k; ++c) centroids[c] = runs.mean(edges[c], edges[c + 1]);
  return centroids;
}

}  // namespace firn
