// What the benches share: a report of rows, and timing of one kernel. bench_main.cc prints the report with each row's ratio to the
// row named "memcpy"; every bench_*.cc adds its rows through a function declared at the end of this file.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace firn::bench {

struct BenchRow {
  std::string name;
  std::vector<double> samples;  // GB/s, 10^9 bytes of binary32 input or output each second

  double median() const {
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
};

class BenchReport {
 public:
  // One row; `gb_per_s_samples` holds one figure for each repetition.
  void add(std::string name, std::vector<double> gb_per_s_samples) {
    rows_.push_back({std::move(name), std::move(gb_per_s_samples)});
  }
  // A line of text that belongs to the rows before it: sizes, distributions, achieved ratios.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  const std::vector<BenchRow>& rows() const { return rows_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<BenchRow> rows_;
  std::vector<std::string> notes_;
};

inline constexpr size_t kRepetitions = 7;            // samples a row; the median is reported
inline constexpr double kSecondsPerSample = 0.05;  // a sample repeats the kernel until this has passed

// Speeds of `run()`, which handles `bytes` bytes each time, after one call to warm up.
template <typename Run>
std::vector<double> sample_gb_per_s(size_t bytes, Run run) {
  using Clock = std::chrono::steady_clock;
  run();
  std::vector<double> samples;
  for (size_t i = 0; i < kRepetitions; ++i) {
    const Clock::time_point begin = Clock::now();
    size_t times = 0;
    double seconds = 0;
    do {
      run();
      ++times;
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    } while (seconds < kSecondsPerSample);
    samples.push_back(static_cast<double>(bytes) * static_cast<double>(times) / seconds / 1e9);
  }
  return samples;
}

// Token tables, exact blocks, checksums (bench_coding.cc).
void bench_coding(BenchReport& report);

}  // namespace firn::bench
