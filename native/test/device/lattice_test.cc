#include <algorithm>

#include "firn/delta.h"
#include "residual_quant/lattice/lattice_team.h"
#include "test/device/device_columns.h"

namespace firn::test {
namespace {

// Blocks as a device gets them, and all arrays over their elements.
struct Blocks {
  std::vector<LatticeTeamBlock> blocks;
  std::vector<LatticeSegment> segments;
  std::vector<LatticeTeamSegment> team_segments;
  uint32_t dead_zone = 0;
  size_t elements = 0;
  bool is_base = false;
  std::vector<float> weights;
  std::vector<int32_t> values;
  std::vector<uint8_t> activity, rates;

  LatticeSegments segments_of(const LatticeTeamBlock& block) const {
    return {segments.data() + block.segment_first, block.segment_count};
  }
  LatticeState state_of(const LatticeTeamBlock& block) const {
    if (is_base) return {};
    return {values.data() + block.first, activity.data() + block.first};
  }
};

LatticeSegment random_segment(Random& random, uint32_t count) {
  LatticeSegment s;
  s.count = count;
  s.exponent = -20 + static_cast<int32_t>(random.below(14));
  s.step = 1 + static_cast<int32_t>(random.below(random.below(4) ? 400 : kLatticeStepMax));
  s.shift = static_cast<int32_t>(random.below(random.below(4) ? 3 : 16));
  for (int32_t& offset : s.offsets) offset = static_cast<int32_t>(random.below(2 * s.step - 1)) + 1 - s.step;
  s.gain = static_cast<int32_t>(random.below(kLatticeGainMax + 1));
  return s;
}

// `is_wild`: some weights and values out of every range, which fails.
Blocks random_blocks(Random& random, size_t largest, bool is_wild) {
  Blocks all;
  all.is_base = random.below(4) == 0;
  all.dead_zone = static_cast<uint32_t>(random.below(random.below(2) ? 300 : kLatticeDeadZoneMax + 1));
  if (random.below(2)) {
    all.rates.resize(kLatticeRates);
    for (uint8_t& rate : all.rates) rate = static_cast<uint8_t>(random.next());
  }
  const size_t block_count = random.below(4);
  for (size_t b = 0; b < block_count; ++b) {
    LatticeTeamBlock block{all.elements, 0, static_cast<uint32_t>(all.segments.size()), 0, all.elements, 0};
    const size_t count = random_count(random, largest), most = 1 + random.below(random.below(3) ? 2 : 20);
    while (block.count < count) {
      const size_t left = count - block.count;
      const size_t part = block.segment_count + 1 >= most ? left : 1 + random.below(left);
      all.segments.push_back(random_segment(random, static_cast<uint32_t>(part)));
      all.team_segments.push_back(
          {lattice_rule(all.segments.back(), all.dead_zone), block.count, static_cast<uint32_t>(part)});
      block.count += static_cast<uint32_t>(part);
      ++block.segment_count;
    }
    all.blocks.push_back(block);
    all.elements = (all.elements + block.count + 15) / 16 * 16;
  }
  all.weights.resize(all.elements);
  all.values.resize(all.elements);
  all.activity.resize(all.elements);
  for (const LatticeTeamBlock& block : all.blocks) {
    for (uint32_t s = 0; s < block.segment_count; ++s) {
      const LatticeSegment& segment = all.segments[block.segment_first + s];
      const LatticeTeamSegment& place = all.team_segments[block.segment_first + s];
      for (uint32_t i = 0; i < place.count; ++i) {
        const size_t at = block.first + place.first + i;
        const int32_t x = static_cast<int32_t>(random.below(1 << 12)) * (random.below(50) ? 1 : 500) *
                          (random.below(2) ? 1 : -1);
        const int32_t near = random.below(3) ? x : static_cast<int32_t>(x + segment.step * gaussian(random) * 6);
        all.values[at] = near / (1 << segment.shift);
        all.weights[at] = std::ldexp(static_cast<float>(x) + (random.below(2) ? 0.5f : 0.0f), segment.exponent);
        if (random.below(40) == 0) all.weights[at] = random.below(2) ? -0.0f : 1e-42f;
        all.activity[at] = static_cast<uint8_t>(random.below(63) << 2 | random.below(3));
        if (is_wild && random.below(200) == 0) {
          all.weights[at] = std::bit_cast<float>(static_cast<uint32_t>(random.next()));
          all.values[at] = static_cast<int32_t>(random.next());
        }
      }
    }
  }
  return all;
}

bool same_statistics(const LatticeStatistics& a, const LatticeStatistics& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

TEST_CASE("device: blocks are quantized, followed and rebuilt as by the processor") {
  Random random(120);
  const size_t all_rounds = rounds(30);
  for (size_t round = 0; round < all_rounds; ++round) {
    const Blocks in = random_blocks(random, round % 8 == 0 ? kBlockElementsMax : 6000, round % 5 == 4);
    const Dtype dtype = kDtypes[random.below(3)], out_dtype = kDtypes[random.below(3)],
                gradient_dtype = kDtypes[random.below(3)];
    const std::vector<uint8_t> weights = elements(in.weights, dtype),
                               gradients = elements(random_floats(random, in.elements), gradient_dtype);
    const bool has_gradients = random.below(2);
    std::vector<float> scales(in.segments.size());
    for (float& scale : scales) scale = random.below(4) ? std::exp2(static_cast<float>(random.below(40)) - 20) : 0.0f;

    // What the processor says, block by block.
    struct Expected {
      Status quantized, rebuilt, measured;
      std::vector<uint8_t> symbols, contexts, activity, elements;
      std::vector<uint32_t> escapes;
      std::vector<int32_t> values;
      std::vector<LatticeStatistics> statistics;
      std::vector<LatticeErrorSums> sums;
    };
    std::vector<Expected> expected;
    std::vector<uint8_t> symbols(in.elements);
    std::vector<uint32_t> escapes;
    std::vector<LatticeTeamBlock> coded = in.blocks;
    for (LatticeTeamBlock& block : coded) {
      Expected& e = expected.emplace_back();
      const size_t size = dtype_bytes(dtype);
      e.symbols.resize(block.count), e.contexts.resize(block.count), e.activity.resize(block.count);
      e.values.resize(block.count), e.elements.resize(block.count * dtype_bytes(out_dtype));
      e.statistics.resize(block.segment_count), e.sums.resize(block.segment_count);
      const LatticeHysteresis hysteresis(in.dead_zone, in.rates.empty() ? nullptr : in.rates.data());
      e.quantized = lattice_quantize(weights.data() + block.first * size, dtype, in.segments_of(block),
                                     in.state_of(block), hysteresis, e.symbols.data(), &e.escapes, e.statistics.data());
      lattice_contexts(in.segments_of(block), in.state_of(block), e.contexts.data());
      // Of what the rest reads, some is no encoder's.
      std::vector<uint8_t> moves = e.symbols;
      std::vector<uint32_t> rest = e.escapes;
      if (e.quantized != Status::ok) {
        for (uint8_t& move : moves) move = static_cast<uint8_t>(random.below(kLatticeEscape));
        rest.clear();
      }
      if (block.count > 0) {
        switch (random.below(12)) {
          case 0: moves[random.below(block.count)] = static_cast<uint8_t>(random.next()); break;
          case 1: rest.push_back(7); break;
          case 2:
            if (!rest.empty()) rest.pop_back();
            break;
          case 3:
            if (!rest.empty()) rest[random.below(rest.size())] = static_cast<uint32_t>(random.next());
            break;
          default: break;
        }
      }
      std::copy(moves.begin(), moves.end(), symbols.begin() + static_cast<long>(block.first));
      block.escape_first = escapes.size();
      block.escape_count = static_cast<uint32_t>(rest.size());
      escapes.insert(escapes.end(), rest.begin(), rest.end());
      e.rebuilt = lattice_apply(moves.data(), rest.data(), rest.size(), in.segments_of(block), in.state_of(block),
                                e.values.data(), e.activity.data());
      if (e.rebuilt == Status::ok)
        lattice_values(e.values.data(), in.segments_of(block), out_dtype, e.elements.data());
      e.measured = lattice_error_sums(
          weights.data() + block.first * size, dtype,
          has_gradients ? gradients.data() + block.first * dtype_bytes(gradient_dtype) : nullptr, gradient_dtype,
          scales.data() + block.segment_first, moves.data(), rest.data(), rest.size(), in.segments_of(block),
          in.state_of(block), e.sums.data());
    }

    for_each_column(random, [&](Arrays& arrays, auto run) {
      const auto count = static_cast<uint32_t>(in.blocks.size());
      const LatticeTeamBlock* const blocks = arrays.add(in.blocks);
      const LatticeTeamBlock* const coded_blocks = arrays.add(coded);
      const LatticeTeamSegment* const segments = arrays.add(in.team_segments);
      const void* const w = arrays.add(weights);
      const void* const g = has_gradients ? arrays.add(gradients) : nullptr;
      const int32_t* const values = in.is_base ? nullptr : arrays.add(in.values);
      const uint8_t* const activity = in.is_base ? nullptr : arrays.add(in.activity);
      uint8_t* const failures = arrays.add_output<uint8_t>(count);

      uint8_t* const found_symbols = arrays.add_output<uint8_t>(in.elements);
      uint32_t* const found_escapes = arrays.add_output<uint32_t>(in.elements);
      uint32_t* const escape_counts = arrays.add_output<uint32_t>(count);
      LatticeStatistics* const statistics = arrays.add_output<LatticeStatistics>(in.segments.size());
      run(&DeviceTable::lattice_quantize,
          LatticeQuantizeTeamKernel{blocks, count, segments, w, dtype, values, activity,
                                    in.rates.empty() ? nullptr : arrays.add(in.rates), in.dead_zone, found_symbols,
                                    found_escapes, escape_counts, statistics, failures});
      const auto quantize_failures = arrays.read(failures, count);
      uint8_t* const contexts = arrays.add_output<uint8_t>(in.elements);
      run(&DeviceTable::lattice_contexts,
          LatticeContextsTeamKernel{blocks, count, segments, values, activity, contexts});

      const uint8_t* const moves = arrays.add(symbols);
      const uint32_t* const rest = arrays.add(escapes);
      int32_t* const new_values = arrays.add_output<int32_t>(in.elements);
      uint8_t* const new_activity = arrays.add_output<uint8_t>(in.elements);
      uint8_t* const rebuilt = arrays.add_output<uint8_t>(in.elements * dtype_bytes(out_dtype));
      run(&DeviceTable::lattice_rebuild,
          LatticeRebuildTeamKernel{coded_blocks, count, segments, moves, rest, values, activity, new_values,
                                   new_activity, rebuilt, out_dtype, failures});
      const auto rebuild_failures = arrays.read(failures, count);
      uint8_t* const from_values = arrays.add_output<uint8_t>(in.elements * dtype_bytes(out_dtype));
      run(&DeviceTable::lattice_values,
          LatticeValuesTeamKernel{blocks, count, segments, new_values, from_values, out_dtype});
      LatticeErrorSums* const sums = arrays.add_output<LatticeErrorSums>(in.segments.size());
      run(&DeviceTable::lattice_errors,
          LatticeErrorsTeamKernel{coded_blocks, count, segments, w, g, arrays.add(scales), dtype, gradient_dtype,
                                  moves, rest, values, sums, failures});
      const auto error_failures = arrays.read(failures, count);
      // In place, as a chain of checkpoints does it.
      int32_t* const place = in.is_base ? new_values : arrays.add(in.values);
      uint8_t* const place_activity = in.is_base ? new_activity : arrays.add(in.activity);
      run(&DeviceTable::lattice_rebuild,
          LatticeRebuildTeamKernel{coded_blocks, count, segments, moves, rest, in.is_base ? nullptr : place,
                                   in.is_base ? nullptr : place_activity, place, place_activity, nullptr, out_dtype,
                                   failures});

      for (size_t b = 0; b < count; ++b) {
        const Expected& e = expected[b];
        const LatticeTeamBlock& block = in.blocks[b];
        CHECK_EQ(quantize_failures[b] == 0, e.quantized == Status::ok);
        CHECK_EQ(rebuild_failures[b] == 0, e.rebuilt == Status::ok);
        CHECK_EQ(error_failures[b] == 0, e.measured == Status::ok);
        CHECK(arrays.read(contexts + block.first, block.count) == e.contexts);
        if (e.quantized == Status::ok) {
          CHECK(arrays.read(found_symbols + block.first, block.count) == e.symbols);
          const size_t there = arrays.read(escape_counts + b, 1)[0];
          CHECK_EQ(there, e.escapes.size());
          if (there == e.escapes.size()) CHECK(arrays.read(found_escapes + block.escape_first, there) == e.escapes);
          const auto found = arrays.read(statistics + block.segment_first, block.segment_count);
          CHECK(std::equal(found.begin(), found.end(), e.statistics.begin(), same_statistics));
        }
        if (e.rebuilt == Status::ok) {
          CHECK(arrays.read(new_values + block.first, block.count) == e.values);
          CHECK(arrays.read(new_activity + block.first, block.count) == e.activity);
          CHECK(arrays.read(place + block.first, block.count) == e.values);
          CHECK(arrays.read(place_activity + block.first, block.count) == e.activity);
          const size_t size = dtype_bytes(out_dtype);
          CHECK(arrays.read(rebuilt + block.first * size, block.count * size) == e.elements);
          CHECK(arrays.read(from_values + block.first * size, block.count * size) == e.elements);
        }
        if (e.measured == Status::ok) {
          const auto found = arrays.read(sums + block.segment_first, block.segment_count);
          CHECK(block.segment_count == 0 ||
                std::memcmp(found.data(), e.sums.data(), block.segment_count * sizeof(LatticeErrorSums)) == 0);
        }
      }
    });
  }
}

}  // namespace firn::test
