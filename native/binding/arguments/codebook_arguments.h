// Weights of a codebook and what they become levels by, as arguments of a call.
#pragma once
#include <algorithm>
#include <functional>
#include <vector>

#include "binding/arguments/weight_pair.h"
#include "firn/codebook_quant/assign.h"

namespace firn::binding {

// A named pair (five arguments), a partition (four), centroids, the pruned and the protected level, boundaries.
struct CodebookBlock {
  NamedWeightPair pair;
  Partition partition;
  LevelMap map;
  size_t boundary_count = 0;  // 0 if the map has none

  // Arguments 1 to 13.
  static CodebookBlock read(Arguments& args) {
    CodebookBlock block{NamedWeightPair::read(args, 1), read_partition(args, 6), {}};
    const Input<float> centroids = args.floats(10);
    block.map.centroids = centroids.data;
    block.map.centroid_count = static_cast<uint32_t>(std::min<size_t>(centroids.count, kLevelsMax + 1));
    block.map.pruned_level = static_cast<int32_t>(args.integer(11, kNoLevel, kLevelsMax - 1));
    block.map.protected_level = static_cast<int32_t>(args.integer(12, kNoLevel, kLevelsMax - 1));
    const Input<float> boundaries = args.optional_floats(13);
    block.boundary_count = boundaries.count;
    if (boundaries.count > 0) block.map.boundaries = boundaries.data;
    return block;
  }
  bool valid() const {
    return pair.valid() && map.centroid_count >= 1 && map.centroid_count <= kLevelsMax &&
           increasing(map.centroids, map.centroid_count) &&
           (map.boundaries == nullptr ||
            (boundary_count == map.centroid_count - 1 && increasing(map.boundaries, boundary_count)));
  }
  // Levels to `levels`, one a weight, and the words of those that are protected.
  Status assign(uint8_t* levels, std::vector<uint16_t>* words) const {
    size_t protected_count = 0;
    const Status status = assign_levels(pair.weights.data, pair.weight_dtype, pair.gradients.data,
                                        pair.gradient_dtype, pair.count(), partition, map, levels, &protected_count);
    words->resize(status == Status::ok ? protected_count : 0);
    if (!words->empty())
      gather_protected(pair.weights.data, pair.weight_dtype, levels, pair.count(),
                       static_cast<uint8_t>(map.protected_level), words->data());
    return status;
  }

 private:
  static bool increasing(const float* values, size_t count) {
    return std::adjacent_find(values, values + count, std::not_fn(std::less<>())) == values + count;
  }
};

}  // namespace firn::binding
