#include <memory>

#include "stats/sketch_team.h"
#include "test/device/device_columns.h"

namespace firn::test {
namespace {

void check_packed(const Sketch& sketch, const SketchRest& rest, const std::vector<SketchEntry>& entries) {
  CHECK_EQ(rest.zeros, sketch.zeros);
  CHECK_EQ(rest.nans, sketch.nans);
  CHECK_EQ(rest.infinities, sketch.infinities);
  size_t next = 0;
  for (uint32_t key = 0; key < kSketchBuckets; ++key) {
    if (sketch.counts[key] == 0) continue;
    REQUIRE(next < entries.size());
    CHECK_EQ(entries[next].key, key);
    CHECK_EQ(entries[next].count, sketch.counts[key]);
    ++next;
  }
  CHECK_EQ(rest.entries, next);
}

}  // namespace

TEST_CASE("device: sketches of values and of sensitivities are those of the processor") {
  Random random(100);
  for (size_t round = 0; round < rounds(40); ++round) {
    const size_t count = random_count(random, 200000);
    const Dtype dtype = kDtypes[random.below(3)], gradient_dtype = kDtypes[random.below(3)];
    const std::vector<uint8_t> weights = elements(random_floats(random, count), dtype),
                               gradients = elements(random_floats(random, count), gradient_dtype);
    const auto values = std::make_unique<Sketch>(), sensitivity = std::make_unique<Sketch>();
    sketch_values(weights.data(), dtype, count, *values);
    sketch_sensitivity(weights.data(), dtype, gradients.data(), gradient_dtype, count, *sensitivity);
    for_each_column(random, [&](Arrays& arrays, auto run) {
      const void* const w = arrays.add(weights);
      const void* const g = arrays.add(gradients);
      const std::vector<Sketch> none(1);
      Sketch* const found = arrays.add(none);
      Sketch* const found_sensitivity = arrays.add(none);
      run(&DeviceTable::sketch_values, SketchValuesKernel{w, dtype, count, found});
      run(&DeviceTable::sketch_sensitivity,
          SketchSensitivityKernel{w, g, dtype, gradient_dtype, count, found_sensitivity});
      CHECK(std::memcmp(arrays.read(found, 1).data(), values.get(), sizeof(Sketch)) == 0);
      CHECK(std::memcmp(arrays.read(found_sensitivity, 1).data(), sensitivity.get(), sizeof(Sketch)) == 0);
      SketchRest* const rest = arrays.add_output<SketchRest>(1);
      SketchEntry* const entries = arrays.add_output<SketchEntry>(kSketchBuckets);
      run(&DeviceTable::sketch_pack, SketchPackKernel{found, rest, entries});
      check_packed(*values, arrays.read(rest, 1)[0], arrays.read(entries, kSketchBuckets));
    });
  }
}

}  // namespace firn::test
