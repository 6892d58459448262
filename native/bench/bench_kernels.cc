// The quantizer's kernels: sketch, partition, assign, dequantize, dtype conversion, codebook.
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "firn/codebook_quant/assign.h"
#include "firn/codebook_quant/codebook.h"
#include "firn/codebook_quant/partition.h"
#include "firn/sketch.h"
#include "simd/cpu_features.h"

namespace firn::bench {
namespace {

constexpr const char* kDtypeNames[] = {"f32", "f16", "bf16"};
constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::f16, Dtype::bf16};

// Weights and gradients of one dtype each.
struct Data {
  std::vector<float> plain = bench_weights(kElements, 1);
  std::vector<uint16_t> f16 = narrowed(plain, Dtype::f16), bf16 = narrowed(plain, Dtype::bf16);
  // Gradients: other values of the same shape, as bfloat16.
  std::vector<uint16_t> gradients = narrowed(bench_weights(kElements, 2), Dtype::bf16);
  // Typical weights of the middle half of a tensor: prune 30 %, protect 0.05 % by each metric.
  Partition partition;

  Data() {
    const auto magnitudes = std::make_unique<Sketch>(), sensitivities = std::make_unique<Sketch>();
    sketch_values(plain.data(), Dtype::f32, plain.size(), *magnitudes);
    sketch_sensitivity(plain.data(), Dtype::f32, gradients.data(), Dtype::bf16, plain.size(), *sensitivities);
    partition.protect_magnitude_min = sketch_top_threshold(*magnitudes, 0.0005);
    partition.protect_sensitivity_min = sketch_top_threshold(*sensitivities, 0.0005);
    partition.prune_below = sketch_bottom_threshold(*magnitudes, 0.3);
  }
  static std::vector<uint16_t> narrowed(const std::vector<float>& values, Dtype dtype) {
    std::vector<uint16_t> words(values.size());
    convert(values.data(), Dtype::f32, values.size(), words.data(), dtype);
    return words;
  }
  const void* weights(Dtype dtype) const {
    if (dtype == Dtype::f32) return plain.data();
    return dtype == Dtype::f16 ? f16.data() : bf16.data();
  }
};

void bench_sketches(BenchReport& report, const Data& data) {
  const auto sketch = std::make_unique<Sketch>();
  const auto whole = [](size_t) { return sizeof(Sketch); };
  const Isa best = detected_isa();
  // Sketches add up, so every run starts from an empty one.
  const auto fresh = [&](auto fill) {
    return [&sketch, fill](size_t count) {
      std::memset(sketch.get(), 0, sizeof *sketch);
      fill(count, *sketch);
    };
  };
  for (const Dtype dtype : kDtypes) {
    const auto run =
        fresh([&data, dtype](size_t count, Sketch& s) { sketch_values(data.weights(dtype), dtype, count, s); });
    measure_levels(report, std::string("sketch ") + kDtypeNames[static_cast<int>(dtype)], {Isa::scalar, best}, run,
                   sketch.get(), whole);
  }
  const std::vector<float> constant(kElements, 0.5f);
  const auto same =
      fresh([&constant](size_t count, Sketch& s) { sketch_values(constant.data(), Dtype::f32, count, s); });
  measure_levels(report, "sketch f32, one value only", {best}, same, sketch.get(), whole);
  const auto product = fresh([&data](size_t count, Sketch& s) {
    sketch_sensitivity(data.plain.data(), Dtype::f32, data.gradients.data(), Dtype::bf16, count, s);
  });
  measure_levels(report, "sensitivity f32, bf16 gradients", {best}, product, sketch.get(), whole);
  const auto kept = fresh([&data](size_t count, Sketch& s) {
    sketch_quantized(data.plain.data(), Dtype::f32, data.gradients.data(), Dtype::bf16, count, data.partition, s);
  });
  measure_levels(report, "sketch_quantized f32, bf16 gradients", kAllLevels, kept, sketch.get(), whole);
}

std::vector<float> codebook_for(const Sketch& sketch, uint32_t bins) {
  std::vector<float> centroids(bins);
  uint32_t count = 0;
  build_codebook(sketch, bins, {}, centroids.data(), &count);
  centroids.resize(count);
  return centroids;
}

void bench_assign(BenchReport& report, const Data& data) {
  const auto sketch = std::make_unique<Sketch>();
  sketch_values(data.plain.data(), Dtype::f32, data.plain.size(), *sketch);
  std::vector<uint8_t> levels(kElements);
  const auto by_count = [](size_t count) { return count; };
  const Isa best = detected_isa();
  for (const uint32_t bins : {4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
    const std::vector<float> centroids = codebook_for(*sketch, bins);
    const LevelMap map{.centroids = centroids.data(), .centroid_count = static_cast<uint32_t>(centroids.size())};
    const auto run = [&](size_t count) {
      assign_levels(data.plain.data(), Dtype::f32, nullptr, Dtype::f32, count, {}, map, levels.data(), nullptr);
    };
    measure_levels(report, "assign " + std::to_string(bins) + " bins, f32", kAllLevels, run, levels.data(), by_count);
  }
  const std::vector<float> centroids = codebook_for(*sketch, 16);
  const LevelMap map{.centroids = centroids.data(),
                     .centroid_count = static_cast<uint32_t>(centroids.size()),
                     .pruned_level = 16,
                     .protected_level = 17};
  for (const Dtype dtype : kDtypes) {
    const auto run = [&](size_t count) {
      assign_levels(data.weights(dtype), dtype, data.gradients.data(), Dtype::bf16, count, data.partition, map,
                    levels.data(), nullptr);
    };
    const std::string detail =
        std::string("16 bins, ") + kDtypeNames[static_cast<int>(dtype)] + ", pruned, protected, bf16 gradients";
    measure_levels(report, "assign " + detail, {best}, run, levels.data(), by_count);
  }
  std::vector<uint16_t> words(kElements / 100);
  assign_levels(data.plain.data(), Dtype::f32, data.gradients.data(), Dtype::bf16, kElements, data.partition, map,
                levels.data(), nullptr);
  const auto gather = [&](size_t count) {
    gather_protected(data.plain.data(), Dtype::f32, levels.data(), count, 17, words.data());
  };
  measure_levels(report, "gather_protected f32, 0.1 % protected", {best}, gather, words.data(),
                 [&](size_t) { return words.size() * 2; });
}

void bench_dequantize(BenchReport& report, const Data& data) {
  const auto sketch = std::make_unique<Sketch>();
  sketch_values(data.plain.data(), Dtype::f32, data.plain.size(), *sketch);
  std::vector<uint8_t> levels(kElements);
  std::vector<float> out(kElements);
  for (const uint32_t bins : {16u, 32u, 254u}) {
    const std::vector<float> centroids = codebook_for(*sketch, bins);
    const uint32_t count = static_cast<uint32_t>(centroids.size()), level_count = count + 2;
    const LevelMap map{.centroids = centroids.data(),
                       .centroid_count = count,
                       .pruned_level = static_cast<int32_t>(count),
                       .protected_level = static_cast<int32_t>(count + 1)};
    assign_levels(data.plain.data(), Dtype::f32, data.gradients.data(), Dtype::bf16, kElements, data.partition, map,
                  levels.data(), nullptr);
    float table[kLevelsMax] = {};
    std::memcpy(table, centroids.data(), count * sizeof(float));
    for (const Dtype dtype : kDtypes) {
      uint32_t narrow[kLevelsMax];
      convert(table, Dtype::f32, kLevelsMax, narrow, dtype);
      size_t protected_count = 0, scalar_protected = 0;  // of all elements, and of the first kScalarElements
      for (size_t i = 0; i < kElements; ++i) protected_count += levels[i] == count + 1;
      for (size_t i = 0; i < kScalarElements; ++i) scalar_protected += levels[i] == count + 1;
      std::vector<uint16_t> words(protected_count);
      gather_protected(data.weights(dtype), dtype, levels.data(), kElements, static_cast<uint8_t>(count + 1),
                       words.data());
      const auto run = [&](size_t elements) {
        const size_t here = elements == kElements ? protected_count : scalar_protected;
        dequantize(levels.data(), elements, dtype, narrow, level_count, static_cast<int32_t>(count + 1), words.data(),
                   here, out.data());
      };
      const std::string detail = std::to_string(level_count) + " levels, " + kDtypeNames[static_cast<int>(dtype)];
      measure_levels(report, "dequantize " + detail, kAllLevels, run, out.data(),
                     [&](size_t n) { return n * dtype_bytes(dtype); });
    }
  }
}

void bench_convert(BenchReport& report, const Data& data) {
  std::vector<float> out(kElements);
  for (const Dtype from : kDtypes) {
    for (const Dtype to : kDtypes) {
      if (from == to) continue;
      const auto run = [&](size_t count) { convert(data.weights(from), from, count, out.data(), to); };
      const std::string detail =
          std::string(kDtypeNames[static_cast<int>(from)]) + " to " + kDtypeNames[static_cast<int>(to)];
      measure_levels(report, "convert " + detail, {detected_isa()}, run, out.data(),
                     [to](size_t n) { return n * dtype_bytes(to); });
    }
  }
}

double optimum(const Sketch& sketch, uint32_t bins, CodebookOptions options) {
  options.clustering = Clustering::optimal;
  float centroids[kBinsMax];
  uint32_t count = 0;
  build_codebook(sketch, bins, options, centroids, &count);
  return codebook_distortion(sketch, options, centroids, count);
}

// Here the milliseconds matter; the bytes are four an occupied bucket.
void bench_codebooks(BenchReport& report, const Data& data) {
  const auto sketch = std::make_unique<Sketch>();
  sketch_values(data.plain.data(), Dtype::f32, data.plain.size(), *sketch);
  size_t buckets = sketch->zeros > 0;
  for (const uint64_t count : sketch->counts) buckets += count > 0;
  for (const Clustering clustering : {Clustering::kmeanspp, Clustering::optimal}) {
    for (const uint32_t bins : {8u, 16u, 32u, 256u}) {
      CodebookOptions options;
      options.clustering = clustering;
      float centroids[kBinsMax];
      uint32_t count = 0;
      const auto run = [&] { build_codebook(*sketch, bins, options, centroids, &count); };
      const auto correct = [&] {  // every bin used, and nothing beats the optimum
        return count == bins &&
               optimum(*sketch, bins, options) <= codebook_distortion(*sketch, options, centroids, count) * 1.000001;
      };
      const char* method = clustering == Clustering::optimal ? " bins, optimal" : " bins, k-means++";
      report.measure("codebook " + std::to_string(bins) + method, buckets * 4, run, correct);
    }
  }
  for (const uint32_t bins : {8u, 16u, 32u}) {
    const EntropyOptions options;
    float centroids[kBinsMax], boundaries[kBinsMax];
    uint32_t count = 0;
    const auto run = [&] { build_entropy_codebook(*sketch, bins, options, centroids, boundaries, &count); };
    const auto correct =
        [&] {  // no more error than k-means with a rate of a bit can leave, and cells where k-means has some
          const CodebookOptions plain{.weighting = Weighting::frequency};
          return count > bins / 2 &&
                 codebook_distortion(*sketch, plain, centroids, count) < 3 * optimum(*sketch, bins, plain);
        };
    report.measure("codebook " + std::to_string(bins) + " bins, entropy", buckets * 4, run, correct);
  }
}

}  // namespace

void bench_kernels(BenchReport& report) {
  const Data data;
  report.note(std::to_string(kElements) +
              " weights: bell-shaped rows of 1024 at differing scale, 0.1 % outliers; scalar rows " +
              std::to_string(kScalarElements));
  bench_sketches(report, data);
  bench_assign(report, data);
  bench_dequantize(report, data);
  bench_convert(report, data);
  bench_codebooks(report, data);
}

}  // namespace firn::bench
