// Sketches, levels and elements of a codebook on a device.
#include "firn/device_codebook.h"

#include <algorithm>
#include <string>

#include "codebook_quant/assign/assign_team.h"
#include "codebook_quant/assign/takes_levels.h"
#include "device/work/block_arguments.h"

namespace firn {
namespace {

// Entries of a sketch that come back at once with their number: a trained tensor has two to four thousand.
constexpr size_t kEntriesAtOnce = 4096;
// A team counts in 32 bits.
constexpr size_t kSketchedMax = size_t{1} << 31;

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

// Runs a kernel that adds to a sketch, and adds what it found to `sketch`. `kernel.sketch` is filled in.
template <typename Kernel>
bool add_found(DeviceWork& work, int32_t (*DeviceTable::*name)(void*, const Kernel*), Kernel kernel, Sketch& sketch) {
  constexpr size_t kRestBytes = in_sixteens(sizeof(SketchRest));
  kernel.sketch = work.room<Sketch>(1);
  uint8_t* const d_packed = work.room<uint8_t>(kRestBytes + kSketchBuckets * sizeof(SketchEntry));
  if (!work.ok()) return false;
  const auto d_entries = reinterpret_cast<SketchEntry*>(d_packed + kRestBytes);
  work.clear(kernel.sketch, sizeof(Sketch));
  work.run(name, kernel);
  work.run(&DeviceTable::sketch_pack,
           SketchPackKernel{kernel.sketch, reinterpret_cast<SketchRest*>(d_packed), d_entries});
  SketchRest rest{};
  std::vector<SketchEntry> entries(kEntriesAtOnce);
  work.bring(&rest, d_packed, sizeof rest);
  work.bring(entries.data(), d_entries, kEntriesAtOnce * sizeof(SketchEntry));
  if (!work.wait() || rest.entries > kSketchBuckets) return false;
  entries.resize(rest.entries);
  if (rest.entries > kEntriesAtOnce) {
    work.bring(entries.data() + kEntriesAtOnce, d_entries + kEntriesAtOnce,
               (rest.entries - kEntriesAtOnce) * sizeof(SketchEntry));
    if (!work.wait()) return false;
  }
  const auto is_key = [](const SketchEntry& entry) { return entry.key < kSketchBuckets; };
  if (!std::all_of(entries.begin(), entries.end(), is_key) || !work.done()) return false;
  for (const SketchEntry& entry : entries) sketch.counts[entry.key] += entry.count;
  sketch.zeros += rest.zeros;
  sketch.nans += rest.nans;
  sketch.infinities += rest.infinities;
  return true;
}

bool may_sketch(const CodebookWeights& weights) { return weights.count > 0 && weights.count <= kSketchedMax; }

// Levels of weights, with the words of those that are protected; all on the device.
class LevelsThere {
 public:
  LevelsThere(DeviceWork& work, const CodebookWeights& weights, const PartitionRule& rule, const LevelMap& map)
      : chunks(codebook_chunks(weights.count)) {
    const WeightsThere there(work, weights, weights.gradients != nullptr);
    const BinSearch search = make_bin_search(map.centroids, map.centroid_count, map.boundaries);
    Packed in;
    const size_t at_search = in.add(&search, 1);
    in.go_up(work);
    levels = work.room<uint8_t>(weights.count);
    places = work.room<uint64_t>(size_t{chunks} + 1);
    words = rule.protects() ? work.room<uint16_t>(weights.count) : nullptr;
    uint32_t* const d_counts = work.room<uint32_t>(chunks);
    const auto protect = static_cast<uint8_t>(map.protected_level);
    work.run(&DeviceTable::assign_levels,
             AssignLevelsTeamKernel{there.weights, there.gradients, weights.dtype, weights.gradient_dtype,
                                    weights.count, rule, in.at<BinSearch>(at_search),
                                    static_cast<uint8_t>(map.pruned_level), protect, levels, d_counts});
    work.run(&DeviceTable::exclusive_sums, ExclusiveSumsTeamKernel{d_counts, chunks, places});
    if (!words) return;
    work.run(&DeviceTable::gather_protected, GatherProtectedTeamKernel{there.weights, weights.dtype, levels,
                                                                       weights.count, protect, places, words});
  }

  const uint32_t chunks;
  uint8_t* levels = nullptr;
  uint64_t* places = nullptr;  // of the words, a chunk; then their number
  uint16_t* words = nullptr;   // null if no weight is protected
};

}  // namespace

bool device_sketch_values(DeviceContext& context, const CodebookWeights& weights, Sketch& sketch) {
  if (!may_sketch(weights)) return false;
  DeviceWork work(context, "sketch values");
  const WeightsThere there(work, weights, false);
  return add_found(work, &DeviceTable::sketch_values,
                   SketchValuesKernel{there.weights, weights.dtype, weights.count, nullptr}, sketch);
}

bool device_sketch_sensitivity(DeviceContext& context, const CodebookWeights& weights, Sketch& sketch) {
  if (!may_sketch(weights) || !weights.gradients) return false;
  DeviceWork work(context, "sketch sensitivities");
  const WeightsThere there(work, weights, true);
  return add_found(work, &DeviceTable::sketch_sensitivity,
                   SketchSensitivityKernel{there.weights, there.gradients, weights.dtype, weights.gradient_dtype,
                                           weights.count, nullptr},
                   sketch);
}

bool device_sketch_quantized(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                             Sketch& sketch) {
  if (!may_sketch(weights)) return false;
  DeviceWork work(context, "sketch the weights of a codebook");
  const WeightsThere there(work, weights, weights.gradients != nullptr);
  return add_found(
      work, &DeviceTable::sketch_quantized,
      SketchQuantizedTeamKernel{there.weights, there.gradients, weights.dtype, weights.gradient_dtype, weights.count,
                                partition_rule(partition, weights.gradients != nullptr), nullptr},
      sketch);
}

bool device_assign_levels(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                          const LevelMap& map, uint8_t* levels, std::vector<uint16_t>* words) {
  const PartitionRule rule = partition_rule(partition, weights.gradients != nullptr);
  if (weights.count == 0 || !takes_levels(map, rule)) return false;
  DeviceWork work(context, "assign levels");
  const LevelsThere found(work, weights, rule, map);
  uint64_t word_count = 0;
  work.bring(levels, found.levels, weights.count);
  work.bring(&word_count, found.places + found.chunks, sizeof word_count);
  if (!work.wait() || word_count > (found.words ? weights.count : 0)) return false;
  words->resize(word_count);
  if (word_count > 0) {
    work.bring(words->data(), found.words, word_count * sizeof(uint16_t));
    if (!work.wait()) return false;
  }
  return work.done();
}

bool device_codebook_elements(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                              const LevelMap& map, const LevelTable& table, void* out) {
  const PartitionRule rule = partition_rule(partition, weights.gradients != nullptr);
  if (weights.count == 0 || !takes_levels(map, rule) || table.level_count > kLevelsMax ||
      map.protected_level >= static_cast<int32_t>(table.level_count))
    return false;
  DeviceWork work(context, "rebuild elements from a codebook");
  const LevelsThere found(work, weights, rule, map);
  const size_t bytes = weights.count * dtype_bytes(table.dtype);
  const void* const d_table = work.put(table.elements, kLevelsMax * dtype_bytes(table.dtype));
  uint8_t* const d_elements = work.room<uint8_t>(bytes);
  uint8_t* const d_failures = work.room<uint8_t>(found.chunks);
  work.run(&DeviceTable::dequantize,
           DequantizeTeamKernel{found.levels, weights.count, table.dtype, d_table, table.level_count,
                                map.protected_level, found.places, found.words, found.words ? weights.count : 0,
                                d_elements, d_failures});
  std::vector<uint8_t> failures(found.chunks);
  work.bring(failures.data(), d_failures, failures.size());
  work.bring(out, d_elements, bytes);
  const auto failed = [](uint8_t failure) { return failure != 0; };
  return work.wait() && std::none_of(failures.begin(), failures.end(), failed) && work.done();
}

}  // namespace firn
