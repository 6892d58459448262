#include "codebook_quant/codebook/points.h"

#include <bit>
#include <cmath>

#include "stats/keys.h"

namespace firn {
namespace {

// Calls visit(bits of the smallest value, midpoint, count) for each, in increasing order of value.
template <typename Visit>
void visit_occupied(const Sketch& sketch, const Visit& visit) {
  constexpr uint32_t kLargestMember = (1u << kKeyShift) - 1;
  for (uint32_t key = kSignKey | kNonFiniteKey; key-- > kSignKey;) {
    if (sketch.counts[key] > 0) visit(key << kKeyShift | kLargestMember, sketch_midpoint(key), sketch.counts[key]);
  }
  if (sketch.zeros > 0) visit(0u, 0.0f, sketch.zeros);
  for (uint32_t key = 0; key < kNonFiniteKey; ++key) {
    // Zero itself is not of the lowest bucket.
    if (sketch.counts[key] > 0) visit(key == 0 ? 1u : key << kKeyShift, sketch_midpoint(key), sketch.counts[key]);
  }
}

Points occupied_buckets(const Sketch& sketch) {
  Points points;
  visit_occupied(sketch, [&](uint32_t, float midpoint, uint64_t count) {
    points.values.push_back(midpoint);
    points.weights.push_back(static_cast<double>(count));
  });
  return points;
}

}  // namespace

std::vector<float> bucket_floors(const Sketch& sketch) {
  std::vector<float> floors;
  visit_occupied(sketch, [&](uint32_t smallest, float, uint64_t) { floors.push_back(std::bit_cast<float>(smallest)); });
  return floors;
}

Points make_points(const Sketch& sketch, Weighting weighting, double sigma) {
  Points points = occupied_buckets(sketch);
  if (weighting == Weighting::frequency) return points;
  double count_sum = 0, magnitude_sum = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    count_sum += points.weights[i];
    magnitude_sum += std::fabs(points.values[i]);
  }
  for (size_t i = 0; i < points.size(); ++i) {
    const double frequency = points.weights[i] / count_sum;
    const double magnitude = magnitude_sum > 0 ? std::fabs(points.values[i]) / magnitude_sum : 0;
    points.weights[i] = sigma * frequency + (1 - sigma) * magnitude;
  }
  return points;
}

}  // namespace firn
