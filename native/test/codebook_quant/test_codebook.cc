#include <algorithm>
#include <memory>

#include "firn/codebook_quant/codebook.h"
#include "test/kernel_data.h"

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

  // Cost of points [begin, end) as one cluster, from the definition.
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
    for (size_t cut = begin + 1; cut < x.size(); ++cut)
      best = std::min(best, cost(begin, cut) + brute_force(cut, k - 1));
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

struct Cells {
  std::vector<float> centroids, boundaries;
};

Cells entropy_codebook(const Sketch& sketch, uint32_t bins, const EntropyOptions& options) {
  Cells cells{std::vector<float>(bins), std::vector<float>(bins)};
  uint32_t count = 0;
  CHECK(build_entropy_codebook(sketch, bins, options, cells.centroids.data(), cells.boundaries.data(), &count) ==
        Status::ok);
  CHECK(count >= 1 && count <= bins);
  cells.centroids.resize(count);
  cells.boundaries.resize(count - 1);
  for (size_t i = 0; i < count; ++i) {
    CHECK(std::isfinite(cells.centroids[i]));
    CHECK(i == 0 || cells.centroids[i] > cells.centroids[i - 1]);
    if (i + 1 < count) CHECK(cells.centroids[i] < cells.boundaries[i] && cells.boundaries[i] <= cells.centroids[i + 1]);
  }
  return cells;
}

// Error and bits of cells, with the C library's logarithm.
struct PricedOracle {
  Oracle error;
  std::vector<double> counts;
  long double mass = 0, bit_cost = 0;  // of one weight

  PricedOracle(const Sketch& sketch, const EntropyOptions& options, uint32_t bins)
      : error(sketch, options.weighting, options.sigma), counts(Oracle(sketch, Weighting::frequency, 0).w) {
    for (const double count : counts) mass += count;
    CodebookOptions means = {.clustering = Clustering::optimal, .weighting = options.weighting, .sigma = options.sigma};
    float centroids[kBinsMax];
    uint32_t count = 0;
    CHECK(build_codebook(sketch, bins, means, centroids, &count) == Status::ok);
    bit_cost = counts.size() <= bins ? 0
                                     : options.bit_price * codebook_distortion(sketch, means, centroids, count) /
                                           static_cast<double>(mass);
  }

  // Cost of points [begin, end) as one cell.
  long double cost(size_t begin, size_t end) const {
    long double here = 0;
    for (size_t i = begin; i < end; ++i) here += counts[i];
    return error.cost(begin, end) + bit_cost * here * std::log2(mass / here);
  }

  // By trying every way to cut.
  long double brute_force(size_t begin, uint32_t k) const {
    const size_t n = counts.size();
    long double best = cost(begin, n);
    if (k == 1) return best;
    for (size_t cut = begin + 1; cut < n; ++cut) best = std::min(best, cost(begin, cut) + brute_force(cut, k - 1));
    return best;
  }

  // The same for larger inputs: the plain recurrence.
  long double quadratic(uint32_t k) const {
    const size_t n = counts.size();
    std::vector<std::vector<long double>> costs(n + 1, std::vector<long double>(n + 1, 0));
    for (size_t i = 0; i < n; ++i) {
      long double weight = 0, moment = 0, scatter = 0, here = 0;
      for (size_t j = i + 1; j <= n; ++j) {
        const long double w = error.w[j - 1], distance = error.x[j - 1] - (weight > 0 ? moment / weight : 0);
        scatter += weight > 0 ? weight * w / (weight + w) * distance * distance
                              : 0;  // addition of a point to the scatter of those before it
        weight += w, moment += w * error.x[j - 1], here += counts[j - 1];
        costs[i][j] = scatter + bit_cost * here * std::log2(mass / here);
      }
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

  // Cost of the cells that the codebook's boundaries make of the points.
  long double cost(const Cells& cells) const {
    long double sum = 0;
    size_t begin = 0;
    for (size_t c = 0; c < cells.centroids.size(); ++c) {
      size_t end = begin;
      while (end < counts.size() && (c == cells.boundaries.size() || error.x[end] < cells.boundaries[c])) ++end;
      CHECK(end > begin);
      sum += cost(begin, end);
      begin = end;
    }
    return sum;
  }

  // Logarithms are less than 2^-15 off.
  double allowance() const { return static_cast<double>(bit_cost * mass) * 0x1p-14 + rounding_allowance(error); }
};

constexpr double kPrices[] = {0.05, 0.5, 1, 4, 40};

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
      const double best = static_cast<double>(oracle.brute_force(0, bins)),
                   got = distortion(*sketch, how, codebook(*sketch, bins, how));
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
        const double best = static_cast<double>(oracle.quadratic(bins)),
                     got = distortion(*sketch, how, codebook(*sketch, bins, how));
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

TEST_CASE("entropy-constrained cells equal brute force over all cuts") {
  Random random(27);
  for (int round = 0; round < 300; ++round) {
    const SketchPtr sketch = sketch_of(random_values(random, 1 + random.below(11), round % 4));
    const uint32_t bins = 2 + static_cast<uint32_t>(random.below(4));
    for (const Weighting weighting : kWeightings) {
      const EntropyOptions how{
          .weighting = weighting, .sigma = 0.1 + 0.9 * random.unit(), .bit_price = kPrices[round % 5]};
      const PricedOracle oracle(*sketch, how, bins);
      const double best = static_cast<double>(oracle.brute_force(0, bins));
      CHECK_NEAR(static_cast<double>(oracle.cost(entropy_codebook(*sketch, bins, how))), best, oracle.allowance());
    }
  }
}

TEST_CASE("entropy-constrained cells equal the plain recurrence on hundreds of buckets") {
  Random random(28);
  for (int kind = 0; kind < 4; ++kind) {
    const SketchPtr sketch = sketch_of(random_values(random, 260, kind));
    for (const Weighting weighting : kWeightings) {
      for (const double price : kPrices) {
        for (const uint32_t bins : {2u, 8u, 31u}) {
          const EntropyOptions how{.weighting = weighting, .bit_price = price};
          const PricedOracle oracle(*sketch, how, bins);
          const double best = static_cast<double>(oracle.quadratic(bins));
          CHECK_NEAR(static_cast<double>(oracle.cost(entropy_codebook(*sketch, bins, how))), best, oracle.allowance());
        }
      }
    }
  }
}

TEST_CASE("the best place to cut moves back at times as points are added, which no divide and conquer would find") {
  Random random(32);
  int moved_back = 0, moved_back_without_price = 0;
  for (int round = 0; round < 300; ++round) {
    const SketchPtr sketch = sketch_of(random_values(random, 4 + random.below(9), 1));
    for (const double price : {0.0, 4.0}) {
      const PricedOracle oracle(*sketch, {.bit_price = price}, 2);
      size_t before = 0;
      for (size_t j = 2; j <= oracle.counts.size(); ++j) {
        size_t best = 1;
        for (size_t i = 2; i < j; ++i) {
          if (oracle.cost(0, i) + oracle.cost(i, j) < oracle.cost(0, best) + oracle.cost(best, j)) best = i;
        }
        (price > 0 ? moved_back : moved_back_without_price) += best < before;
        before = best;
      }
    }
  }
  CHECK(moved_back > 0);
  CHECK_EQ(moved_back_without_price, 0);
}

TEST_CASE("of many buckets the cells cost less than k-means, and at most a thousandth more than the best there are") {
  Random random(29);
  for (const int kind : {0, 1}) {
    const SketchPtr sketch = sketch_of(random_values(random, kind == 0 ? 60000 : 9000, kind));
    const EntropyOptions how{.bit_price = 1.5};
    const PricedOracle oracle(*sketch, how, 8);
    REQUIRE(oracle.counts.size() > kCutPlacesMax);
    const long double got = oracle.cost(entropy_codebook(*sketch, 8, how));
    const long double means = oracle.cost(entropy_codebook(*sketch, 8, {.bit_price = 0}));
    CHECK(got < means * 0.995L);
    CHECK(got <= oracle.quadratic(8) * 1.001L);
  }
}

TEST_CASE("bits that cost nothing leave the optimal k-means") {
  Random random(30);
  const SketchPtr sketch = sketch_of(plain_weights(random, 50000));
  for (const Weighting weighting : kWeightings) {
    for (const uint32_t bins : {2u, 8u, 32u, 256u}) {
      const std::vector<float> means = codebook(*sketch, bins, options(Clustering::optimal, weighting));
      CHECK(entropy_codebook(*sketch, bins, {.weighting = weighting, .bit_price = 0}).centroids == means);
    }
  }
}

TEST_CASE("dearer bits never take more of them, and one cell takes none") {
  Random random(31);
  const SketchPtr sketch = sketch_of(plain_weights(random, 50000));
  long double before = INFINITY;
  for (double price = 0.125; price <= kBitPriceMax; price *= 2) {
    const EntropyOptions how{.bit_price = price};
    PricedOracle bits(*sketch, {.bit_price = 0}, 2);
    bits.bit_cost = 1;
    std::fill(bits.error.w.begin(), bits.error.w.end(), 0.0);
    const long double now = bits.cost(entropy_codebook(*sketch, 16, how));
    CHECK(now <= before * 1.002L);  // places to cut are the same, but thinned out
    before = now;
  }
  const SketchPtr bell = sketch_of(random_values(random, 1000, 0));
  CHECK_EQ(entropy_codebook(*bell, 2, {.bit_price = kBitPriceMax}).centroids.size(), 1u);
}

TEST_CASE("a boundary is the smallest value of the bucket above it, on both sides of zero") {
  const float low = -3.0f, high = 5.0f;
  const Cells cells = entropy_codebook(*sketch_of({low, low, 0, -0.0f, high}), 3, {.bit_price = 0});
  REQUIRE(cells.boundaries.size() == 2);
  CHECK_EQ(cells.boundaries[0], 0.0f);
  CHECK_EQ(cells.boundaries[1], 5.0f);
  const Cells negative = entropy_codebook(*sketch_of({-4.0f, low}), 2, {});
  REQUIRE(negative.boundaries.size() == 1);
  CHECK(negative.boundaries[0] <= low && negative.boundaries[0] > -4.0f * (1 - 0x1p-7f));
  SketchPtr smallest = sketch_of({0, std::bit_cast<float>(1u)});
  CHECK_EQ(entropy_codebook(*smallest, 2, {}).boundaries[0], std::bit_cast<float>(1u));
}

TEST_CASE("entropy-constrained codebooks of degenerate sketches are what there is") {
  for (const Weighting weighting : kWeightings) {
    for (const double price : {0.0, 1.0, kBitPriceMax}) {
      const EntropyOptions how{.weighting = weighting, .bit_price = price};
      CHECK(entropy_codebook(*sketch_of({}), 8, how).centroids == std::vector<float>{0});
      CHECK(entropy_codebook(*sketch_of({NAN, INFINITY, -INFINITY}), 4, how).centroids == std::vector<float>{0});
      CHECK(!std::signbit(entropy_codebook(*sketch_of({-0.0f}), 2, how).centroids[0]));
      CHECK_EQ(entropy_codebook(*sketch_of({-1, 0, 1, NAN}), 4, how).centroids.size(), 3u);
      CHECK(entropy_codebook(*sketch_of({-3e38f, -1e-45f, 1e-45f, 3e38f}), 2, how).centroids.size() <= 2);
    }
  }
  float centroids[kBinsMax], boundaries[kBinsMax];
  uint32_t count = 77;
  const SketchPtr sketch = sketch_of({1, 2, 3});
  const auto refused = [&](uint32_t bins, const EntropyOptions& how) {
    return build_entropy_codebook(*sketch, bins, how, centroids, boundaries, &count) == Status::invalid_argument;
  };
  CHECK(refused(1, {}) && refused(257, {}) && refused(4, {.bit_price = -1}) && refused(4, {.bit_price = NAN}));
  CHECK(refused(4, {.bit_price = 2 * kBitPriceMax}) &&
        refused(4, {.weighting = Weighting::frequency_magnitude, .sigma = 0}));
  CHECK(refused(4, {.sigma = NAN}));
  CHECK_EQ(count, 77u);
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
  const double x[] = {sketch_midpoint(0x3F80 >> 1), sketch_midpoint(0x4000 >> 1), sketch_midpoint(0x4080 >> 1)},
               w[] = {6, 3, 1};
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
  uint64_t cells = 0xCBF29CE484222325u;
  const auto [centroids, boundaries] = entropy_codebook(*sketch, 16, {.bit_price = 1.5});
  for (const float c : centroids) cells = (cells ^ std::bit_cast<uint32_t>(c)) * 0x100000001B3u;
  for (const float b : boundaries) cells = (cells ^ std::bit_cast<uint32_t>(b)) * 0x100000001B3u;
  CHECK_EQ(cells, 7518312618789272994u);
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
        const std::vector<float> from =
            codebook(*a, bins, options(clustering, Weighting::frequency_magnitude, 0.2, seed));
        const std::vector<float> to =
            codebook(*b, bins, options(clustering, Weighting::frequency_magnitude, 0.2, seed));
        const std::vector<float> other =
            codebook(*b, bins, options(clustering, Weighting::frequency_magnitude, 0.2, seed + 100));
        REQUIRE(from.size() == bins && to.size() == bins && other.size() == bins);
        const double spacing = (static_cast<double>(from.back()) - from.front()) / (bins - 1);
        for (uint32_t i = 0; i < bins; ++i) {
          moved += std::fabs(static_cast<double>(to[i]) - from[i]) / spacing / bins / kSeeds;
          fresh += std::fabs(static_cast<double>(other[i]) - from[i]) / spacing / bins / kSeeds;
        }
      }
      report(moved < 0.1, __FILE__, __LINE__, "mean move in bin widths: " + show(moved));
      if (clustering == Clustering::kmeanspp)
        report(fresh > 2 * moved, __FILE__, __LINE__, "fresh seeds move " + show(fresh));
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
