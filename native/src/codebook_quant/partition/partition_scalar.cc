// The rule of firn/partition.h, weight by weight.
#include <bit>
#include <cmath>
#include <cstring>

#include "codebook_quant/partition/partition_kernels.h"
#include "stats/value_counter.h"

namespace firn::scalar {
namespace {

enum class Fate { quantized, pruned, protect };

float load(const void* values, size_t index) {
  float value;
  std::memcpy(&value, static_cast<const uint8_t*>(values) + index * sizeof value, sizeof value);
  return value;
}

Fate fate(const PartitionRule& rule, float weight, float gradient) {
  const float m = std::fabs(weight), s = std::fabs(gradient * weight);
  if (m >= rule.protect_magnitude_min || s >= rule.protect_sensitivity_min) return Fate::protect;
  if (m < rule.prune_magnitude_below || s < rule.prune_sensitivity_below) return Fate::pruned;
  return Fate::quantized;
}

}  // namespace

size_t mark_levels(const PartitionRule& rule, const void* weights, const void* gradients, size_t count,
                   PartitionLevels marks, uint8_t* levels) {
  size_t protected_count = 0;
  for (size_t i = 0; i < count; ++i) {
    switch (fate(rule, load(weights, i), gradients ? load(gradients, i) : 0.0f)) {
      case Fate::protect: levels[i] = marks.protect, ++protected_count; break;
      case Fate::pruned: levels[i] = marks.pruned; break;
      case Fate::quantized: break;
    }
  }
  return protected_count;
}

size_t keep_quantized(const PartitionRule& rule, const void* weights, const void* gradients, size_t count,
                      float* kept) {
  size_t replaced = 0;
  for (size_t i = 0; i < count; ++i) {
    const float weight = load(weights, i);
    const bool keep = fate(rule, weight, gradients ? load(gradients, i) : 0.0f) == Fate::quantized;
    kept[i] = keep ? weight : std::bit_cast<float>(skip_marker(static_cast<uint32_t>(i)));
    replaced += !keep;
  }
  return replaced;
}

}  // namespace firn::scalar
