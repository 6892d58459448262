#include <algorithm>
#include <set>

#include "firn/codebook_quant/assign.h"
#include "test/kernel_data.h"

namespace firn::test {
namespace {

// Around every register count of every kernel.
constexpr uint32_t kCentroidCounts[] = {1,  2,  3,  4,  5,  8,   9,   15,  16,  17,  31,
                                        32, 33, 63, 64, 65, 127, 128, 129, 200, 255, 256};

enum class Spacing { even, clustered, neighbours, largest, wild };

// Strictly increasing, finite.
std::vector<float> make_centroids(Random& random, uint32_t count, Spacing spacing) {
  std::set<float> chosen;
  float neighbour = random.below(2) ? 0.1f : -0.0f, large = std::numeric_limits<float>::max();
  while (chosen.size() < count) {
    float value = 0;
    switch (spacing) {
      case Spacing::even: value = (static_cast<float>(chosen.size()) - static_cast<float>(count - 1) / 2) / 16; break;
      case Spacing::clustered: value = gaussian(random) * std::exp(2 * gaussian(random)); break;
      case Spacing::neighbours:
        value = neighbour = std::nextafter(neighbour, 1.0f);
        break;  // ties between adjacent floats
      case Spacing::largest: value = large, large = std::nextafter(large, 0.0f); break;
      case Spacing::wild: value = std::bit_cast<float>(static_cast<uint32_t>(random.next())); break;
    }
    if (std::isfinite(value)) chosen.insert(value);
  }
  return {chosen.begin(), chosen.end()};
}

// The boundary rule of firn/assign.h, by counting.
uint8_t nearest_bin(float weight, const std::vector<float>& centroids) {
  uint32_t bin = 0;
  for (size_t i = 0; i + 1 < centroids.size(); ++i) {
    const long double middle = (static_cast<long double>(centroids[i]) + centroids[i + 1]) / 2;
    bin += weight >= static_cast<float>(middle);
  }
  return static_cast<uint8_t>(bin);
}

// Weights on, next to and between the boundaries, and far outside.
std::vector<float> probing_weights(Random& random, const std::vector<float>& centroids, size_t count) {
  std::vector<float> weights = wild_floats(random, count);
  for (size_t i = 0; i < count; ++i) {
    if (random.below(3) == 0) continue;
    const size_t at = random.below(centroids.size());
    const float a = centroids[at], b = centroids[std::min(at + 1, centroids.size() - 1)];
    const float middle = static_cast<float>((static_cast<double>(a) + b) / 2);
    switch (random.below(5)) {
      case 0: weights[i] = middle; break;
      case 1: weights[i] = std::nextafter(middle, INFINITY); break;
      case 2: weights[i] = std::nextafter(middle, -INFINITY); break;
      case 3: weights[i] = a; break;
      default: weights[i] = middle == 0 ? -0.0f : a + (b - a) * static_cast<float>(random.unit()); break;
    }
  }
  return weights;
}

LevelMap map_of(const std::vector<float>& centroids, int32_t pruned = kNoLevel, int32_t protect = kNoLevel) {
  return {.centroids = centroids.data(),
          .centroid_count = static_cast<uint32_t>(centroids.size()),
          .pruned_level = pruned,
          .protected_level = protect};
}

// Runs assign_levels at every level of instruction set and checks it against `expected`.
void check_levels(const Elements& w, const Elements* g, const Partition& partition, const LevelMap& map,
                  const std::vector<uint8_t>& expected, size_t expected_protected) {
  for_each_isa([&] {
    std::vector<uint8_t> levels(w.count() + 2, 0xEE);
    size_t protected_count = 99;
    CHECK(assign_levels(w.data(), w.dtype(), g ? g->data() : nullptr, g ? g->dtype() : Dtype::f32, w.count(), partition,
                        map, levels.data() + 1, &protected_count) == Status::ok);
    CHECK_EQ(protected_count, expected_protected);
    CHECK(levels.front() == 0xEE && levels.back() == 0xEE);
    size_t wrong = 0;
    for (size_t i = 0; i < w.count(); ++i) wrong += levels[i + 1] != expected[i];
    report(wrong == 0, __FILE__, __LINE__,
           std::string(isa_name(active_isa())) + ", " + show(map.centroid_count) + " centroids, " + show(w.count()) +
               " weights: " + show(wrong) + " wrong levels");
  });
}

}  // namespace

TEST_CASE("every weight goes to the bin whose boundaries hold it, at every level, for every number of centroids") {
  Random random(31);
  for (const uint32_t count : kCentroidCounts) {
    for (const Spacing spacing :
         {Spacing::even, Spacing::clustered, Spacing::neighbours, Spacing::largest, Spacing::wild}) {
      const std::vector<float> centroids = make_centroids(random, count, spacing);
      for (const size_t weights : {size_t{0}, size_t{1}, size_t{37}, size_t{2051}}) {
        for (const Dtype dtype : kDtypes) {
          const Elements w(probing_weights(random, centroids, weights), dtype, 1 + random.below(7));
          std::vector<uint8_t> expected(weights);
          for (size_t i = 0; i < weights; ++i) expected[i] = nearest_bin(w.at(i), centroids);
          check_levels(w, nullptr, {}, map_of(centroids), expected, 0);
        }
      }
    }
  }
}

TEST_CASE("long inputs, where tables take over, keep the same bins") {
  Random random(32);
  for (const uint32_t count : {33u, 65u, 129u, 256u}) {
    for (const Spacing spacing :
         {Spacing::even, Spacing::clustered, Spacing::neighbours, Spacing::largest, Spacing::wild}) {
      const std::vector<float> centroids = make_centroids(random, count, spacing);
      const Elements w(probing_weights(random, centroids, 40001), Dtype::f32, 3);
      std::vector<float> finite(40001);
      for (size_t i = 0; i < finite.size(); ++i)
        finite[i] = std::isfinite(w.at(i)) ? w.at(i) : std::bit_cast<float>(0x7F7FFFFFu);
      for (const Elements& in : {w, Elements(finite, Dtype::f32, 1)}) {
        std::vector<uint8_t> expected(in.count());
        for (size_t i = 0; i < in.count(); ++i) expected[i] = nearest_bin(in.at(i), centroids);
        check_levels(in, nullptr, {}, map_of(centroids), expected, 0);
      }
    }
  }
}

TEST_CASE("a boundary belongs to the upper bin, and ties between neighbouring floats round to even") {
  const std::vector<float> centroids{-1.0f, 0.0f, 1.0f, std::nextafter(1.0f, 2.0f)};
  const std::vector<float> weights{-0.5f, std::nextafter(-0.5f, -1.0f), 0.5f, std::nextafter(0.5f, 0.0f),
                                   1.0f,  std::nextafter(1.0f, 0.0f),   -0.0f};
  const std::vector<uint8_t> expected{1, 0, 2, 1, 3, 2, 1};
  check_levels(Elements(weights, Dtype::f32, 0), nullptr, {}, map_of(centroids), expected, 0);
  const std::vector<float> huge{-3e38f, 2e38f, 3e38f};  // sums beyond binary32
  check_levels(Elements({2.5e38f, 2.4e38f, -3.3e38f}, Dtype::f32, 0), nullptr, {}, map_of(huge), {2, 1, 0}, 0);
}

TEST_CASE("boundaries of a map's own part the bins wherever they lie, at every level and length") {
  Random random(35);
  for (const uint32_t count : kCentroidCounts) {
    const std::vector<float> centroids = make_centroids(random, count, Spacing::even);
    for (const Spacing spacing : {Spacing::clustered, Spacing::neighbours, Spacing::wild}) {
      const std::vector<float> parting = make_centroids(random, count, spacing);
      LevelMap map = map_of(centroids);
      map.boundaries = parting.data();  // the last is one too many, and not looked at
      for (const size_t weights : {size_t{37}, size_t{40001}}) {
        const Elements w(probing_weights(random, parting, weights), Dtype::f32, 1);
        std::vector<uint8_t> expected(weights);
        for (size_t i = 0; i < weights; ++i) {
          for (uint32_t b = 0; b + 1 < count; ++b)
            expected[i] = static_cast<uint8_t>(expected[i] + (w.at(i) >= parting[b]));
        }
        check_levels(w, nullptr, {}, map, expected, 0);
      }
    }
  }
  const std::vector<float> centroids{0, 1, 2}, level{1, 1}, endless{0, INFINITY};
  uint8_t bins[1];
  for (const std::vector<float>& boundaries : {level, endless}) {
    LevelMap map = map_of(centroids);
    map.boundaries = boundaries.data();
    CHECK(assign_levels(centroids.data(), Dtype::f32, nullptr, Dtype::f32, 1, {}, map, bins, nullptr) ==
          Status::invalid_argument);
  }
}

TEST_CASE("protected before pruned before quantized, for every pair of dtypes") {
  Random random(33);
  const std::vector<float> centroids{-1.5f, -0.4f, 0.0f, 0.3f, 1.1f};
  const Partition partitions[] = {
      {.protect_magnitude_min = 1.5f},
      {.prune_below = 0.25f},
      {.protect_magnitude_min = 1.5f, .protect_sensitivity_min = 0.5f, .prune_below = 2.0f},
      {.protect_magnitude_min = 0},
      {.protect_sensitivity_min = 0},
      {.protect_sensitivity_min = 0.7f, .prune_metric = Metric::sensitivity, .prune_below = 0.02f},
      {.prune_metric = Metric::sensitivity, .prune_below = 1e-40f},
      {.prune_below = INFINITY},
  };
  for (const size_t count : kCounts) {
    for (const Dtype w_dtype : kDtypes) {
      for (const Dtype g_dtype : kDtypes) {
        const Elements w(wild_floats(random, count), w_dtype, 1 + random.below(7)),
            g(wild_floats(random, count), g_dtype, 3);
        for (const Partition& p : partitions) {
          for (const bool with_gradients : {false, true}) {
            std::vector<uint8_t> expected(count);
            size_t protected_count = 0;
            for (size_t i = 0; i < count; ++i) {
              const float m = std::fabs(w.at(i)), s = with_gradients ? std::fabs(g.at(i) * w.at(i)) : 0;
              const bool by_m = p.protect_magnitude_min != INFINITY && m >= p.protect_magnitude_min;
              const bool by_s = p.protect_sensitivity_min != INFINITY && s > 0 && s >= p.protect_sensitivity_min;
              const bool low =
                  p.prune_metric == Metric::magnitude ? m < p.prune_below : with_gradients && s < p.prune_below;
              expected[i] = by_m || by_s ? 200 : low ? 77 : nearest_bin(w.at(i), centroids);
              protected_count += by_m || by_s;
            }
            check_levels(w, with_gradients ? &g : nullptr, p, map_of(centroids, 77, 200), expected, protected_count);
          }
        }
      }
    }
  }
}

TEST_CASE("maps that lack a level, overlap, or are not increasing are refused") {
  const std::vector<float> good{0, 1};
  const float weights[2] = {}, gradients[2] = {};
  uint8_t levels[2];
  const auto status = [&](const LevelMap& map, const Partition& partition, const float* g = nullptr) {
    return assign_levels(weights, Dtype::f32, g, Dtype::f32, 2, partition, map, levels, nullptr);
  };
  CHECK(status(map_of(good), {}) == Status::ok);
  CHECK(status(map_of(good, 2, 3), {}) == Status::ok);
  CHECK(status(map_of(good, 2, kNoLevel), {.prune_below = 1}) == Status::ok);
  CHECK(status(map_of(good), {.prune_below = 1}) == Status::invalid_argument);
  CHECK(status(map_of(good), {.protect_magnitude_min = 1}) == Status::invalid_argument);
  CHECK(status(map_of(good), {.protect_sensitivity_min = 1}) == Status::ok);  // no gradients, so nothing to protect
  CHECK(status(map_of(good), {.protect_sensitivity_min = 1}, gradients) == Status::invalid_argument);
  CHECK(status(map_of(good), {.prune_metric = Metric::sensitivity, .prune_below = 1}) == Status::ok);
  CHECK(status(map_of(good), {.prune_metric = Metric::sensitivity, .prune_below = 1}, gradients) ==
        Status::invalid_argument);
  CHECK(status(map_of(good, 1, kNoLevel), {}) == Status::invalid_argument);  // a bin's level
  CHECK(status(map_of(good, 3, 2), {}) == Status::invalid_argument);         // pruned comes first
  CHECK(status(map_of(good, 2, 2), {}) == Status::invalid_argument);
  CHECK(status(map_of(good, 2, 256), {}) == Status::invalid_argument);
  CHECK(status(map_of(good, -2, kNoLevel), {}) == Status::invalid_argument);
  CHECK(status(map_of({}), {}) == Status::invalid_argument);
  CHECK(status(map_of({1, 1}), {}) == Status::invalid_argument);
  CHECK(status(map_of({0, NAN}), {}) == Status::invalid_argument);
  CHECK(status(map_of({0, INFINITY}), {}) == Status::invalid_argument);
}

TEST_CASE("protected weights are gathered in element order, as bfloat16 or in their own bits") {
  Random random(34);
  const std::vector<float> values = wild_floats(random, 3001);
  std::vector<uint8_t> levels(values.size());
  for (uint8_t& level : levels) level = random.below(10) == 0 ? 9 : static_cast<uint8_t>(random.below(9));
  levels.front() = levels.back() = 9;
  for (const Dtype dtype : kDtypes) {
    const Elements w(values, dtype, 1);
    std::vector<uint16_t> expected;
    for (size_t i = 0; i < values.size(); ++i) {
      if (levels[i] == 9) expected.push_back(dtype == Dtype::f16 ? f32_to_f16(values[i]) : f32_to_bf16(values[i]));
    }
    std::vector<uint16_t> words(expected.size() + 1, 0xBEEF);
    gather_protected(w.data(), dtype, levels.data(), levels.size(), 9, words.data());
    CHECK_EQ(words.back(), 0xBEEF);
    words.pop_back();
    CHECK(words == expected);
  }
  gather_protected(nullptr, Dtype::f32, nullptr, 0, 9, nullptr);
}

TEST_CASE(
    "dequantizing looks every level up bit for bit and patches the protected ones, at every level and table size") {
  Random random(35);
  for (const uint32_t level_count : {1u, 2u, 8u, 9u, 16u, 17u, 32u, 33u, 34u, 64u, 65u, 128u, 129u, 255u, 256u}) {
    for (const size_t count : kCounts) {
      for (const Dtype dtype : kDtypes) {
        const Elements table(wild_floats(random, 256), dtype, 1 + random.below(3));  // NaN payloads must survive
        const bool protects = level_count > 1;
        const int32_t protected_level = protects ? static_cast<int32_t>(level_count - 1) : kNoLevel;
        const size_t width = dtype_bytes(dtype);
        std::vector<uint8_t> levels(count), expected(count * width);
        std::vector<uint16_t> words;
        for (size_t i = 0; i < count; ++i) {
          levels[i] = static_cast<uint8_t>(random.below(random.below(20) ? level_count - protects : level_count));
          if (levels[i] != protected_level) {
            std::memcpy(&expected[i * width], static_cast<const uint8_t*>(table.data()) + levels[i] * width, width);
            continue;
          }
          words.push_back(static_cast<uint16_t>(random.next()));
          const uint32_t wide = static_cast<uint32_t>(words.back()) << 16;
          if (dtype == Dtype::f32) std::memcpy(&expected[i * width], &wide, width);
          else std::memcpy(&expected[i * width], &words.back(), width);
        }
        for_each_isa([&] {
          std::vector<uint8_t> out(1 + count * width + 1, 0x5C);
          const Status status = dequantize(levels.data(), count, dtype, table.data(), level_count, protected_level,
                                           words.data(), words.size(), out.data() + 1);
          CHECK(status == Status::ok);
          CHECK(out.front() == 0x5C && out.back() == 0x5C);
          CHECK(std::equal(expected.begin(), expected.end(), out.begin() + 1));
        });
      }
    }
  }
}

TEST_CASE("dequantizing refuses levels past the table and any other number of protected words") {
  Random random(36);
  const std::vector<float> table(256, 1.0f);
  for (const size_t count : {size_t{1}, size_t{64}, size_t{100}, size_t{5000}}) {
    for (const uint32_t level_count : {3u, 20u, 60u, 100u, 200u}) {
      std::vector<uint8_t> levels(count, 1);
      std::vector<float> out(count);
      const uint16_t words[3] = {};
      const auto status = [&](int32_t protected_level, size_t protected_count) {
        return dequantize(levels.data(), count, Dtype::f32, table.data(), level_count, protected_level, words,
                          protected_count, out.data());
      };
      const int32_t protect = static_cast<int32_t>(level_count - 1);
      for_each_isa([&] {
        CHECK(status(kNoLevel, 0) == Status::ok);
        CHECK(status(kNoLevel, 1) == Status::corrupt);
        CHECK(status(protect, 0) == Status::ok);
        CHECK(status(protect, 1) == Status::corrupt);
        const size_t at = random.below(count);
        levels[at] = static_cast<uint8_t>(protect);
        CHECK(status(protect, 0) == Status::corrupt);
        CHECK(status(protect, 1) == Status::ok);
        CHECK(status(protect, 2) == Status::corrupt);
        for (const uint32_t bad : {level_count, 255u}) {
          levels[at] = static_cast<uint8_t>(bad);
          CHECK(status(kNoLevel, 0) == Status::corrupt);
          CHECK(status(protect, 0) == Status::corrupt);
        }
        levels[at] = 1;
      });
      CHECK(status(static_cast<int32_t>(level_count), 0) == Status::invalid_argument);
      CHECK(status(-2, 0) == Status::invalid_argument);
    }
  }
  CHECK(dequantize(nullptr, 0, Dtype::f32, table.data(), 257, kNoLevel, nullptr, 0, nullptr) ==
        Status::invalid_argument);
  CHECK(dequantize(nullptr, 0, Dtype::f32, table.data(), 0, kNoLevel, nullptr, 0, nullptr) == Status::ok);
}

TEST_CASE("the level every path is limited to is the one in force") {
  limit_isa(Isa::scalar);
  CHECK(active_isa() == Isa::scalar);
  limit_isa(Isa::avx512);
  CHECK(active_isa() == detected_isa());
}

}  // namespace firn::test
