#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "bench/device/device_bench.h"
#include "firn/delta.h"
#include "firn/moments.h"

namespace firn::bench {
namespace {

constexpr size_t kBlocks = kDeviceElements / kBlockElementsMax;

// What a base starts from: one value for each of its tensors.
void bench_origins(DeviceBench& bench, std::vector<DeviceBuffer>& buffers, int32_t* values, uint8_t* activity) {
  constexpr uint32_t kTensor = 1u << 20;
  std::vector<LatticeOrigin> origins;
  std::vector<int32_t> expected(kDeviceElements);
  for (uint32_t first = 0; first < kDeviceElements; first += kTensor) {
    origins.push_back({first, kTensor, static_cast<int32_t>(first / kTensor) - 20});
    std::fill_n(expected.begin() + first, kTensor, origins.back().value);
  }
  const LatticeOrigin* const d_origins = bench.up(buffers, origins);
  const LatticeOriginsTeamKernel kernel{d_origins, static_cast<uint32_t>(origins.size()),
                                        static_cast<uint32_t>(kDeviceElements), values, activity};
  bench.measure({.name = "lattice_origins",
                 .bytes = kDeviceElements * 5,
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::lattice_origins, kernel)); },
                 .on_processor = nullptr,
                 .elements = kDeviceElements,
                 .same = [&] { return bench.down(values, kDeviceElements) == expected; }});
}

}  // namespace

// A checkpoint after another: most weights stay, a quarter moves by a step or more, as in training with a step of a
// quarter of the standard deviation of the weights.
void device_bench_lattice(DeviceBench& bench) {
  LatticeSegment segment;
  segment.count = kBlockElementsMax;
  segment.exponent = -20;
  segment.step = 700;
  std::vector<LatticeTeamBlock> blocks;
  std::vector<LatticeTeamSegment> segments;
  for (uint32_t b = 0; b < kBlocks; ++b) {
    blocks.push_back({uint64_t{b} * kBlockElementsMax, kBlockElementsMax, b, 1, uint64_t{b} * kBlockElementsMax, 0});
    segments.push_back({lattice_rule(segment, 160), 0, kBlockElementsMax});
  }
  std::vector<float> weights = bench_weights(kDeviceElements, 1);
  const std::vector<float> moves = bench_weights(kDeviceElements, 5);
  std::vector<int32_t> values(kDeviceElements);
  std::vector<uint8_t> activity(kDeviceElements);
  for (size_t i = 0; i < kDeviceElements; ++i) {
    weights[i] *= 0.02f / 4;
    values[i] = static_cast<int32_t>(std::lrint(weights[i] * 0x1p20f)) + static_cast<int32_t>(moves[i] * 100);
    activity[i] = static_cast<uint8_t>(i * 2654435761u >> 26 << 2);
  }
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    const std::string suffix = dtype == Dtype::f32 ? " f32" : " bf16";
    const size_t size = dtype_bytes(dtype);
    std::vector<uint8_t> elements(kDeviceElements * size);
    convert(weights.data(), Dtype::f32, weights.size(), elements.data(), dtype);
    std::vector<DeviceBuffer> buffers;
    const LatticeTeamBlock* const d_blocks = bench.up(buffers, blocks);
    const LatticeTeamSegment* const d_segments = bench.up(buffers, segments);
    const uint8_t* const w = bench.up(buffers, elements);
    const int32_t* const k = bench.up(buffers, values);
    const uint8_t* const a = bench.up(buffers, activity);
    uint8_t* const symbols = bench.room<uint8_t>(buffers, kDeviceElements);
    uint32_t* const escapes = bench.room<uint32_t>(buffers, kDeviceElements);
    uint32_t* const escape_counts = bench.room<uint32_t>(buffers, kBlocks);
    LatticeStatistics* const statistics = bench.room<LatticeStatistics>(buffers, kBlocks);
    uint8_t* const failures = bench.room<uint8_t>(buffers, kBlocks);
    int32_t* const new_values = bench.room<int32_t>(buffers, kDeviceElements);
    uint8_t* const new_activity = bench.room<uint8_t>(buffers, kDeviceElements);
    uint8_t* const rebuilt = bench.room<uint8_t>(buffers, kDeviceElements * size);

    std::vector<uint8_t> own(kDeviceElements), own_activity(kDeviceElements), own_elements(elements.size());
    std::vector<int32_t> own_values(kDeviceElements);
    std::vector<std::vector<uint32_t>> own_escapes(kBlocks);
    std::vector<LatticeStatistics> own_statistics(kBlocks);
    const auto each_block = [](size_t first, size_t count, auto body) {
      for (size_t b = first / kBlockElementsMax; b < (first + count) / kBlockElementsMax; ++b)
        body(b, b * kBlockElementsMax);
    };
    const auto quantize = [&](size_t first, size_t count) {
      each_block(first, count, [&](size_t b, size_t at) {
        lattice_quantize(elements.data() + at * size, dtype, {&segment, 1}, {values.data() + at, activity.data() + at},
                         160, own.data() + at, &own_escapes[b], &own_statistics[b]);
      });
    };
    const auto rebuild = [&](size_t first, size_t count) {
      each_block(first, count, [&](size_t b, size_t at) {
        lattice_apply(own.data() + at, own_escapes[b].data(), own_escapes[b].size(), {&segment, 1},
                      {values.data() + at, activity.data() + at}, own_values.data() + at, own_activity.data() + at);
        lattice_values(own_values.data() + at, {&segment, 1}, dtype, own_elements.data() + at * size);
      });
    };
    quantize(0, kDeviceElements);
    rebuild(0, kDeviceElements);
    bench.measure({.name = "lattice_quantize" + suffix,
                   .bytes = kDeviceElements * (size + 4 + 1),
                   .bar = 0.7,
                   .on_device =
                       [&] {
                         bench.check(bench.device().run(
                             &DeviceTable::lattice_quantize,
                             LatticeQuantizeTeamKernel{d_blocks, kBlocks, d_segments, w, dtype, k, a, nullptr, 160,
                                                       symbols, escapes, escape_counts, statistics, failures}));
                       },
                   .on_processor = quantize,
                   .elements = kDeviceElements,
                   .same =
                       [&] {
                         return bench.down(symbols, kDeviceElements) == own &&
                                std::memcmp(bench.down(statistics, kBlocks).data(), own_statistics.data(),
                                            kBlocks * sizeof(LatticeStatistics)) == 0;
                       }});
    // Escapes as the device wrote them: their place is the block's, and now their number is known.
    std::vector<LatticeTeamBlock> coded = blocks;
    std::vector<uint32_t> all_escapes(kDeviceElements);
    for (size_t b = 0; b < kBlocks; ++b) {
      coded[b].escape_count = static_cast<uint32_t>(own_escapes[b].size());
      std::copy(own_escapes[b].begin(), own_escapes[b].end(),
                all_escapes.begin() + static_cast<long>(coded[b].escape_first));
    }
    const LatticeTeamBlock* const d_coded = bench.up(buffers, coded);
    bench.check(bench.device().upload(escapes, all_escapes.data(), all_escapes.size() * 4));
    bench.check(bench.device().upload(symbols, own.data(), own.size()));
    bench.check(bench.device().wait());
    bench.measure({.name = "lattice_rebuild" + suffix,
                   .bytes = kDeviceElements * (1 + 5 + 5 + size),
                   .bar = 0.5,
                   .on_device =
                       [&] {
                         bench.check(bench.device().run(
                             &DeviceTable::lattice_rebuild,
                             LatticeRebuildTeamKernel{d_coded, kBlocks, d_segments, symbols, escapes, k, a, new_values,
                                                      new_activity, rebuilt, dtype, failures}));
                       },
                   .on_processor = rebuild,
                   .elements = kDeviceElements,
                   .same =
                       [&] {
                         return bench.down(new_values, kDeviceElements) == own_values &&
                                bench.down(new_activity, kDeviceElements) == own_activity &&
                                bench.down(rebuilt, own_elements.size()) == own_elements;
                       }});
    uint8_t* const of_values = bench.room<uint8_t>(buffers, kDeviceElements * size);
    std::vector<uint8_t> own_of_values(elements.size());
    const auto values_to_elements = [&](size_t first, size_t count) {
      each_block(first, count, [&](size_t, size_t at) {
        lattice_values(values.data() + at, {&segment, 1}, dtype, own_of_values.data() + at * size);
      });
    };
    if (bench.wants("lattice_values" + suffix)) values_to_elements(0, kDeviceElements);
    bench.measure({.name = "lattice_values" + suffix,
                   .bytes = kDeviceElements * (4 + size),
                   .on_device =
                       [&] {
                         bench.check(bench.device().run(
                             &DeviceTable::lattice_values,
                             LatticeValuesTeamKernel{d_blocks, kBlocks, d_segments, k, of_values, dtype}));
                       },
                   .on_processor = values_to_elements,
                   .elements = kDeviceElements,
                   .same = [&] { return bench.down(of_values, own_of_values.size()) == own_of_values; }});
    if (dtype == Dtype::f32) bench_origins(bench, buffers, new_values, new_activity);
    bench.measure({.name = "lattice_contexts" + suffix,
                   .bytes = kDeviceElements * 6,
                   .bar = 0,
                   .on_device =
                       [&] {
                         bench.check(bench.device().run(
                             &DeviceTable::lattice_contexts,
                             LatticeContextsTeamKernel{d_blocks, kBlocks, d_segments, k, a, new_activity}));
                       },
                   .on_processor =
                       [&](size_t first, size_t count) {
                         each_block(first, count, [&](size_t, size_t at) {
                           lattice_contexts({&segment, 1}, {values.data() + at, activity.data() + at},
                                            own_activity.data() + at);
                         });
                       },
                   .elements = kDeviceElements,
                   .same =
                       [&] {
                         each_block(0, kDeviceElements, [&](size_t, size_t at) {
                           lattice_contexts({&segment, 1}, {values.data() + at, activity.data() + at},
                                            own_activity.data() + at);
                         });
                         return bench.down(new_activity, kDeviceElements) == own_activity;
                       }});
    std::vector<LatticeErrorSums> own_sums(kBlocks);
    LatticeErrorSums* const sums = bench.room<LatticeErrorSums>(buffers, kBlocks);
    const auto measure_errors = [&](size_t first, size_t count) {
      each_block(first, count, [&](size_t b, size_t at) {
        lattice_error_sums(elements.data() + at * size, dtype, nullptr, Dtype::f32, nullptr, own.data() + at,
                           own_escapes[b].data(), own_escapes[b].size(), {&segment, 1},
                           {values.data() + at, activity.data() + at}, &own_sums[b]);
      });
    };
    measure_errors(0, kDeviceElements);
    bench.measure({.name = "lattice_errors" + suffix,
                   .bytes = kDeviceElements * (size + 4 + 1),
                   .bar = 0,
                   .on_device =
                       [&] {
                         bench.check(bench.device().run(
                             &DeviceTable::lattice_errors,
                             LatticeErrorsTeamKernel{d_coded, kBlocks, d_segments, w, nullptr, nullptr, dtype,
                                                     Dtype::f32, symbols, escapes, k, sums, failures}));
                       },
                   .on_processor = measure_errors,
                   .elements = kDeviceElements,
                   .same =
                       [&] {
                         return std::memcmp(bench.down(sums, kBlocks).data(), own_sums.data(),
                                            kBlocks * sizeof(LatticeErrorSums)) == 0;
                       }});
    // As many tensors as blocks: sums of one tensor have an order and take one multiprocessor.
    std::vector<MomentsOfTensor> tensors;
    Moments* const moments = bench.room<Moments>(buffers, kBlocks);
    for (size_t b = 0; b < kBlocks; ++b)
      tensors.push_back({w + b * kBlockElementsMax * size, nullptr, kBlockElementsMax, dtype, Dtype::f32, moments + b});
    const MomentsOfTensor* const d_tensors = bench.up(buffers, tensors);
    std::vector<Moments> own_moments(kBlocks);
    const auto add_up = [&](size_t first, size_t count) {
      each_block(first, count, [&](size_t b, size_t at) {
        own_moments[b] =
            weight_moments(elements.data() + at * size, dtype, nullptr, Dtype::f32, kBlockElementsMax);
      });
    };
    add_up(0, kDeviceElements);
    const MomentsKernel arguments{d_tensors, kBlocks};
    bench.measure({.name = "weight_moments" + suffix,
                   .bytes = kDeviceElements * size,
                   .bar = 0,
                   .on_device = [&] { bench.check(bench.device().run(&DeviceTable::weight_moments, arguments)); },
                   .on_processor = add_up,
                   .elements = kDeviceElements,
                   .same =
                       [&] {
                         return std::memcmp(bench.down(moments, kBlocks).data(), own_moments.data(),
                                            kBlocks * sizeof(Moments)) == 0;
                       }});
  }
}

}  // namespace firn::bench
