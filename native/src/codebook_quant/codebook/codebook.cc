#include "firn/codebook_quant/codebook.h"

#include <algorithm>
#include <new>

#include "codebook_quant/codebook/cut_places.h"
#include "codebook_quant/codebook/entropy.h"
#include "codebook_quant/codebook/kmeanspp.h"
#include "codebook_quant/codebook/optimal.h"
#include "codebook_quant/codebook/points.h"

namespace firn {
namespace {

std::vector<double> cluster(const Points& points, uint32_t bins, const CodebookOptions& options) {
  if (points.size() == 0) return {0};
  if (points.size() <= bins) return points.values;  // a centroid for every bucket
  if (options.clustering == Clustering::optimal) return cluster_optimal(points, bins);
  return cluster_kmeanspp(points, bins, options.seed, options.lloyd_max);
}

// Price of one bit of all weights together.
double price_of_bit(const Runs& runs, const std::vector<size_t>& edges, double mass, double bit_price) {
  double error = 0;
  for (size_t c = 0; c + 1 < edges.size(); ++c) error += runs.cost(edges[c], edges[c + 1]);
  return bit_price * error / mass;
}

// The first point of each cell, and behind them the number of points; of at least one point.
std::vector<size_t> cut_cells(const Runs& runs, const Points& counts, uint32_t bins, double bit_price) {
  std::vector<size_t> edges = optimal_edges(runs, static_cast<uint32_t>(std::min<size_t>(bins, runs.size())));
  double mass = 0;
  for (const double count : counts.weights) mass += count;
  const double price = price_of_bit(runs, edges, mass, bit_price);
  if (!(price > 0)) return edges;
  const std::vector<size_t> ends =
      cut_places(runs, edges, std::max<size_t>(kCutPlacesMax, size_t{kCutPlacesPerBin} * bins));
  std::vector<double> masses(ends.size(), 0);
  for (size_t place = 0, i = 0; place < ends.size(); ++place) {
    for (; i < ends[place]; ++i) masses[place] += counts.weights[i];
  }
  std::vector<size_t> cells = entropy_edges(Runs(runs, ends), masses, bins, price);
  for (size_t& cell : cells) cell = cell == 0 ? 0 : ends[cell - 1];
  return cells;
}

bool valid(uint32_t bins, const EntropyOptions& options) {
  const bool mixes = options.weighting == Weighting::frequency_magnitude;
  return bins >= kBinsMin && bins <= kBinsMax && options.bit_price >= 0 && options.bit_price <= kBitPriceMax &&
         options.sigma <= 1 && options.sigma >= (mixes ? kEntropySigmaMin : 0);
}

}  // namespace

Status build_codebook(const Sketch& sketch, uint32_t bins, const CodebookOptions& options, float* centroids,
                      uint32_t* centroid_count) {
  if (bins < kBinsMin || bins > kBinsMax || !(options.sigma >= 0 && options.sigma <= 1))
    return Status::invalid_argument;
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

Status build_entropy_codebook(const Sketch& sketch, uint32_t bins, const EntropyOptions& options, float* centroids,
                              float* boundaries, uint32_t* centroid_count) {
  if (!valid(bins, options)) return Status::invalid_argument;
  try {
    const Runs runs(make_points(sketch, options.weighting, options.sigma));
    *centroid_count = 1;
    centroids[0] = 0;
    if (runs.size() == 0) return Status::ok;
    const std::vector<float> floors = bucket_floors(sketch);
    const std::vector<size_t> cells =
        cut_cells(runs, make_points(sketch, Weighting::frequency, 0), bins, options.bit_price);
    for (size_t c = 0; c + 1 < cells.size(); ++c) {
      const double mean = runs.mean(cells[c], cells[c + 1]);
      // Inside the cell however sums were rounded, so centroids increase.
      centroids[c] = static_cast<float>(std::clamp(mean, runs.value(cells[c]), runs.value(cells[c + 1] - 1))) + 0.0f;
      if (c > 0) boundaries[c - 1] = floors[cells[c]];
    }
    *centroid_count = static_cast<uint32_t>(cells.size() - 1);
    return Status::ok;
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory;
  }
}

double codebook_distortion(const Sketch& sketch, const CodebookOptions& options, const float* centroids,
                           uint32_t centroid_count) {
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
