// Rebuilding blocks along a chain of packages, as in a restore: from payloads to elements.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "firn/delta.h"
#include "firn/residual_quant/residual.h"

namespace firn::bench {
namespace {

constexpr size_t kBlocks = kElements / kBlockElementsMax;
constexpr uint32_t kDeadZone = 156;
// Units of 2^-18, and steps half of a typical weight's spread.
constexpr LatticeSegment kSegment{
    .count = kBlockElementsMax, .exponent = -18, .step = 2048, .offsets = {90, 20, 20}, .gain = 260};
constexpr uint32_t kSlot = 0;

// A package of one tensor.
struct Package {
  ContextTables tables;
  std::vector<std::vector<uint8_t>> payloads{kBlocks};
  double moved = 0;  // share of symbols other than 0

  ResidualLink link(size_t block) const {
    return {&tables, payloads[block].data(), payloads[block].size(), {&kSegment, 1}, &kSlot};
  }
};

// All states, starting at zero with the activity of a base.
struct States {
  std::vector<int32_t> values = std::vector<int32_t>(kElements);
  std::vector<uint8_t> activity = std::vector<uint8_t>(kElements, 168);
};

// Codes `weights` against `states`, which it leaves as they are after it.
Package encode(const std::vector<float>& weights, bool base, States& states) {
  Package package;
  std::vector<uint8_t> symbols(kElements), contexts(kElements);
  std::vector<std::vector<uint32_t>> escapes(kBlocks);
  const auto layout_of = [&](size_t b) {
    return ContextLayout{&contexts[b * kBlockElementsMax], kBlockElementsMax, &kSegment.count, &kSlot, 1};
  };
  ContextCounts counts;
  std::vector<int32_t> values(kBlockElementsMax);
  std::vector<uint8_t> activity(kBlockElementsMax);
  for (size_t b = 0; b < kBlocks; ++b) {
    const size_t first = b * kBlockElementsMax;
    const LatticeState before{&states.values[first], &states.activity[first]};
    LatticeStatistics sums;
    lattice_quantize(&weights[first], Dtype::f32, {&kSegment, 1}, before, kDeadZone, &symbols[first], &escapes[b],
                     &sums);
    lattice_contexts({&kSegment, 1}, before, &contexts[first]);
    counts.add({layout_of(b), &symbols[first], escapes[b].data(), escapes[b].size()});
    lattice_apply(&symbols[first], escapes[b].data(), escapes[b].size(), {&kSegment, 1}, before, values.data(),
                  activity.data());
    std::copy(values.begin(), values.end(), states.values.begin() + static_cast<ptrdiff_t>(first));
    if (!base) std::copy(activity.begin(), activity.end(), states.activity.begin() + static_cast<ptrdiff_t>(first));
  }
  counts.build(1, &package.tables);
  for (size_t b = 0; b < kBlocks; ++b) {
    package.tables.encode({layout_of(b), &symbols[b * kBlockElementsMax], escapes[b].data(), escapes[b].size()},
                          &package.payloads[b]);
  }
  package.moved = 1 - static_cast<double>(std::count(symbols.begin(), symbols.end(), uint8_t{0})) / kElements;
  return package;
}

// Every weight a little elsewhere, and a few much more.
std::vector<float> drifted(const std::vector<float>& weights, float share, uint64_t seed) {
  std::vector<float> moved = weights;
  const std::vector<float> noise = bench_weights(weights.size(), seed), size = bench_weights(weights.size(), seed + 1);
  for (size_t i = 0; i < moved.size(); ++i) moved[i] += share * noise[i] * (1 + 50 * std::abs(size[i]));
  return moved;
}

void bench_chain(BenchReport& report, const std::string& what, const std::vector<const Package*>& chain) {
  static constexpr int32_t kOrigin = 0;
  std::vector<float> elements(kElements);
  const auto run = [&](size_t count) {
    std::vector<ResidualLink> links(chain.size());
    for (size_t b = 0; b < count / kBlockElementsMax; ++b) {
      for (size_t i = 0; i < chain.size(); ++i) links[i] = chain[i]->link(b);
      residual_elements({links.data(), links.size(), {}, &kOrigin}, Dtype::f32, &elements[b * kBlockElementsMax]);
    }
  };
  measure_levels(report, "residual elements f32, " + what, kAllLevels, run, elements.data(),
                 [](size_t count) { return 4 * count; });
}

}  // namespace

void bench_residual(BenchReport& report) {
  if (!report.wants("residual elements f32, base") && !report.wants("residual")) return;
  const std::vector<float> weights = bench_weights(kElements, 1);
  States states;
  const Package base = encode(weights, true, states);
  bench_chain(report, "base", {&base});
  for (const float share : {0.04f, 0.11f}) {
    States after = states;
    const std::vector<float> next = drifted(weights, share, 11);
    const Package delta = encode(next, false, after);
    char what[60];
    std::snprintf(what, sizeof what, "base and delta of %.1f %% moved", 100 * delta.moved);
    bench_chain(report, what, {&base, &delta});
    const Package second = encode(drifted(next, share, 21), false, after);
    std::snprintf(what, sizeof what, "base and two deltas of %.1f %% moved", 100 * second.moved);
    bench_chain(report, what, {&base, &delta, &second});
  }
}

}  // namespace firn::bench
