// Weights of a codebook and their levels, on a device.
#pragma once
#include <string>
#include <vector>

#include "codebook_quant/assign/assign_team.h"
#include "device/work/block_arguments.h"
#include "firn/device_codebook.h"

namespace firn {

// Weights on the device, where a name may have kept them.
class WeightsThere {
 public:
  WeightsThere(DeviceWork& work, const CodebookWeights& weights, bool with_gradients)
      : weights(part(work, weights.name, "/w", weights.weights, weights.count * dtype_bytes(weights.dtype))),
        gradients(with_gradients ? part(work, weights.name, "/g", weights.gradients,
                                        weights.count * dtype_bytes(weights.gradient_dtype))
                                 : nullptr) {}
  const void* const weights;
  const void* const gradients;  // null without

 private:
  static const void* part(DeviceWork& work, std::string_view name, const char* suffix, const void* from,
                          size_t bytes) {
    return work.held(name.empty() ? "" : std::string(name) + suffix, from, bytes);
  }
};

// Levels of weights, all on the device, and where the words of protected weights go.
class LevelsThere {
 public:
  LevelsThere(DeviceWork& work, const CodebookWeights& block, const PartitionRule& rule, const LevelMap& map)
      : chunks(codebook_chunks(block.count)),
        block_(block),
        there_(work, block, block.gradients != nullptr),
        protect_(static_cast<uint8_t>(map.protected_level)),
        protects_(rule.protects()) {
    const BinSearch search = make_bin_search(map.centroids, map.centroid_count, map.boundaries);
    Packed in;
    const size_t at_search = in.add(&search, 1);
    in.go_up(work);
    levels = work.room<uint8_t>(block.count);
    places = work.room<uint64_t>(size_t{chunks} + 1);
    uint32_t* const d_counts = work.room<uint32_t>(chunks);
    work.run(&DeviceTable::assign_levels,
             AssignLevelsTeamKernel{there_.weights, there_.gradients, block.dtype, block.gradient_dtype, block.count,
                                    rule, in.at<BinSearch>(at_search), static_cast<uint8_t>(map.pruned_level), protect_,
                                    levels, d_counts});
    work.run(&DeviceTable::exclusive_sums, ExclusiveSumsTeamKernel{d_counts, chunks, places});
  }

  // The words of protected weights. Null if no weight is protected, and after a failure.
  const uint16_t* gather_words(DeviceWork& work) const {
    if (!protects_) return nullptr;
    uint16_t* const words = work.room<uint16_t>(block_.count);
    work.run(&DeviceTable::gather_protected,
             GatherProtectedTeamKernel{there_.weights, block_.dtype, levels, block_.count, protect_, places, words});
    return words;
  }

  // Their number, complete after work.wait().
  void bring_word_count(DeviceWork& work, uint64_t* count) const { work.bring(count, places + chunks, sizeof *count); }
  // `count` words. False when there cannot be so many, or after a failure.
  bool bring_words(DeviceWork& work, const uint16_t* d_words, uint64_t count, std::vector<uint16_t>* words) const {
    if (count > (d_words ? block_.count : 0)) return false;
    words->resize(count);
    if (count == 0) return true;
    work.bring(words->data(), d_words, count * sizeof(uint16_t));
    return work.wait();
  }

  const uint32_t chunks;
  uint8_t* levels = nullptr;
  uint64_t* places = nullptr;  // of the words, a chunk; then their number

 private:
  const CodebookWeights& block_;
  const WeightsThere there_;
  const uint8_t protect_;
  const bool protects_;
};

}  // namespace firn
