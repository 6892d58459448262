#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "bench/bench.h"
#include "simd/cpu_features.h"

namespace firn::bench {
namespace {

constexpr size_t kRounds = 7;
constexpr double kSecondsPerSample = 0.02;

// Mean seconds of one call.
double sample(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (size_t times = 1;; ++times) {
    run();
    const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
    if (passed >= kSecondsPerSample) return passed / static_cast<double>(times);
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

// For names and notes, which hold no control characters.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string row_json(const Row& r) {
  char numbers[256];
  std::snprintf(
      numbers, sizeof numbers,
      "\"bytes\": %zu, \"ms\": %.4f, \"gbPerS\": %.3f, \"spread\": %.3f, \"memcpyGbPerS\": %.3f, \"memcpyRatio\": %.4f",
      r.bytes, r.ms, r.gb_per_s, r.spread, r.memcpy_gb_per_s, r.memcpy_ratio);
  return "{\"name\": " + quoted(r.name) + ", " + numbers + "}";
}

template <typename Item, typename ToJson>
std::string array_json(const std::vector<Item>& items, ToJson to_json) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i ? ",\n    " : "\n    ") + to_json(items[i]);
  return out + "\n  ]";
}

}  // namespace

Samples sample_gb_per_s(size_t bytes, const std::function<void()>& run) {
  std::vector<uint8_t> source(bytes, 1), target(bytes, 2);
  const std::function<void()> copy = [&] { std::memcpy(target.data(), source.data(), bytes); };
  Samples samples{.bytes = bytes, .run_seconds = {}, .memcpy_seconds = {}};
  run();
  for (size_t round = 0; round < kRounds; ++round) {
    const bool copy_first = round % 2 == 1;
    if (copy_first) samples.memcpy_seconds.push_back(sample(copy));
    samples.run_seconds.push_back(sample(run));
    if (!copy_first) samples.memcpy_seconds.push_back(sample(copy));
  }
  return samples;
}

BenchReport::BenchReport(std::string filter) : filter_(std::move(filter)) {
  std::printf(
      "%s, kernels: %s. GB/s of binary32 (4 bytes a weight); ratio to memcpy of as many bytes, measured in turn; "
      "medians of %zu\n",
      cpu_name().c_str(), isa_name(active_isa()), kRounds);
  std::printf("%-60s %7s %10s %8s %7s %8s %6s\n", "kernel", "MB", "ms", "GB/s", "spread", "memcpy", "ratio");
}

void BenchReport::add(const std::string& name, const Samples& samples) {
  const auto [fastest, slowest] = std::minmax_element(samples.run_seconds.begin(), samples.run_seconds.end());
  std::vector<double> ratios;
  for (size_t i = 0; i < samples.run_seconds.size(); ++i)
    ratios.push_back(samples.memcpy_seconds[i] / samples.run_seconds[i]);
  const double middle = median(samples.run_seconds), bytes = static_cast<double>(samples.bytes);
  const Row row{.name = name,
                .bytes = samples.bytes,
                .ms = middle * 1e3,
                .gb_per_s = bytes / middle / 1e9,
                .spread = (*slowest - *fastest) / middle,
                .memcpy_gb_per_s = bytes / median(samples.memcpy_seconds) / 1e9,
                .memcpy_ratio = median(ratios)};
  std::printf("%-60s %7.1f %10.3f %8.2f %6.0f%% %8.2f %6.2f\n", name.c_str(), bytes / 1e6, row.ms, row.gb_per_s,
              row.spread * 100, row.memcpy_gb_per_s, row.memcpy_ratio);
  std::fflush(stdout);
  rows_.push_back(row);
}

void BenchReport::note(const std::string& text) {
  std::printf("  %s\n", text.c_str());
  notes_.push_back(text);
}

void measure_levels(BenchReport& report, const std::string& name, std::initializer_list<Isa> levels,
                    const std::function<void(size_t)>& run, void* answer,
                    const std::function<size_t(size_t)>& answer_bytes) {
  for (const Isa isa : levels) {
    const std::string full_name = name + ", " + isa_name(isa);
    if (isa > detected_isa() || !report.wants(full_name)) continue;
    const size_t elements = isa == Isa::scalar ? kScalarElements : kElements, bytes = answer_bytes(elements);
    uint8_t* const actual = static_cast<uint8_t*>(answer);
    limit_isa(Isa::scalar);
    run(elements);
    const std::vector<uint8_t> expected(actual, actual + bytes);
    std::memset(actual, 0, bytes);
    limit_isa(isa);
    report.measure(
        full_name, elements * 4, [&] { run(elements); },
        [&] { return std::memcmp(actual, expected.data(), bytes) == 0; });
    limit_isa(Isa::avx512);
  }
}

bool BenchReport::wants(const std::string& name) const { return name.find(filter_) != std::string::npos; }

void BenchReport::measure(const std::string& name, size_t bytes, const std::function<void()>& run,
                          const std::function<bool()>& correct) {
  if (!wants(name)) return;
  run();
  if (!correct()) {
    std::printf("%-60s WRONG ANSWER, not timed\n", name.c_str());
    failed_ = true;
    return;
  }
  add(name, sample_gb_per_s(bytes, run));
}

std::string BenchReport::json() const {
  return "{\n  \"cpu\": " + quoted(cpu_name()) + ",\n  \"isa\": " + quoted(isa_name(active_isa())) +
         ",\n  \"rows\": " + array_json(rows_, row_json) + ",\n  \"notes\": " + array_json(notes_, quoted) + "\n}\n";
}

std::vector<float> bench_weights(size_t count, uint64_t seed) {
  constexpr size_t kRow = 1024;
  std::vector<float> weights(count);
  uint64_t state = seed;
  const auto next = [&] {  // SplitMix64
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  };
  float scale = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i % kRow == 0) scale = 0.02f * (0.5f + static_cast<float>(next() >> 40) * 0x1p-24f);
    const uint64_t word = next();
    // The sum of three 20-bit uniforms is near normal, of standard deviation 1 in units of 2^19.
    const int64_t sum =
        static_cast<int64_t>((word & 0xFFFFF) + (word >> 20 & 0xFFFFF) + (word >> 40 & 0xFFFFF)) - 3 * 0x7FFFF;
    const bool outlier = word >> 60 == 0 && word % 64 == 0;
    weights[i] = scale * static_cast<float>(sum) * 0x1p-19f * (outlier ? 6.0f : 1.0f);
  }
  return weights;
}

}  // namespace firn::bench
