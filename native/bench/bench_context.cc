// The context coder: counting, encoding and decoding of deltas whose share of changed bins differs from context to
// context.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "firn/context_coder.h"

namespace firn::bench {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kBlock = kBlockElementsMax;
constexpr size_t kBlocks = 32;  // 4 Mi elements stand for 16 MiB of binary32

struct Random {
  uint64_t state;
  uint64_t next() {  // SplitMix64
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

struct Series {
  uint32_t contexts;
  double moved;       // share of symbols other than 0, over all contexts
  bool base = false;  // symbols are levels of a bell-shaped tensor instead
};

struct Elements {
  Bytes symbols, contexts;
  uint32_t block = kBlock, slot = 0;

  ContextLayout layout(size_t b) const { return {&contexts[b * kBlock], kBlock, &block, &slot, 1}; }
  ContextBlock view(size_t b) const { return {layout(b), &symbols[b * kBlock], nullptr, 0}; }
};

// Contexts are bins, so middle ones are frequent; the outermost move four times as often as the innermost. A changed
// bin is a neighbour in nine cases of ten.
Elements make_elements(const Series& series) {
  Random random{static_cast<uint64_t>(series.contexts) * 1000003 + static_cast<uint64_t>(series.moved * 1e6)};
  Elements elements;
  elements.symbols.resize(kBlock * kBlocks);
  elements.contexts.resize(kBlock * kBlocks);
  const auto level = [&](uint32_t levels) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += random.unit();
    return static_cast<uint8_t>(sum / 4 * levels);
  };
  std::vector<double> share(series.contexts);
  double mean = 0;
  for (uint32_t c = 0; c < series.contexts; ++c) {
    const double outside = series.contexts > 1 ? std::abs(2.0 * c / (series.contexts - 1) - 1) : 0;
    share[c] = std::exp2(2 * outside);
  }
  for (int i = 0; i < 100000; ++i) mean += share[level(series.contexts)] / 100000;
  for (size_t i = 0; i < elements.symbols.size(); ++i) {
    const uint8_t context = level(series.contexts);
    elements.contexts[i] = context;
    if (series.base) {
      elements.symbols[i] = level(15);
    } else if (random.unit() < share[context] / mean * series.moved) {
      elements.symbols[i] = static_cast<uint8_t>(1 + random.next() % 2 + (random.next() % 10 == 0 ? 2 : 0));
    }
  }
  return elements;
}

// Bits a symbol under one distribution for each context.
double entropy(const Elements& elements) {
  std::vector<std::vector<double>> counts(kContextsMax, std::vector<double>(kContextSymbols));
  for (size_t i = 0; i < elements.symbols.size(); ++i) ++counts[elements.contexts[i]][elements.symbols[i]];
  double bits = 0;
  for (const auto& row : counts) {
    double total = 0;
    for (const double c : row) total += c;
    for (const double c : row) bits += c > 0 ? c * std::log2(total / c) : 0;
  }
  return bits / static_cast<double>(elements.symbols.size());
}

void bench_series(BenchReport& report, const std::string& label, const Series& series) {
  if (!report.wants("context count " + label) && !report.wants("context encode " + label) &&
      !report.wants("context decode " + label))
    return;
  const Elements elements = make_elements(series);
  const size_t count = elements.symbols.size();
  ContextCounts counts;
  const auto add_all = [&] {
    counts = ContextCounts();
    for (size_t b = 0; b < kBlocks; ++b) counts.add(elements.view(b));
  };
  add_all();
  ContextTables tables;
  counts.build(1, &tables);
  const Bytes stored = tables.serialize();
  std::vector<Bytes> payloads(kBlocks);
  const auto encode_all = [&] {
    for (size_t b = 0; b < kBlocks; ++b) {
      payloads[b].clear();
      tables.encode(elements.view(b), &payloads[b]);
    }
  };
  encode_all();
  Bytes decoded(count);
  std::vector<uint32_t> escapes;
  const auto decode_all = [&] {
    for (size_t b = 0; b < kBlocks; ++b) {
      tables.decode(payloads[b].data(), payloads[b].size(), elements.layout(b), &decoded[b * kBlock], &escapes);
    }
  };
  size_t bytes = stored.size();
  for (const Bytes& payload : payloads) bytes += payload.size();
  report.measure("context count " + label, 4 * count, add_all, [&] {
    ContextTables again;
    return counts.build(1, &again) == Status::ok && again.serialize() == stored;
  });
  report.measure("context encode " + label, 4 * count, encode_all, [&] {
    decode_all();
    return decoded == elements.symbols;
  });
  report.measure("context decode " + label, 4 * count, decode_all, [&] { return decoded == elements.symbols; });
  char text[200];
  const double bits = 8.0 * static_cast<double>(bytes) / static_cast<double>(count), ideal = entropy(elements);
  std::snprintf(text, sizeof text,
                "context %s: %.4f bit an element, %zu bytes of tables included; %.4f times its conditional entropy",
                label.c_str(), bits, stored.size(), bits / ideal);
  report.note(text);
}

}  // namespace

void bench_context(BenchReport& report) {
  for (const uint32_t contexts : {2u, 10u, 20u}) {
    for (const double percent : {0.1, 1.0, 3.0, 6.0, 10.0, 30.0}) {
      char label[60];
      std::snprintf(label, sizeof label, "%u contexts, %g %% moved", contexts, percent);
      bench_series(report, label, {contexts, percent / 100});
    }
  }
  bench_series(report, "a base of 15 levels", {1, 0, true});
}

}  // namespace firn::bench
