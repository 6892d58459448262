#include <algorithm>
#include <memory>

#include "firn/codebook_quant/partition.h"
#include "firn/sketch.h"
#include "test/kernel_data.h"

namespace firn::test {
namespace {

using SketchPtr = std::unique_ptr<Sketch>;

SketchPtr empty_sketch() { return std::make_unique<Sketch>(); }  // value-initialised: all zero

bool equal(const Sketch& a, const Sketch& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// The sketch by its definition.
void count_value(float value, Sketch& sketch) {
  if (value == 0) ++sketch.zeros;
  else if (std::isnan(value)) ++sketch.nans;
  else if (std::isinf(value)) ++sketch.infinities;
  else ++sketch.counts[std::bit_cast<uint32_t>(value) >> 17];
}

SketchPtr sketch_of(const std::vector<float>& values) {
  SketchPtr sketch = empty_sketch();
  sketch_values(values.data(), Dtype::f32, values.size(), *sketch);
  return sketch;
}

// The value of rank `rank` (0-based) among the counted finite values, as the sketch sees it.
float value_at_rank(const Sketch& sketch, uint64_t rank) {
  uint64_t passed = 0;
  for (uint32_t key = 0x7FFF; key >= 0x4000; --key) {
    if ((passed += sketch.counts[key]) > rank) return sketch_midpoint(key);
  }
  if ((passed += sketch.zeros) > rank) return 0;
  for (uint32_t key = 0; key < 0x4000; ++key) {
    if ((passed += sketch.counts[key]) > rank) return sketch_midpoint(key);
  }
  return std::numeric_limits<float>::quiet_NaN();
}

void check_quantiles(std::vector<float> values, const char* name) {
  const SketchPtr sketch = sketch_of(values);
  std::sort(values.begin(), values.end());
  double worst = 0;
  for (int permille = 0; permille <= 1000; ++permille) {
    const size_t rank = permille * (values.size() - 1) / 1000;
    const double exact = values[rank], estimate = value_at_rank(*sketch, rank);
    worst = std::max(worst, exact == 0 ? std::fabs(estimate) : std::fabs(estimate - exact) / std::fabs(exact));
  }
  report(worst <= 0.01, __FILE__, __LINE__, std::string(name) + ": worst relative error " + show(worst));
}

// Sizes on both sides of the point where the interleaved tables come in (2^16).
constexpr size_t kSketchCounts[] = {0, 1, 5, 2047, 2049, 65535, 65537, 70001};

}  // namespace

TEST_CASE("a bucket's midpoint is within 2^-7 of every member, and its lower edge is its smallest member") {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t bits = static_cast<uint32_t>(random.next()), key = bits >> 17;
    const float value = std::bit_cast<float>(bits);
    if (!std::isfinite(value) || value == 0) continue;
    const double error = std::fabs(static_cast<double>(sketch_midpoint(key)) - value), magnitude = std::fabs(value);
    CHECK(error <= (magnitude < 0x1p-126 ? 0x1p-133 : magnitude * 0x1p-7));
  }
  for (uint32_t key = 0; key < 0x3FC0; ++key) {
    const float edge = sketch_lower_edge(key);
    CHECK_EQ(sketch_lower_edge(key | 0x4000), edge);
    CHECK_EQ(std::bit_cast<uint32_t>(edge) >> 17, key);
    const float below = std::nextafter(edge, 0.0f);
    CHECK(below == 0 || std::bit_cast<uint32_t>(below) >> 17 == key - 1);
  }
}

TEST_CASE("quantiles are within 1 percent on normal, log-normal, mixed-scale and real weights") {
  Random random(2);
  std::vector<float> normal(100000), log_normal(100000), wide(100000);
  for (float& value : normal) value = gaussian(random);
  for (float& value : log_normal) value = std::exp(3 * gaussian(random));
  for (float& value : wide) value = gaussian(random) * std::exp(20 * gaussian(random));
  check_quantiles(normal, "normal");
  check_quantiles(log_normal, "log-normal");
  check_quantiles(wide, "wide");
  const std::vector<float> real = real_weights("later");
  REQUIRE(real.size() == 96 * 96);
  check_quantiles(real, "real");
}

TEST_CASE("every level counts like the definition, for every dtype, length and address") {
  Random random(3);
  for (const size_t count : kSketchCounts) {
    const std::vector<float> wild = wild_floats(random, count), plain = plain_weights(random, count);
    for (const Dtype dtype : kDtypes) {
      for (const std::vector<float>* values : {&wild, &plain}) {
        const Elements in(*values, dtype, 1 + random.below(7));
        const SketchPtr expected = empty_sketch();
        for (size_t i = 0; i < count; ++i) count_value(in.at(i), *expected);
        for_each_isa([&] {
          const SketchPtr sketch = empty_sketch();
          sketch_values(in.data(), dtype, count, *sketch);
          CHECK(equal(*sketch, *expected));
        });
      }
    }
  }
}

TEST_CASE("zeros of either sign, infinities and NaNs have counters of their own, and nothing else does") {
  std::vector<float> values(100000, 0.0f);
  for (size_t i = 0; i < values.size(); ++i) {
    switch (i % 5) {
      case 0: values[i] = -0.0f; break;
      case 1: values[i] = std::bit_cast<float>(0x7F800001u); break;  // shares the top bits of infinity
      case 2: values[i] = i % 2 ? INFINITY : -INFINITY; break;
      case 3: values[i] = std::bit_cast<float>(i % 2 ? 1u : 0x80000001u); break;  // shares the top bits of zero
      default: break;
    }
  }
  for_each_isa([&] {
    const SketchPtr sketch = sketch_of(values);
    CHECK_EQ(sketch->zeros, 40000u);
    CHECK_EQ(sketch->nans, 20000u);
    CHECK_EQ(sketch->infinities, 20000u);
    CHECK_EQ(sketch->counts[0], 10000u);
    CHECK_EQ(sketch->counts[0x4000], 10000u);
    CHECK_EQ(sketch->counts[0x3FC0] + sketch->counts[0x7FC0], 0u);
  });
}

TEST_CASE("sketches of parts, merged in any order, equal the sketch of the whole") {
  Random random(4);
  const std::vector<float> values = wild_floats(random, 200000);
  const SketchPtr whole = sketch_of(values), merged = empty_sketch();
  std::vector<size_t> cuts{0, 1, 70000, 70003, 150000, values.size()};
  for (size_t i = cuts.size() - 1; i-- > 0;) {
    const SketchPtr part =
        sketch_of({values.begin() + static_cast<long>(cuts[i]), values.begin() + static_cast<long>(cuts[i + 1])});
    sketch_merge(*part, *merged);
  }
  CHECK(equal(*merged, *whole));
}

TEST_CASE("sensitivity counts |g * w| rounded to binary32, for every pair of dtypes") {
  Random random(5);
  for (const size_t count : {size_t{0}, size_t{13}, size_t{2049}, size_t{66001}}) {
    for (const Dtype w_dtype : kDtypes) {
      for (const Dtype g_dtype : kDtypes) {
        const Elements w(wild_floats(random, count), w_dtype, 1 + random.below(7)),
            g(wild_floats(random, count), g_dtype, 3);
        const SketchPtr expected = empty_sketch();
        for (size_t i = 0; i < count; ++i) {
          const volatile float product = g.at(i) * w.at(i);
          count_value(std::fabs(product), *expected);
        }
        for_each_isa([&] {
          const SketchPtr sketch = empty_sketch();
          sketch_sensitivity(w.data(), w_dtype, g.data(), g_dtype, count, *sketch);
          CHECK(equal(*sketch, *expected));
        });
      }
    }
  }
}

TEST_CASE("the sketch of a partition holds the weights neither protected nor pruned") {
  Random random(6);
  const Partition partitions[] = {
      {},
      {.protect_magnitude_min = 1.5f},
      {.prune_below = 0.25f},
      {.protect_magnitude_min = 1.5f, .protect_sensitivity_min = 0.5f, .prune_below = 0.1f},
      {.protect_sensitivity_min = 0.0f},  // protects every weight of some sensitivity
      {.protect_sensitivity_min = 0.7f, .prune_metric = Metric::sensitivity, .prune_below = 0.02f},
      {.prune_metric = Metric::sensitivity, .prune_below = 1e-40f},
  };
  for (const size_t count : {size_t{0}, size_t{1}, size_t{2061}, size_t{70001}}) {
    for (const Dtype dtype : kDtypes) {
      const std::vector<float> w_values = wild_floats(random, count), g_values = wild_floats(random, count);
      const Elements w(w_values, dtype, 1 + random.below(7)), g(g_values, kDtypes[random.below(3)], 5);
      for (const Partition& p : partitions) {
        for (const bool with_gradients : {false, true}) {
          const SketchPtr expected = empty_sketch();
          for (size_t i = 0; i < count; ++i) {
            const float m = std::fabs(w.at(i)), s = with_gradients ? std::fabs(g.at(i) * w.at(i)) : 0;
            const bool is_protected =
                (m >= p.protect_magnitude_min && std::isfinite(p.protect_magnitude_min)) ||
                (s > 0 && s >= p.protect_sensitivity_min && std::isfinite(p.protect_sensitivity_min));
            const bool is_pruned =
                p.prune_metric == Metric::magnitude ? m < p.prune_below : with_gradients && s < p.prune_below;
            if (!is_protected && !is_pruned) count_value(w.at(i), *expected);
          }
          for_each_isa([&] {
            const SketchPtr sketch = empty_sketch();
            sketch_quantized(w.data(), dtype, with_gradients ? g.data() : nullptr, g.dtype(), count, p, *sketch);
            CHECK(equal(*sketch, *expected));
          });
        }
      }
    }
  }
}

TEST_CASE("thresholds take the largest share that stays within the fraction") {
  Random random(7);
  for (int round = 0; round < 40; ++round) {
    std::vector<float> values(1 + random.below(5000));
    for (float& value : values) value = random.below(4) ? std::exp(2 * gaussian(random)) : 0.0f;
    const SketchPtr sketch = sketch_of(values);
    const auto selected = [&](float t, bool top) {
      return static_cast<double>(
          std::count_if(values.begin(), values.end(), [&](float v) { return top ? v >= t : v < t; }));
    };
    for (const double fraction : {1e-6, 0.0005, 0.01, 0.1, 0.3, 0.5, 0.9}) {
      const double total = static_cast<double>(values.size());
      const float top = sketch_top_threshold(*sketch, fraction), bottom = sketch_bottom_threshold(*sketch, fraction);
      const double top_count = selected(top, true), bottom_count = selected(bottom, false);
      CHECK(top_count / total <= fraction);
      CHECK(bottom_count / total <= fraction);
      for (uint32_t key = 0; key < 0x3FC0; ++key) {  // no other bucket edge selects more within the fraction
        const float edge = sketch_lower_edge(key);
        if (sketch->counts[key] == 0 && (key == 0 || sketch->counts[key - 1] == 0)) continue;
        const double more = selected(edge, true), fewer = selected(edge, false);
        CHECK(more <= top_count || more / total > fraction);
        CHECK(fewer <= bottom_count || fewer / total > fraction);
      }
    }
  }
}

TEST_CASE("thresholds at the edges: empty, all zeros, one bucket, exact fractions, signs") {
  constexpr float kInfinity = INFINITY;
  const SketchPtr none = empty_sketch();
  CHECK_EQ(sketch_top_threshold(*none, 0.5), kInfinity);
  CHECK_EQ(sketch_bottom_threshold(*none, 0.5), 0.0f);

  const SketchPtr zeros = sketch_of(std::vector<float>(10, 0.0f));  // an all-zero sensitivity protects nothing
  CHECK_EQ(sketch_top_threshold(*zeros, 0.5), kInfinity);
  CHECK_EQ(sketch_bottom_threshold(*zeros, 0.5), 0.0f);

  const SketchPtr same = sketch_of(std::vector<float>(10, 1.0f));
  CHECK_EQ(sketch_top_threshold(*same, 0.99), kInfinity);
  CHECK_EQ(sketch_bottom_threshold(*same, 0.99), 0.0f);

  const SketchPtr ten = sketch_of({0, 0, 1, -1, 2, -2, 4, -4, 8, -8});
  CHECK_EQ(sketch_top_threshold(*ten, 0.19), kInfinity);
  CHECK_EQ(sketch_top_threshold(*ten, 0.2), 8.0f);
  CHECK_EQ(sketch_top_threshold(*ten, 0.6), 2.0f);
  CHECK_EQ(sketch_bottom_threshold(*ten, 0.1), 0.0f);
  CHECK_EQ(sketch_bottom_threshold(*ten, 0.2), 0x1p-149f);  // exactly the zeros
  CHECK_EQ(sketch_bottom_threshold(*ten, 0.45), 1.0f + 0x1p-6f);

  const SketchPtr odd = sketch_of({NAN, INFINITY, -INFINITY, 1, 3});  // not finite: not counted
  CHECK_EQ(sketch_top_threshold(*odd, 0.5), 3.0f);
}

}  // namespace firn::test
