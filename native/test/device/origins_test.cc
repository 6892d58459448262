#include "residual_quant/lattice/origins_team.h"
#include "test/device/device_columns.h"

namespace firn::test {

TEST_CASE("device: each element of a base starts at the origin of its segment") {
  Random random(150);
  for (size_t round = 0; round < rounds(40); ++round) {
    const auto count = static_cast<uint32_t>(1 + random_count(random, 60000));
    const uint64_t longest = 1 + random.below(random.below(2) ? 20 : count);
    std::vector<LatticeOrigin> segments;
    std::vector<int32_t> expected;
    while (expected.size() < count) {
      const auto size = static_cast<uint32_t>(std::min<uint64_t>(1 + random.below(longest), count - expected.size()));
      const auto value = static_cast<int32_t>(random.next());
      segments.push_back({static_cast<uint32_t>(expected.size()), size, value});
      expected.insert(expected.end(), size, value);
    }
    for_each_column(random, [&](Arrays& arrays, auto run) {
      int32_t* const values = arrays.add_output<int32_t>(count);
      uint8_t* const activity = arrays.add_output<uint8_t>(count);
      run(&DeviceTable::lattice_origins,
          LatticeOriginsTeamKernel{arrays.add(segments), static_cast<uint32_t>(segments.size()), count, values,
                                   activity});
      CHECK(arrays.read(values, count) == expected);
      CHECK(arrays.read(activity, count) == std::vector<uint8_t>(count, kStateAfterBase));
    });
  }
}

}  // namespace firn::test
