#include <algorithm>
#include <memory>

#include "firn/codebook.h"
#include "kernel_data.h"

namespace firn::test {
namespace {

using SketchPtr = std::unique_ptr<Sketch>;

SketchPtr sketch_of(const std::vector<float>& values) {
  SketchPtr sketch = std::make_unique<Sketch>();
  sketch_values(values.data(), Dtype::f32, values.size(), *sketch);
  return sketch;
}

std::vector<float> codebook(const Sketch& sketch, uint32_t bins, const CodebookOptions& options) {
  std::vector<float> centroids(bins);
  uint32_t count = 0;
  CHECK(build_codebook(sketch, bins, options, centroids.data(), &count) == Status::ok);
  CHECK(count >= 1 && count <= bins);
  centroids.resize(count);
  for (size_t i = 0; i < centroids.size(); ++i) {
    CHECK(std::isfinite(centroids[i]));
    CHECK(i == 0 || centroids[i] > centroids[i - 1]);
  }
  return centroids;
}

double distortion(const Sketch& sketch, const CodebookOptions& options, const std::vector<float>& centroids) {
  return codebook_distortion(sketch, options, centroids.data(), static_cast<uint32_t>(centroids.size()));
}

constexpr CodebookOptions options(Clustering clustering, Weighting weighting, double sigma = 0.2, uint64_t seed = 0) {
  return {.clustering = clustering, .weighting = weighting, .sigma = sigma, .seed = seed};
}

// The points and weights of section 4.4, written out again for the oracles below.
struct Oracle {
  std::vector<double> x, w;

  Oracle(const Sketch& sketch, Weighting weighting, double sigma) {
    std::vector<std::pair<double, double>> points;
    if (sketch.zeros) points.emplace_back(0.0, static_cast<double>(sketch.zeros));
    for (uint32_t key = 0; key < kSketchBuckets; ++key) {
      if (sketch.counts[key]) points.emplace_back(sketch_midpoint(key), static_cast<double>(sketch.counts[key]));
    }
    std::sort(points.begin(), points.end());
    double counts = 0, magnitudes = 0;
    for (const auto& [value, count] : points) counts += count, magnitudes += std::fabs(value);
    for (const auto& [value, count] : points) {
      x.push_back(value);
      if (weighting == Weighting::frequency) w.push_back(count);
      else w.push_back(sigma * (count / counts) + (1 - sigma) * (magnitudes > 0 ? std::fabs(value) / magnitudes : 0));
    }
  }

  // Of points [begin, end) as one cluster, from the definition.
  long double cost(size_t begin, size_t end) const {
    long double weight = 0, moment = 0, sum = 0;
    for (size_t i = begin; i < end; ++i) weight += w[i], moment += static_cast<long double>(w[i]) * x[i];
    if (weight == 0) return 0;
    for (size_t i = begin; i < end; ++i) sum += w[i] * (x[i] - moment / weight) * (x[i] - moment / weight);
    return sum;
  }

  // Least cost of points [begin, end) in at most k clusters, by trying every way to cut them.
  long double brute_force(size_t begin, uint32_t k) const {
    if (k == 1 || begin + 1 >= x.size()) return cost(begin, x.size());
    long double best = cost(begin, x.size());
    for (size_t cut = begin + 1; cut < x.size(); ++cut) best = std::min(best, cost(begin, cut) + brute_force(cut, k - 1));
    return best;
  }

  // The same for larger inputs: the plain O(k n^2) recurrence.
  long double quadratic(uint32_t k) const {
    const size_t n = x.size();
    std::vector<std::vector<long double>> costs(n + 1, std::vector<long double>(n + 1, 0));
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = i + 1; j <= n; ++j) costs[i][j] = cost(i, j);
    }
    std::vector<long double> best = costs[0];
    for (uint32_t c = 2; c <= k; ++c) {
      std::vector<long double> next(best);
      for (size_t j = 1; j <= n; ++j) {
        for (size_t i = 1; i < j; ++i) next[j] = std::min(next[j], best[i] + costs[i][j]);
      }
      best.swap(next);
    }
    return best[n];
  }
};

// Binary32 centroids miss the optimum by their rounding: at most (2^-24 |x|)^2 a unit of weight.
double rounding_allowance(const Oracle& oracle) {
  double sum = 0;
  for (size_t i = 0; i < oracle.x.size(); ++i) sum += oracle.w[i] * oracle.x[i] * oracle.x[i];
  return sum * 0x1p-46;
}

std::vector<float> random_values(Random& random, size_t count, int kind) {
  std::vector<float> values(count);
  for (float& value : values) {
    switch (kind) {
      case 0: value = gaussian(random); break;
      case 1: value = gaussian(random) * std::exp(3 * gaussian(random)); break;
      case 2: value = static_cast<float>(static_cast<int>(random.below(7)) - 3); break;  // ties, exact zeros
      default: value = random.below(20) ? 1e-3f * gaussian(random) : 1e4f * gaussian(random); break;
    }
  }
  return values;
}

constexpr Weighting kWeightings[] = {Weighting::frequency, Weighting::frequency_magnitude};

}  // namespace

TEST_CASE("optimal clustering equals brute force over all cuts") {
  Random random(21);
  for (int round = 0; round < 400; ++round) {
    const SketchPtr sketch = sketch_of(random_values(random, 1 + random.below(12), round % 4));
    const uint32_t bins = 2 + static_cast<uint32_t>(random.below(4));
    for (const Weighting weighting : kWeightings) {
      const CodebookOptions how = options(Clustering::optimal, weighting, random.unit());
      const Oracle oracle(*sketch, weighting, how.sigma);
      const double best = static_cast<double>(oracle.brute_force(0, bins)), got = distortion(*sketch, how, codebook(*sketch, bins, how));
      CHECK_NEAR(got, best, best * 1e-9 + rounding_allowance(oracle));
    }
  }
}

TEST_CASE("optimal clustering equals the quadratic recurrence on hundreds of buckets") {
  Random random(22);
  for (int kind = 0; kind < 4; ++kind) {
    const SketchPtr sketch = sketch_of(random_values(random, 260, kind));
    for (const Weighting weighting : kWeightings) {
      const Oracle oracle(*sketch, weighting, 0.2);
      for (const uint32_t bins : {2u, 3u, 8u, 31u, 64u}) {
        const CodebookOptions how = options(Clustering::optimal, weighting);
        const double best = static_cast<double>(oracle.quadratic(bins)), got = distortion(*sketch, how, codebook(*sketch, bins, how));
        CHECK_NEAR(got, best, best * 1e-9 + rounding_allowance(oracle));
      }
    }
  }
}

TEST_CASE("optimal clustering stays exact beside an outlier that dwarfs everything else") {
  Random random(23);
  std::vector<float> values = random_values(random, 200, 0);
  const SketchPtr alone = sketch_of(values);
  values.push_back(1e15f);
  const SketchPtr beside = sketch_of(values);
  const CodebookOptions how = options(Clustering::optimal, Weighting::frequency);
  const std::vector<float> expected = codebook(*alone, 8, how), got = codebook(*beside, 9, how);
  REQUIRE(got.size() == 9);
  for (size_t i = 0; i < 8; ++i) CHECK_NEAR(got[i], expected[i], 1e-6f);
}

TEST_CASE("k-means++ never beats the optimum and stays near it on weights") {
  Random random(24);
  const SketchPtr sketch = sketch_of(plain_weights(random, 200000));
  for (const Weighting weighting : kWeightings) {
    for (const uint32_t bins : {4u, 8u, 16u, 32u}) {
      const CodebookOptions exact = options(Clustering::optimal, weighting);
      const double best = distortion(*sketch, exact, codebook(*sketch, bins, exact));
      double sum = 0;
      constexpr int kSeeds = 10;
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        const CodebookOptions how = options(Clustering::kmeanspp, weighting, 0.2, seed);
        const double got = distortion(*sketch, how, codebook(*sketch, bins, how));
        CHECK(got >= best * (1 - 1e-6));
        sum += got;
      }
      CHECK(sum / kSeeds < 3 * best);
    }
  }
}

TEST_CASE("Lloyd's iterations never raise the distortion and end in a fixed point") {
  Random random(25);
  const SketchPtr sketch = sketch_of(plain_weights(random, 50000));
  CodebookOptions how = options(Clustering::kmeanspp, Weighting::frequency_magnitude, 0.2, 5);
  double before = INFINITY;
  for (how.lloyd_max = 0; how.lloyd_max < 25; ++how.lloyd_max) {
    const double now = distortion(*sketch, how, codebook(*sketch, 12, how));
    CHECK(now <= before * (1 + 1e-6));
    before = now;
  }
  how.lloyd_max = 10000;
  const std::vector<float> settled = codebook(*sketch, 12, how);
  how.lloyd_max = 10001;
  CHECK(codebook(*sketch, 12, how) == settled);
}

TEST_CASE("without Lloyd the seeds are buckets, drawn by weight times distance") {
  // Three buckets, two centroids: the first is drawn by weight, the second by weight times distance from it.
  const SketchPtr sketch = sketch_of({1, 1, 1, 1, 1, 1, 2, 2, 2, 4});
  const double x[] = {sketch_midpoint(0x3F80 >> 1), sketch_midpoint(0x4000 >> 1), sketch_midpoint(0x4080 >> 1)}, w[] = {6, 3, 1};
  double expected[3] = {};  // by the bucket left out
  for (int a = 0; a < 3; ++a) {
    double total = 0;
    for (int b = 0; b < 3; ++b) total += w[b] * std::fabs(x[a] - x[b]);
    for (int b = 0; b < 3; ++b) {
      if (b != a) expected[3 - a - b] += w[a] / 10 * w[b] * std::fabs(x[a] - x[b]) / total;
    }
  }
  constexpr int kDraws = 20000;
  double seen[3] = {};
  CodebookOptions how = options(Clustering::kmeanspp, Weighting::frequency);
  how.lloyd_max = 0;
  for (how.seed = 0; how.seed < kDraws; ++how.seed) {
    const std::vector<float> pair = codebook(*sketch, 2, how);
    for (int left_out = 0; left_out < 3; ++left_out) {
      const float value = static_cast<float>(x[left_out]);
      if (pair[0] != value && pair[1] != value) seen[left_out] += 1.0 / kDraws;
    }
  }
  for (int i = 0; i < 3; ++i) CHECK_NEAR(seen[i], expected[i], 0.015);  // over four standard deviations
}

TEST_CASE("the same sketch and seed give the same bits on every machine") {
  // Values that need neither rounding nor a math library, so that the sketch itself is the same everywhere.
  std::vector<float> values;
  for (int i = -300; i <= 300; ++i) values.push_back(static_cast<float>(i * i * i) * 0x1p-20f);
  const SketchPtr sketch = sketch_of(values);
  const auto hash = [&](Clustering clustering, uint64_t seed) {
    uint64_t sum = 0xCBF29CE484222325u;  // FNV-1a over the centroids' bits
    for (const float c : codebook(*sketch, 16, options(clustering, Weighting::frequency_magnitude, 0.2, seed))) {
      sum = (sum ^ std::bit_cast<uint32_t>(c)) * 0x100000001B3u;
    }
    return sum;
  };
  CHECK_EQ(hash(Clustering::kmeanspp, 0), 13758764699526840945u);
  CHECK_EQ(hash(Clustering::kmeanspp, 0x123456789ABCDEFu), 8305046664591726407u);
  CHECK_EQ(hash(Clustering::optimal, 0), 865339003725061851u);
}

TEST_CASE("with a fixed seed the centroids of neighbouring checkpoints stay close") {
  const std::vector<float> earlier = real_weights("earlier"), later = real_weights("later");
  REQUIRE(earlier.size() == 96 * 96 && later.size() == 96 * 96);
  const SketchPtr a = sketch_of(earlier), b = sketch_of(later);
  for (const uint32_t bins : {8u, 16u}) {
    for (const Clustering clustering : {Clustering::kmeanspp, Clustering::optimal}) {
      double moved = 0, fresh = 0;
      constexpr uint64_t kSeeds = 8;
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        const std::vector<float> from = codebook(*a, bins, options(clustering, Weighting::frequency_magnitude, 0.2, seed));
        const std::vector<float> to = codebook(*b, bins, options(clustering, Weighting::frequency_magnitude, 0.2, seed));
        const std::vector<float> other = codebook(*b, bins, options(clustering, Weighting::frequency_magnitude, 0.2, seed + 100));
        REQUIRE(from.size() == bins && to.size() == bins && other.size() == bins);
        const double spacing = (static_cast<double>(from.back()) - from.front()) / (bins - 1);
        for (uint32_t i = 0; i < bins; ++i) {
          moved += std::fabs(static_cast<double>(to[i]) - from[i]) / spacing / bins / kSeeds;
          fresh += std::fabs(static_cast<double>(other[i]) - from[i]) / spacing / bins / kSeeds;
        }
      }
      report(moved < 0.1, __FILE__, __LINE__, "mean move in bin widths: " + show(moved));
      if (clustering == Clustering::kmeanspp) report(fresh > 2 * moved, __FILE__, __LINE__, "fresh seeds move " + show(fresh));
    }
  }
}

TEST_CASE("degenerate sketches give the centroids there are") {
  for (const Clustering clustering : {Clustering::kmeanspp, Clustering::optimal}) {
    for (const Weighting weighting : kWeightings) {
      for (const double sigma : {0.0, 0.2, 1.0}) {
        const CodebookOptions how = options(clustering, weighting, sigma);
        CHECK(codebook(*sketch_of({}), 8, how) == std::vector<float>{0});
        CHECK(codebook(*sketch_of({0, -0.0f, 0}), 2, how) == std::vector<float>{0});
        CHECK(!std::signbit(codebook(*sketch_of({-0.0f}), 2, how)[0]));
        CHECK(codebook(*sketch_of({NAN, INFINITY, -INFINITY}), 4, how) == std::vector<float>{0});
        const std::vector<float> one = codebook(*sketch_of({3, 3, 3}), 4, how);
        CHECK(one.size() == 1 && std::fabs(one[0] - 3) <= 3 * 0x1p-7f);
        CHECK_EQ(codebook(*sketch_of({-1, 0, 1, NAN}), 4, how).size(), 3u);
        const std::vector<float> extremes = codebook(*sketch_of({-3e38f, -1e-45f, 1e-45f, 3e38f}), 2, how);
        CHECK(extremes.size() <= 2);
      }
    }
  }
}

TEST_CASE("buckets no sketch function fills are ignored") {
  const SketchPtr sketch = sketch_of({-1, 2});
  sketch->counts[0x3FC0] = sketch->counts[0x7FFF] = 5;
  CHECK_EQ(codebook(*sketch, 8, {}).size(), 2u);
}

TEST_CASE("all bin counts from 2 to 256 work") {
  Random random(26);
  const SketchPtr sketch = sketch_of(plain_weights(random, 20000));
  for (uint32_t bins = kBinsMin; bins <= kBinsMax; bins = bins < 40 ? bins + 1 : bins + 31) {
    for (const Clustering clustering : {Clustering::kmeanspp, Clustering::optimal}) {
      CHECK_EQ(codebook(*sketch, bins, options(clustering, Weighting::frequency_magnitude)).size(), bins);
    }
  }
  CHECK_EQ(codebook(*sketch, 256, options(Clustering::optimal, Weighting::frequency)).size(), 256u);
}

TEST_CASE("bins and sigma outside their ranges are refused") {
  const SketchPtr sketch = sketch_of({1, 2, 3});
  float centroids[kBinsMax];
  uint32_t count = 77;
  CHECK(build_codebook(*sketch, 1, {}, centroids, &count) == Status::invalid_argument);
  CHECK(build_codebook(*sketch, 257, {}, centroids, &count) == Status::invalid_argument);
  CHECK(build_codebook(*sketch, 4, {.sigma = -0.1}, centroids, &count) == Status::invalid_argument);
  CHECK(build_codebook(*sketch, 4, {.sigma = 1.1}, centroids, &count) == Status::invalid_argument);
  CHECK(build_codebook(*sketch, 4, {.sigma = NAN}, centroids, &count) == Status::invalid_argument);
  CHECK_EQ(count, 77u);
}

}  // namespace firn::test
