#include <cstring>

#include "bench/device/device_bench.h"
#include "residual_quant/gptq/gptq_team.h"
#include "simd/cpu_features.h"

namespace firn::bench {
namespace {

constexpr uint32_t kSide = 4096;  // inputs, in one block of the factor, and outputs

GptqKernel* processor_kernel() {
#if FIRN_X86
  if (active_isa() == Isa::avx512) return avx512::gptq_tile;
  if (active_isa() == Isa::avx2) return avx2::gptq_tile;
#endif
  return scalar::gptq_tile;
}

}  // namespace

// The bar is 100 times one core with AVX-512.
void device_bench_rounding(DeviceBench& bench) {
  const std::string name = "gptq_round d=4096 (bar: 100 times one core)";
  if (!bench.wants(name)) return;
  constexpr size_t kCells = size_t{kSide} * kSide, kTile = size_t{kSide} * kGptqLanes;
  const GptqRule rule{64, 32, 1, static_cast<float>((1 << 22) - 64)};
  std::vector<float> factor = bench_weights(kCells, 1), weights = bench_weights(kCells, 2);
  for (size_t i = 0; i < kCells; ++i) {
    // Shares of a few hundredths, as those of real inputs; weights of some steps in whole units.
    factor[i] = i % kSide < i / kSide ? factor[i] : 0;
    weights[i] = static_cast<float>(static_cast<int32_t>(weights[i] * 10000));
  }
  const std::vector<float> zeros(kCells), ones(kCells, 1.0f), dead(kCells, 32.0f);
  // The same, output group by output group, for the processor.
  std::vector<float> tiles(kCells), errors(kCells), targets(kCells);
  for (size_t j = 0; j < kSide; ++j) {
    for (size_t o = 0; o < kSide; ++o)
      tiles[o / kGptqLanes * kTile + j * kGptqLanes + o % kGptqLanes] = weights[j * kSide + o];
  }
  GptqKernel* const kernel = processor_kernel();
  const auto on_processor = [&](size_t first, size_t count) {
    for (size_t group = first / kGptqLanes; group < (first + count) / kGptqLanes; ++group) {
      kernel(factor.data(), kSide, rule,
             {tiles.data() + group * kTile, zeros.data(), ones.data(), dead.data(), dead.data(),
              errors.data() + group * kTile, targets.data() + group * kTile});
    }
  };
  on_processor(0, kSide);

  std::vector<DeviceBuffer> buffers;
  float* const found_errors = bench.room<float>(buffers, kCells);
  float* const found_targets = bench.room<float>(buffers, kCells);
  const GptqRoundKernel arguments{
      bench.up(buffers, factor), kSide, 1, kSide, rule,
      {bench.up(buffers, weights), bench.up(buffers, zeros), bench.up(buffers, ones), bench.up(buffers, dead),
       bench.up(buffers, dead), found_errors, found_targets}};
  bench.measure({.name = name,
                 .bytes = kCells * sizeof(float) * 8,
                 .bar = 0,
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::gptq_round, arguments)); },
                 .on_processor = on_processor,
                 .elements = kSide,
                 .same =
                     [&] {
                       const std::vector<float> of_errors = bench.down(found_errors, kCells),
                                                of_targets = bench.down(found_targets, kCells);
                       for (size_t j = 0; j < kSide; ++j) {
                         for (size_t o = 0; o < kSide; ++o) {
                           const size_t at = o / kGptqLanes * kTile + j * kGptqLanes + o % kGptqLanes;
                           if (std::memcmp(&of_errors[j * kSide + o], &errors[at], sizeof(float)) != 0 ||
                               std::memcmp(&of_targets[j * kSide + o], &targets[at], sizeof(float)) != 0)
                             return false;
                         }
                       }
                       return true;
                     }});
}

}  // namespace firn::bench
