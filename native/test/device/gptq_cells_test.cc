#include "firn/residual_quant/gptq.h"
#include "residual_quant/gptq/gptq_cells_team.h"
#include "residual_quant/gptq/gptq_team.h"
#include "test/device/device_columns.h"

namespace firn::test {

TEST_CASE("device: cells gathered from a segment, rounded and put back are the targets of the processor") {
  Random random(245);
  for (size_t round = 0; round < rounds(20); ++round) {
    Gptq gptq;
    gptq.size = 1 + static_cast<uint32_t>(random.below(60));
    const auto blocks = 1 + static_cast<uint32_t>(random.below(3));
    gptq.inputs = gptq.size * blocks;
    gptq.outputs = 1 + static_cast<uint32_t>(random.below(70));
    gptq.inputs_last = random.below(2);
    const uint32_t all = gptq.inputs * gptq.outputs;
    gptq.first = random.below(all);
    LatticeSegment segment;
    segment.count = 1 + static_cast<uint32_t>(random.below(all - gptq.first));
    segment.exponent = -18;
    segment.step = 1 + static_cast<int32_t>(random.below(300));
    segment.shift = static_cast<int32_t>(random.below(3));
    const bool is_wild = random.below(4) == 0;
    std::vector<float> factor(size_t{gptq.inputs} * gptq.size), floats;
    for (size_t i = 0; i < factor.size(); ++i)
      factor[i] = i % gptq.size < i / gptq.size % gptq.size ? 0.3f * gaussian(random) : 0.0f;
    std::vector<int32_t> values;
    std::vector<uint8_t> activity, rates;
    for (uint32_t i = 0; i < segment.count; ++i) {
      values.push_back(static_cast<int32_t>(random.below(4000)) - 2000);
      activity.push_back(static_cast<uint8_t>(random.below(63) << 2 | random.below(3)));
      floats.push_back(std::ldexp(static_cast<float>(values[i] * (1 << segment.shift)) + 200 * gaussian(random), -18));
      if (is_wild && random.below(300) == 0) floats[i] = std::bit_cast<float>(static_cast<uint32_t>(random.next()));
      if (is_wild && random.below(300) == 0) values[i] = static_cast<int32_t>(random.next());
    }
    for (size_t i = 0; i < kLatticeRates; ++i) rates.push_back(static_cast<uint8_t>(random.next()));
    const bool is_base = random.below(4) == 0, is_priced = random.below(2);
    const auto dead_zone = 128 + static_cast<uint32_t>(random.below(60));
    const Dtype dtype = kDtypes[random.below(3)];
    const std::vector<uint8_t> weights = elements(floats, dtype);
    gptq.factor = factor.data();
    const bool is_moved = random.below(2);
    std::vector<float> floats_before = floats;
    for (float& x : floats_before) {
      if (random.below(3) == 0) x += std::ldexp(60 * gaussian(random), -18);
      if (is_wild && random.below(300) == 0) x = std::bit_cast<float>(static_cast<uint32_t>(random.next()));
    }
    const std::vector<uint8_t> before = elements(floats_before, dtype);
    gptq.movement = {is_moved ? before.data() : nullptr, 4 * std::fabs(gaussian(random))};
    gptq.hysteresis = {dead_zone, is_priced ? rates.data() : nullptr};
    const LatticeState state = is_base ? LatticeState{} : LatticeState{values.data(), activity.data()};
    std::vector<float> expected(segment.count);
    const Status status = lattice_targets(weights.data(), dtype, segment, state, gptq, expected.data());

    // The whole matrix's cells, whatever the segment has of them.
    const GptqCells cells{gptq.first, gptq.inputs_last ? gptq.inputs : gptq.outputs, 0, 0, segment.count, gptq.inputs,
                          gptq.outputs, gptq.inputs_last};
    const LatticeRule rule = lattice_rule(segment, dead_zone);
    for_each_column(random, [&](Arrays& arrays, auto run) {
      float* room[7];
      for (float*& array : room) array = arrays.add_output<float>(cells.cells());
      uint32_t* const failures = arrays.add(std::vector<uint32_t>(1));
      float* const found = arrays.add_output<float>(segment.count);
      run(&DeviceTable::gptq_gather,
          GptqGatherKernel{cells, rule, arrays.add(weights), dtype, is_base ? nullptr : arrays.add(values),
                           is_base ? nullptr : arrays.add(activity), is_priced ? arrays.add(rates) : nullptr,
                           dead_zone, is_moved ? arrays.add(before) : nullptr, gptq.movement.pull,
                           static_cast<float>(lattice_rule(segment, kGptqPulledZoneMin).dead), room[0], room[1],
                           room[2], room[3], room[4], failures});
      const auto step = static_cast<float>(rule.step);
      run(&DeviceTable::gptq_round,
          GptqRoundKernel{arrays.add(factor), gptq.size, blocks, gptq.outputs,
                          {step, static_cast<float>(rule.step / 2), gptq.strength,
                           static_cast<float>(kLatticeWeightMax) - step},
                          {room[0], room[1], room[2], room[3], room[4], room[5], room[6]}});
      run(&DeviceTable::gptq_scatter, GptqScatterKernel{cells, room[6], std::ldexp(1.0f, segment.exponent), found});
      CHECK_EQ(arrays.read(failures, 1)[0] == 0, status == Status::ok);
      const std::vector<float> targets = arrays.read(found, segment.count);
      CHECK(status != Status::ok || std::memcmp(targets.data(), expected.data(), segment.count * sizeof(float)) == 0);
    });
  }
}

}  // namespace firn::test
