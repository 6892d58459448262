// Timing of kernels. Every result is checked before it is timed, and every figure stands beside a memcpy of as many
// bytes, measured in turn with it. bench_main.cc prints the report; each bench_*.cc adds rows through a function
// declared at the end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "simd/cpu_features.h"

namespace firn::bench {

// Weights per kernel unless a row says otherwise: 128 MiB of binary32, several times a last-level cache.
inline constexpr size_t kElements = 32u << 20;
// The scalar reference is slow; fewer weights do.
inline constexpr size_t kScalarElements = kElements / 16;

// Seconds that handling `bytes` bytes once took, and that copying them took, one pair a round.
struct Samples {
  size_t bytes = 0;
  std::vector<double> run_seconds, memcpy_seconds;
};

// Times `run()`, which handles `bytes` bytes (4 a weight, whatever is stored), in 7 rounds after one call to warm up. A
// sample repeats the call until 20 ms have passed; the run and the copy take turns at going first.
Samples sample_gb_per_s(size_t bytes, const std::function<void()>& run);

struct Row {
  std::string name;
  size_t bytes = 0;
  double ms = 0;               // median of one run
  double gb_per_s = 0;         // bytes / median, 1 GB = 1e9 bytes
  double spread = 0;           // (slowest - fastest) / median
  double memcpy_gb_per_s = 0;  // median
  double memcpy_ratio = 0;     // median over the rounds of memcpy time / run time
};

// Collects rows and notes, and prints each as soon as it is known.
class BenchReport {
 public:
  // Keeps only the checked cases whose name contains `filter`.
  explicit BenchReport(std::string filter);

  void add(const std::string& name, const Samples& samples);
  // A line of text that belongs to the rows before it: sizes, distributions, achieved ratios.
  void note(const std::string& text);

  // Whether `measure` would run a case of this name: spares preparing data nobody asked for.
  bool wants(const std::string& name) const;
  // Calls run() once and then correct(); where that is false the case fails and is not timed, else it becomes a row.
  void measure(const std::string& name, size_t bytes, const std::function<void()>& run,
               const std::function<bool()>& correct);

  // Whether any answer was wrong.
  bool failed() const { return failed_; }
  // Machine, instruction set, rows and notes.
  std::string json() const;

 private:
  std::string filter_;
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
  bool failed_ = false;
};

inline constexpr std::initializer_list<Isa> kAllLevels = {Isa::scalar, Isa::avx2, Isa::avx512};

// Measures `run(elements)` at each of `levels` this machine has. Its answer, `answer_bytes(elements)` bytes at
// `answer`, must equal that of a run at Isa::scalar.
void measure_levels(BenchReport& report, const std::string& name, std::initializer_list<Isa> levels,
                    const std::function<void(size_t)>& run, void* answer,
                    const std::function<size_t(size_t)>& answer_bytes);

// Deterministic weights like a trained tensor's: bell-shaped rows of 1024 at differing scale, and 0.1 % outliers. No
// math library involved, so the same everywhere.
std::vector<float> bench_weights(size_t count, uint64_t seed);

// Sketch, partition, assignment, dequantization, dtypes, codebooks (bench_kernels.cc).
void bench_kernels(BenchReport& report);
// Lattice quantization and what rebuilds it (bench_lattice.cc).
void bench_lattice(BenchReport& report);
// Blocks along a chain of packages (bench_residual.cc).
void bench_residual(BenchReport& report);
// Token tables, exact blocks, checksums (bench_coding.cc).
void bench_coding(BenchReport& report);
// The context coder (bench_context.cc).
void bench_context(BenchReport& report);

}  // namespace firn::bench
