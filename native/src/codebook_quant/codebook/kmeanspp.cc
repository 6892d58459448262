#include "codebook_quant/codebook/kmeanspp.h"

#include <algorithm>
#include <cmath>

#include "codebook_quant/codebook/split_mix.h"
#include "common/invariant.h"

namespace firn {
namespace {

constexpr size_t kNone = SIZE_MAX;

// Index drawn with probability proportional to `shares` (>= 0); kNone when all are 0.
size_t random_choice(const std::vector<double>& shares, SplitMix& random) {
  double total = 0;
  for (const double share : shares) total += share;
  if (!(total > 0)) return kNone;
  const double target = random.unit() * total;
  double sum = 0;
  size_t last = kNone;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0) continue;
    sum += shares[i];
    last = i;
    if (sum > target) break;
  }
  return last;
}

// Algorithm 3: each next centroid is drawn by weight times distance (not squared) to the nearest one so far.
std::vector<double> seed_centroids(const Points& points, uint32_t k, SplitMix& random) {
  std::vector<double> centroids, distances(points.size(), 0), shares(points.weights);
  for (size_t chosen = random_choice(shares, random); chosen != kNone; chosen = random_choice(shares, random)) {
    const double centroid = points.values[chosen];
    const bool first = centroids.empty();
    centroids.push_back(centroid);
    if (centroids.size() == k) break;
    for (size_t i = 0; i < points.size(); ++i) {
      const double distance = std::fabs(points.values[i] - centroid);
      if (first || distance < distances[i]) distances[i] = distance;
      shares[i] = distances[i] * points.weights[i];
    }
  }
  std::sort(centroids.begin(), centroids.end());
  return centroids;
}

// One iteration of Lloyd's algorithm: every centroid becomes the weighted mean of its points. A centroid without weight
// stays. Returns whether anything moved.
bool refine(const Points& points, std::vector<double>& centroids) {
  bool moved = false;
  size_t i = 0;
  double here = centroids[0];  // centroids[c] before this iteration
  for (size_t c = 0; c < centroids.size(); ++c) {
    const bool last = c + 1 == centroids.size();
    const double following = last ? here : centroids[c + 1], boundary = (here + following) / 2;
    double weight = 0, moment = 0;
    for (; i < points.size() && (last || points.values[i] < boundary); ++i) {
      weight += points.weights[i];
      moment += points.weights[i] * points.values[i];
    }
    if (weight > 0 && moment / weight != here) {
      centroids[c] = moment / weight;
      moved = true;
    }
    here = following;
  }
  return moved;
}

}  // namespace

std::vector<double> cluster_kmeanspp(const Points& points, uint32_t k, uint64_t seed, uint32_t lloyd_max) {
  FIRN_INVARIANT(k >= 1 && !points.values.empty());
  SplitMix random(seed);
  std::vector<double> centroids = seed_centroids(points, k, random);
  if (centroids.empty()) centroids.push_back(points.values[0]);  // no point has weight
  for (uint32_t iteration = 0; iteration < lloyd_max && refine(points, centroids); ++iteration) {
  }
  return centroids;
}

}  // namespace firn
