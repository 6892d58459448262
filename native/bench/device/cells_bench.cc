#include <cmath>
#include <cstring>

#include "bench/device/device_bench.h"
#include "residual_quant/gptq/gptq_cells_team.h"

namespace firn::bench {
namespace {

constexpr uint32_t kSide = 4096;  // inputs and outputs of a matrix
constexpr size_t kCells = size_t{kSide} * kSide;
constexpr size_t kArrays = 5;  // that are gathered: weights, previous and present values, both dead zones

GptqCells cells_of(bool inputs_last) {
  return {0, kSide, 0, 0, static_cast<uint32_t>(kCells), kSide, kSide, inputs_last};
}

// Teams [first, first + count) of a kernel on the calling thread. The processor gathers and scatters on its way from
// block to block and has no such passes of its own, so that it runs the same text.
template <typename Kernel>
void on_this_thread(const Kernel& kernel, size_t first, size_t count) {
  std::vector<SharedUnit> shared(Kernel::kSharedBytes / sizeof(SharedUnit) + 1);
  const uint32_t teams = kernel.teams(1);
  for (size_t i = first; i < first + count; ++i)
    kernel(SerialTeam(), static_cast<uint32_t>(i), teams, shared[0].bytes);
}

struct Values {
  std::vector<float> weights = bench_weights(kCells, 1), before = bench_weights(kCells, 2);
  std::vector<int32_t> kept = std::vector<int32_t>(kCells);
  std::vector<uint8_t> activity = std::vector<uint8_t>(kCells), rates = std::vector<uint8_t>(kLatticeRates);
  LatticeRule rule;

  Values() {
    LatticeSegment segment;
    segment.count = kBlockElementsMax, segment.exponent = -18, segment.step = 64;
    rule = lattice_rule(segment, 156);
    for (size_t i = 0; i < kCells; ++i) {
      kept[i] = static_cast<int32_t>(std::ldexp(weights[i], 18)) / 64 * 64;
      activity[i] = static_cast<uint8_t>(i * 7 % 63 << 2 | i % 3);
    }
    for (size_t i = 0; i < rates.size(); ++i) rates[i] = static_cast<uint8_t>(i * 13);
  }
};

void bench_gather(DeviceBench& bench, const Values& values, bool inputs_last) {
  std::vector<float> expected(kArrays * kCells);
  std::vector<DeviceBuffer> buffers;
  float* const found = bench.room<float>(buffers, kArrays * kCells);
  uint32_t failures = 0;
  uint32_t* const d_failures = bench.up(buffers, std::vector<uint32_t>(1));
  const auto kernel = [&](const float* weights, const float* before, const int32_t* kept, const uint8_t* activity,
                          const uint8_t* rates, float* to, uint32_t* to_failures) {
    return GptqGatherKernel{cells_of(inputs_last), values.rule, weights, Dtype::f32, kept, activity, rates, 156, before,
                            1, 0, to, to + kCells, to + 2 * kCells, to + 3 * kCells, to + 4 * kCells, to_failures};
  };
  const GptqGatherKernel here =
      kernel(values.weights.data(), values.before.data(), values.kept.data(), values.activity.data(),
             values.rates.data(), expected.data(), &failures);
  const GptqGatherKernel there =
      kernel(bench.up(buffers, values.weights), bench.up(buffers, values.before), bench.up(buffers, values.kept),
             bench.up(buffers, values.activity), bench.up(buffers, values.rates), found, d_failures);
  const size_t teams = here.teams(1);
  on_this_thread(here, 0, teams);
  bench.measure({.name = inputs_last ? "gptq_gather, inputs last" : "gptq_gather, inputs first",
                 .bytes = kCells * (2 * sizeof(float) + sizeof(int32_t) + 1 + kArrays * sizeof(float)),
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::gptq_gather, there)); },
                 .on_processor = [&](size_t first, size_t count) { on_this_thread(here, first, count); },
                 .elements = teams,
                 .same = [&] { return bench.down(found, kArrays * kCells) == expected; }});
}

void bench_scatter(DeviceBench& bench, const Values& values, bool inputs_last) {
  std::vector<float> expected(kCells);
  std::vector<DeviceBuffer> buffers;
  float* const found = bench.room<float>(buffers, kCells);
  const float unit = std::ldexp(1.0f, -18);
  const GptqScatterKernel here{cells_of(inputs_last), values.weights.data(), unit, expected.data()};
  const GptqScatterKernel there{cells_of(inputs_last), bench.up(buffers, values.weights), unit, found};
  const size_t teams = here.teams(1);
  on_this_thread(here, 0, teams);
  bench.measure({.name = inputs_last ? "gptq_scatter, inputs last" : "gptq_scatter, inputs first",
                 .bytes = 2 * kCells * sizeof(float),
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::gptq_scatter, there)); },
                 .on_processor = [&](size_t first, size_t count) { on_this_thread(here, first, count); },
                 .elements = teams,
                 .same = [&] { return bench.down(found, kCells) == expected; }});
}

}  // namespace

void device_bench_cells(DeviceBench& bench) {
  bool is_wanted = false;
  for (const char* name : {"gptq_gather, inputs last", "gptq_gather, inputs first", "gptq_scatter, inputs last",
                           "gptq_scatter, inputs first"})
    is_wanted |= bench.wants(name);
  if (!is_wanted) return;
  const Values values;
  for (const bool inputs_last : {true, false}) {
    bench_gather(bench, values, inputs_last);
    bench_scatter(bench, values, inputs_last);
  }
}

}  // namespace firn::bench
