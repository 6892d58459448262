// Sketches, levels and elements of a codebook on a device.
#include "firn/device_codebook.h"

#include <algorithm>

#include "codebook_quant/assign/takes_levels.h"
#include "device/work/levels_there.h"

namespace firn {
namespace {

// Entries of a sketch that come back at once with their number: a trained tensor has two to four thousand.
constexpr size_t kEntriesAtOnce = 4096;
// A team counts in 32 bits.
constexpr size_t kSketchedMax = size_t{1} << 31;

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
  const uint16_t* const d_words = found.gather_words(work);
  uint64_t word_count = 0;
  work.bring(levels, found.levels, weights.count);
  found.bring_word_count(work, &word_count);
  return work.wait() && found.bring_words(work, d_words, word_count, words) && work.done();
}

bool device_codebook_elements(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                              const LevelMap& map, const LevelTable& table, void* out) {
  const PartitionRule rule = partition_rule(partition, weights.gradients != nullptr);
  if (weights.count == 0 || !takes_levels(map, rule) || table.level_count > kLevelsMax ||
      map.protected_level >= static_cast<int32_t>(table.level_count))
    return false;
  DeviceWork work(context, "rebuild elements from a codebook");
  const LevelsThere found(work, weights, rule, map);
  const uint16_t* const d_words = found.gather_words(work);
  const size_t bytes = weights.count * dtype_bytes(table.dtype);
  const void* const d_table = work.put(table.elements, kLevelsMax * dtype_bytes(table.dtype));
  uint8_t* const d_elements = work.room<uint8_t>(bytes);
  uint8_t* const d_failures = work.room<uint8_t>(found.chunks);
  work.run(&DeviceTable::dequantize,
           DequantizeTeamKernel{found.levels, weights.count, table.dtype, d_table, table.level_count,
                                map.protected_level, found.places, d_words, d_words ? weights.count : 0,
                                d_elements, d_failures});
  std::vector<uint8_t> failures(found.chunks);
  work.bring(failures.data(), d_failures, failures.size());
  work.bring(out, d_elements, bytes);
  const auto failed = [](uint8_t failure) { return failure != 0; };
  return work.wait() && std::none_of(failures.begin(), failures.end(), failed) && work.done();
}

}  // namespace firn
