// The lattice: quantizing, and rebuilding a delta from its symbols.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "firn/delta.h"
#include "firn/residual_quant/lattice.h"

namespace firn::bench {
namespace {

constexpr uint32_t kDeadZone = 159;
// Units of 2^-18 and steps a quarter of a typical weight's spread.
constexpr int32_t kExponent = -18, kStep = 1024;

LatticeSegments whole_block(LatticeSegment& segment, size_t count) {
  segment.exponent = kExponent, segment.step = kStep, segment.gain = 260;
  segment.offsets[0] = 90, segment.offsets[1] = 20, segment.offsets[2] = -5;
  segment.count = static_cast<uint32_t>(count);
  return {&segment, 1};
}

struct Lattice {
  std::vector<int32_t> values = std::vector<int32_t>(kElements);
  std::vector<uint8_t> activity = std::vector<uint8_t>(kElements);
};

// The symbols of all blocks, and where the escapes of each begin.
struct Symbols {
  std::vector<uint8_t> symbols = std::vector<uint8_t>(kElements);
  std::vector<std::vector<uint32_t>> escapes = std::vector<std::vector<uint32_t>>(kElements / kBlockElementsMax);
};

LatticeState state_of(const Lattice* lattice, size_t first) {
  return lattice ? LatticeState{lattice->values.data() + first, lattice->activity.data() + first} : LatticeState{};
}

void quantize(const std::vector<float>& weights, const Lattice* previous, size_t count, Symbols& out) {
  for (size_t first = 0; first < count; first += kBlockElementsMax) {
    LatticeSegment segment;
    LatticeStatistics sums;
    lattice_quantize(weights.data() + first, Dtype::f32, whole_block(segment, kBlockElementsMax),
                     state_of(previous, first), kDeadZone, out.symbols.data() + first,
                     &out.escapes[first / kBlockElementsMax], &sums);
  }
}

void apply(const Symbols& in, const Lattice* previous, size_t first, Lattice& out) {
  LatticeSegment segment;
  const std::vector<uint32_t>& escapes = in.escapes[first / kBlockElementsMax];
  lattice_apply(in.symbols.data() + first, escapes.data(), escapes.size(), whole_block(segment, kBlockElementsMax),
                state_of(previous, first), out.values.data() + first, out.activity.data() + first);
}

// Weights a checkpoint later: `share` of them have moved by one to two steps, and all a little.
std::vector<float> later(const std::vector<float>& weights, double share) {
  std::vector<float> moved = weights;
  const std::vector<float> noise = bench_weights(weights.size(), 5), size = bench_weights(weights.size(), 6);
  const auto period = static_cast<size_t>(std::lround(1 / share));
  for (size_t i = 0; i < moved.size(); ++i) {
    moved[i] += 0.01f * noise[i];
    if (i * 2654435761u % 4294967296u % period == 0)
      moved[i] += std::copysign(std::ldexp(1.3f * kStep, kExponent), size[i]);
  }
  return moved;
}

void bench_rebuild(BenchReport& report, const std::string& what, const Symbols& in, const Lattice* previous) {
  Lattice next;
  std::vector<float> values(kElements);
  std::vector<uint8_t> contexts(kElements);
  LatticeSegment segment;
  const auto make_contexts = [&](size_t first) {
    lattice_contexts(whole_block(segment, kBlockElementsMax), state_of(previous, first), contexts.data() + first);
  };
  const auto make_values = [&](size_t first) {
    lattice_values(next.values.data() + first, whole_block(segment, kBlockElementsMax), Dtype::f32,
                   values.data() + first);
  };
  const auto each_block = [](auto body) {
    return [body](size_t count) {
      for (size_t first = 0; first < count; first += kBlockElementsMax) body(first);
    };
  };
  const auto bytes = [](size_t count) { return count; };
  const auto words = [](size_t count) { return 4 * count; };
  measure_levels(report, "lattice contexts, " + what, kAllLevels, each_block(make_contexts), contexts.data(), bytes);
  const auto run_apply = each_block([&](size_t first) { apply(in, previous, first, next); });
  measure_levels(report, "lattice apply, " + what, kAllLevels, run_apply, next.values.data(), words);
  run_apply(kElements);
  measure_levels(report, "lattice values f32, " + what, kAllLevels, each_block(make_values), values.data(), words);
  const auto all = each_block([&](size_t first) {
    make_contexts(first);
    apply(in, previous, first, next);
    make_values(first);
  });
  measure_levels(report, "lattice contexts + apply + values, " + what, kAllLevels, all, values.data(), words);
  // Like a restore that holds the states of one block at a time; the first block's states stand for all.
  const auto in_cache = each_block([&](size_t first) {
    make_contexts(0);
    apply(in, previous, 0, next);
    lattice_values(next.values.data(), whole_block(segment, kBlockElementsMax), Dtype::f32, values.data() + first);
  });
  measure_levels(report, "lattice contexts + apply + values, one state, " + what, {detected_isa()}, in_cache,
                 values.data(), words);
}

void bench_errors(BenchReport& report, const std::vector<float>& weights, const Symbols& moves,
                  const Lattice& previous) {
  const std::vector<float> gradients = bench_weights(kElements, 7);
  std::vector<LatticeErrorSums> sums(kElements / kBlockElementsMax);
  const float scale = 1000;
  const auto run = [&](size_t count) {
    for (size_t first = 0; first < count; first += kBlockElementsMax) {
      LatticeSegment segment;
      const std::vector<uint32_t>& escapes = moves.escapes[first / kBlockElementsMax];
      lattice_error_sums(weights.data() + first, Dtype::f32, gradients.data() + first, Dtype::f32, &scale,
                         moves.symbols.data() + first, escapes.data(), escapes.size(),
                         whole_block(segment, kBlockElementsMax), state_of(&previous, first),
                         &sums[first / kBlockElementsMax]);
    }
  };
  measure_levels(report, "lattice error sums f32, f32 gradients", kAllLevels, run, sums.data(),
                 [](size_t count) { return count / kBlockElementsMax * sizeof(LatticeErrorSums); });
}

}  // namespace

void bench_lattice(BenchReport& report) {
  const std::vector<float> weights = bench_weights(kElements, 1);
  Symbols base;
  quantize(weights, nullptr, kElements, base);
  Lattice state;
  for (size_t first = 0; first < kElements; first += kBlockElementsMax) apply(base, nullptr, first, state);
  const auto bytes = [](size_t count) { return count; };
  measure_levels(
      report, "lattice quantize f32, base", kAllLevels, [&](size_t count) { quantize(weights, nullptr, count, base); },
      base.symbols.data(), bytes);
  for (const double share : {0.01, 0.1}) {
    const std::vector<float> next = later(weights, share);
    Symbols delta;
    quantize(next, &state, kElements, delta);
    const auto moved =
        kElements - static_cast<size_t>(std::count(delta.symbols.begin(), delta.symbols.end(), uint8_t{0}));
    const std::string what =
        std::to_string(static_cast<int>(std::lround(100.0 * static_cast<double>(moved) / kElements))) + " % moved";
    measure_levels(
        report, "lattice quantize f32, " + what, kAllLevels,
        [&](size_t count) { quantize(next, &state, count, delta); }, delta.symbols.data(), bytes);
    bench_rebuild(report, what, delta, &state);
    if (share == 0.01) bench_errors(report, next, delta, state);
  }
  bench_rebuild(report, "base", base, nullptr);
}

}  // namespace firn::bench
