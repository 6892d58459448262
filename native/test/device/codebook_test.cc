#include <algorithm>
#include <memory>
#include <set>

#include "codebook_quant/assign/assign_team.h"
#include "firn/codebook_quant/assign.h"
#include "test/device/device_columns.h"

namespace firn::test {

TEST_CASE("device: weights become levels of a codebook and elements again as by the processor") {
  Random random(130);
  for (size_t round = 0; round < rounds(40); ++round) {
    const size_t count = random_count(random, 60000);
    const Dtype dtype = kDtypes[random.below(3)], gradient_dtype = kDtypes[random.below(3)];
    const std::vector<uint8_t> weights = elements(random_floats(random, count), dtype);
    const std::vector<uint8_t> gradients = elements(random_floats(random, count), gradient_dtype);
    const bool has_gradients = random.below(2);
    std::set<float> distinct;
    const size_t wanted = 1 + random.below(random.below(3) ? 20 : 250);
    while (distinct.size() < wanted) distinct.insert(gaussian(random) + 0.0f);
    const std::vector<float> centroids(distinct.begin(), distinct.end());
    Partition partition;
    if (random.below(2)) partition.protect_magnitude_min = static_cast<float>(random.unit()) * 3;
    if (random.below(2)) partition.protect_sensitivity_min = static_cast<float>(random.unit()) * 3;
    if (random.below(2)) partition.prune_below = static_cast<float>(random.unit()) * 0.3f;
    if (random.below(2)) partition.prune_metric = Metric::sensitivity;
    const auto k = static_cast<uint32_t>(centroids.size());
    const LevelMap map{centroids.data(), k, static_cast<int32_t>(k), static_cast<int32_t>(k + 1), nullptr};
    const void* const g = has_gradients ? gradients.data() : nullptr;

    std::vector<uint8_t> levels(count);
    size_t protected_count = 0;
    const Status assigned = assign_levels(weights.data(), dtype, g, gradient_dtype, count, partition, map,
                                          levels.data(), &protected_count);
    REQUIRE(assigned == Status::ok);
    std::vector<uint16_t> words(protected_count);
    gather_protected(weights.data(), dtype, levels.data(), count, static_cast<uint8_t>(k + 1), words.data());
    const auto sketch = std::make_unique<Sketch>();
    sketch_quantized(weights.data(), dtype, g, gradient_dtype, count, partition, *sketch);

    // Back, with levels and words of which some fit each other no more.
    std::vector<uint8_t> hostile = levels;
    std::vector<uint16_t> hostile_words = words;
    switch (random.below(6)) {
      case 0:
        if (count > 0) hostile[random.below(count)] = static_cast<uint8_t>(random.next());
        break;
      case 1: hostile_words.push_back(1); break;
      case 2:
        if (!hostile_words.empty()) hostile_words.pop_back();
        break;
      default: break;
    }
    std::vector<float> entries(256);
    for (float& entry : entries) entry = gaussian(random);
    const std::vector<uint8_t> table = elements(entries, dtype);
    std::vector<uint8_t> rebuilt(weights.size());
    const Status dequantized =
        dequantize(hostile.data(), count, dtype, table.data(), k + 2, static_cast<int32_t>(k + 1), hostile_words.data(),
                   hostile_words.size(), rebuilt.data());

    for_each_column(random, [&](Arrays& arrays, auto run) {
      const uint32_t chunks = codebook_chunks(count);
      const PartitionRule rule = partition_rule(partition, has_gradients);
      const void* const w = arrays.add(weights);
      const void* const slopes = has_gradients ? arrays.add(gradients) : nullptr;
      const BinSearch* const search =
          arrays.add(std::vector<BinSearch>{make_bin_search(centroids.data(), k, nullptr)});
      uint8_t* const found = arrays.add_output<uint8_t>(count);
      uint32_t* const counts = arrays.add_output<uint32_t>(chunks);
      uint64_t* const places = arrays.add_output<uint64_t>(chunks + 1);
      uint16_t* const found_words = arrays.add_output<uint16_t>(protected_count);
      run(&DeviceTable::assign_levels,
          AssignLevelsTeamKernel{w, slopes, dtype, gradient_dtype, count, rule, search, static_cast<uint8_t>(k),
                                 static_cast<uint8_t>(k + 1), found, counts});
      run(&DeviceTable::exclusive_sums, ExclusiveSumsTeamKernel{counts, chunks, places});
      CHECK(arrays.read(found, count) == levels);
      const size_t found_count = arrays.read(places + chunks, 1)[0];
      CHECK_EQ(found_count, protected_count);
      if (found_count == protected_count) {
        run(&DeviceTable::gather_protected,
            GatherProtectedTeamKernel{w, dtype, found, count, static_cast<uint8_t>(k + 1), places, found_words});
        CHECK(arrays.read(found_words, protected_count) == words);
      }
      Sketch* const found_sketch = arrays.add(std::vector<Sketch>(1));
      run(&DeviceTable::sketch_quantized,
          SketchQuantizedTeamKernel{w, slopes, dtype, gradient_dtype, count, rule, found_sketch});
      CHECK(std::memcmp(arrays.read(found_sketch, 1).data(), sketch.get(), sizeof(Sketch)) == 0);

      const uint8_t* const d_hostile = arrays.add(hostile);
      uint8_t* const out = arrays.add_output<uint8_t>(weights.size());
      uint8_t* const failures = arrays.add_output<uint8_t>(chunks);
      run(&DeviceTable::count_levels,
          CountLevelsTeamKernel{d_hostile, count, static_cast<uint8_t>(k + 1), counts});
      run(&DeviceTable::exclusive_sums, ExclusiveSumsTeamKernel{counts, chunks, places});
      run(&DeviceTable::dequantize,
          DequantizeTeamKernel{d_hostile, count, dtype, arrays.add(table), k + 2, static_cast<int32_t>(k + 1), places,
                               arrays.add(hostile_words), hostile_words.size(), out, failures});
      const auto failed = arrays.read(failures, chunks);
      const bool is_ok = std::count(failed.begin(), failed.end(), 0) == static_cast<long>(chunks) &&
                         arrays.read(places + chunks, 1)[0] == hostile_words.size();
      CHECK_EQ(is_ok, dequantized == Status::ok);
      if (dequantized == Status::ok) CHECK(arrays.read(out, weights.size()) == rebuilt);
    });
  }
}

}  // namespace firn::test
