// Quantile thresholds from a sketch (Inshrinkerator section 4.3).
#include <limits>

#include "firn/sketch.h"
#include "stats/keys.h"

namespace firn {
namespace {

uint64_t members(const Sketch& sketch, uint32_t magnitude_key) {
  return sketch.counts[magnitude_key] + sketch.counts[magnitude_key | kSignKey];
}

uint64_t finite_count(const Sketch& sketch) {
  uint64_t total = sketch.zeros;
  for (uint32_t key = 0; key < kNonFiniteKey; ++key) total += members(sketch, key);
  return total;
}

bool within(uint64_t part, uint64_t total, double fraction) {
  return static_cast<double>(part) / static_cast<double>(total) <= fraction;
}

}  // namespace

float sketch_top_threshold(const Sketch& sketch, double fraction) {
  const uint64_t total = finite_count(sketch);
  float threshold = std::numeric_limits<float>::infinity();
  uint64_t at_least = 0;
  for (uint32_t key = kNonFiniteKey; key-- > 0;) {
    const uint64_t count = members(sketch, key);
    if (count == 0) continue;
    at_least += count;
    if (!within(at_least, total, fraction)) break;
    threshold = sketch_lower_edge(key);
  }
  return threshold;
}

float sketch_bottom_threshold(const Sketch& sketch, double fraction) {
  const uint64_t total = finite_count(sketch);
  uint64_t below = sketch.zeros;
  if (total == 0 || !within(below, total, fraction)) return 0;
  float threshold = below > 0 ? sketch_lower_edge(0) : 0;
  for (uint32_t key = 0; key < kNonFiniteKey; ++key) {
    const uint64_t count = members(sketch, key);
    if (count == 0) continue;
    below += count;
    if (!within(below, total, fraction)) break;
    threshold = sketch_lower_edge(key + 1);
  }
  return threshold;
}

}  // namespace firn
