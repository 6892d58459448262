#include "codebook/points.h"

#include <cmath>

#include "sketch/keys.h"

namespace firn {
namespace {

// Values and counts, in increasing order of value.
Points occupied_buckets(const Sketch& sketch) {
  Points points;
  const auto add = [&](double value, uint64_t count) {
    if (count == 0) return;
    points.values.push_back(value);
    points.weights.push_back(static_cast<double>(count));
  };
  for (uint32_t key = kNonFiniteKey; key-- > 0;) add(sketch_midpoint(kSignKey | key), sketch.counts[kSignKey | key]);
  add(0, sketch.zeros);
  for (uint32_t key = 0; key < kNonFiniteKey; ++key) add(sketch_midpoint(key), sketch.counts[key]);
  return points;
}

}  // namespace

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
