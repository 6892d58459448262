#include "firn/codebook.h"

#include <algorithm>
#include <new>

#include "codebook/kmeanspp.h"
#include "codebook/optimal.h"
#include "codebook/points.h"

namespace firn {
namespace {

std::vector<double> cluster(const Points& points, uint32_t bins, const CodebookOptions& options) {
  if (points.size() == 0) return {0};
  if (points.size() <= bins) return points.values;  // a centroid for every bucket
  if (options.clustering == Clustering::optimal) return cluster_optimal(points, bins);
  return cluster_kmeanspp(points, bins, options.seed, options.lloyd_max);
}

}  // namespace

Status build_codebook(const Sketch& sketch, uint32_t bins, const CodebookOptions& options, float* centroids,
                      uint32_t* centroid_count) {
  if (bins < kBinsMin || bins > kBinsMax || !(options.sigma >= 0 && options.sigma <= 1)) return Status::invalid_argument;
  try {
    uint32_t count = 0;
    for (const double exact : cluster(make_points(sketch, options.weighting, options.sigma), bins, options)) {
      const float rounded = static_cast<float>(exact) + 0.0f;  // -0 becomes 0
      if (count == 0 || rounded > centroids[count - 1]) centroids[count++] = rounded;
    }
    *centroid_count = count;
    return Status::ok;
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory;
  }
}

double codebook_distortion(const Sketch& sketch, const CodebookOptions& options, const float* centroids, uint32_t centroid_count) {
  const Points points = make_points(sketch, options.weighting, options.sigma);
  double sum = 0;
  uint32_t c = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const double value = points.values[i];
    while (c + 1 < centroid_count && value >= (static_cast<double>(centroids[c]) + centroids[c + 1]) / 2) ++c;
    const double distance = value - centroids[c];
    sum += points.weights[i] * distance * distance;
  }
  return sum;
}

}  // namespace firn
