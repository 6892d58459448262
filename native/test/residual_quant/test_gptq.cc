#include <algorithm>

#include "firn/residual_quant/gptq.h"
#include "test/kernel_data.h"

namespace firn::test {
namespace {

// A positive definite matrix as activations give it: a few directions dominate.
std::vector<float> gram_of(Random& random, size_t size, size_t rows) {
  std::vector<float> gram(size * size);
  std::vector<float> x(size);
  for (size_t r = 0; r < rows; ++r) {
    const float common = 2 * gaussian(random);
    for (float& value : x) value = common + gaussian(random);
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) gram[i * size + j] += x[i] * x[j];
    }
  }
  return gram;
}

struct Matrix {
  uint32_t inputs = 48, outputs = 70, size = 24;
  bool inputs_last = true;
};

size_t place(const Matrix& m, size_t output, size_t input) {
  return m.inputs_last ? output * m.inputs + input : input * m.outputs + output;
}

// e^T (X^T X) e summed over outputs, the error the outputs make.
double output_error(const Matrix& m, const std::vector<float>& gram, const std::vector<float>& weights,
                    const std::vector<float>& rounded) {
  double total = 0;
  for (size_t o = 0; o < m.outputs; ++o) {
    for (size_t b = 0; b < m.inputs / m.size; ++b) {
      for (size_t i = 0; i < m.size; ++i) {
        for (size_t j = 0; j < m.size; ++j) {
          const size_t p = place(m, o, b * m.size + i), q = place(m, o, b * m.size + j);
          total += double{weights[p] - rounded[p]} * gram[(b * m.size + i) * m.size + j] * (weights[q] - rounded[q]);
        }
      }
    }
  }
  return total;
}

// In 1/256 steps, as LatticeHysteresis says, for a zone between 128 and 192.
int32_t zone_of(LatticeHysteresis hysteresis, uint8_t context, bool inwards) {
  const auto zone = static_cast<int32_t>(hysteresis.dead_zone);
  if (!hysteresis.rates) return zone;
  return std::min(
      192, static_cast<int32_t>(std::floor(128.5 + (zone - 128) * hysteresis.rates[2 * context + inwards] / 64.0)));
}

// The rule, one element after the other in double precision.
std::vector<float> expected_of(const Matrix& m, const std::vector<float>& factor, const LatticeSegment& s,
                               const std::vector<int32_t>& previous, const std::vector<uint8_t>& contexts,
                               const std::vector<float>& weights, float strength, LatticeHysteresis hysteresis,
                               const std::vector<float>& before = {}, float pull = 0) {
  std::vector<float> out(weights.size());
  for (size_t o = 0; o < m.outputs; ++o) {
    for (size_t b = 0; b < m.inputs / m.size; ++b) {
      std::vector<float> errors;
      for (size_t j = 0; j < m.size; ++j) {
        const size_t at = place(m, o, b * m.size + j);
        float handed_on = 0;
        for (size_t k = 0; k < j; ++k) handed_on += errors[k] * factor[(b * m.size + j) * m.size + k];
        const auto x = static_cast<float>(std::nearbyint(std::ldexp(weights[at], -s.exponent)));
        const float k = static_cast<float>(previous[at] * (1 << s.shift)), difference = x + handed_on * strength - k;
        const float distance = std::fabs(difference);
        const bool inwards = (difference < 0) != (previous[at] < 0);
        float dead =
            std::max(1.0f, std::ceil(static_cast<float>(zone_of(hysteresis, contexts[at], inwards) * s.step) / 256));
        if (!before.empty()) {
          const auto old = static_cast<float>(std::nearbyint(std::ldexp(before[at], -s.exponent)));
          const float along = pull * (x - old) * (difference < 0 ? -1.0f : 1.0f);
          const float least = std::ceil(static_cast<float>(77 * s.step) / 256);
          if (along > 0) dead = std::min(dead, std::max(least, dead - along));
        }
        const float steps =
            std::max(1.0f, std::trunc((distance + static_cast<float>(s.step / 2)) / static_cast<float>(s.step)));
        const float target =
            distance < dead ? k : k + (difference < 0 ? -1.0f : 1.0f) * steps * static_cast<float>(s.step);
        errors.push_back(x - target);
        out[at] = std::ldexp(target, s.exponent);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the factor of a Gram matrix multiplies back to it") {
  Random random(1);
  const size_t size = 33;
  const std::vector<float> gram = gram_of(random, size, 80);
  std::vector<float> factor(size * size);
  REQUIRE(gram_factor(gram.data(), 1, size, 0.25f, factor.data()) == Status::ok);
  double mean = 0;
  for (size_t i = 0; i < size; ++i) mean += gram[i * size + i] / size;
  // With a[i][j] = U[i][j], column by column from the last, U^-1 H U^-T has to be diagonal.
  std::vector<double> h(gram.begin(), gram.end());
  for (size_t i = 0; i < size; ++i) h[i * size + i] += 0.25 * mean;
  const auto u = [&](size_t i, size_t j) { return i == j ? 1.0 : i < j ? double{factor[j * size + i]} : 0.0; };
  // Solve U Y = H, then Z U^T = Y, by substitution from the last row.
  std::vector<double> y = h;
  for (size_t c = 0; c < size; ++c) {
    for (size_t i = size; i-- > 0;) {
      for (size_t j = i + 1; j < size; ++j) y[i * size + c] -= u(i, j) * y[j * size + c];
    }
  }
  for (size_t r = 0; r < size; ++r) {
    for (size_t i = size; i-- > 0;) {
      for (size_t j = i + 1; j < size; ++j) y[r * size + i] -= u(i, j) * y[r * size + j];
    }
  }
  for (size_t i = 0; i < size; ++i) {
    for (size_t j = 0; j < size; ++j) {
      if (i != j) CHECK(std::fabs(y[i * size + j]) < 1e-4 * mean);
    }
    CHECK(y[i * size + i] > 0);
  }
}

TEST_CASE("a matrix that is none gives no gptq, and hostile sizes are refused") {
  std::vector<float> gram = {1, 2, 2, 1}, factor(4, 7.0f);  // indefinite
  REQUIRE(gram_factor(gram.data(), 1, 2, 0.1f, factor.data()) == Status::ok);
  for (const float f : factor) CHECK(f == 0);
  gram = {0, 0, 0, 0};
  REQUIRE(gram_factor(gram.data(), 1, 2, 0.1f, factor.data()) == Status::ok);
  for (const float f : factor) CHECK(f == 0);
  gram[3] = std::numeric_limits<float>::quiet_NaN();
  REQUIRE(gram_factor(gram.data(), 1, 2, 0.1f, factor.data()) == Status::ok);
  for (const float f : factor) CHECK(f == 0);
  CHECK(gram_factor(gram.data(), 1, 0, 0.1f, factor.data()) == Status::invalid_argument);
  CHECK(gram_factor(gram.data(), 1, kGptqBlockMax + 1, 0.1f, factor.data()) == Status::invalid_argument);
  CHECK(gram_factor(gram.data(), 1, 2, 0.0f, factor.data()) == Status::invalid_argument);
}

TEST_CASE("gptq follows its rule in every layout, and lattice_quantize gives the moves") {
  Random random(2);
  for (const bool inputs_last : {true, false}) {
    Matrix m;
    m.inputs_last = inputs_last;
    const size_t count = size_t{m.inputs} * m.outputs;
    std::vector<float> gram, factor(size_t{m.inputs} * m.size);
    for (size_t b = 0; b < m.inputs / m.size; ++b) {
      const std::vector<float> one = gram_of(random, m.size, 40);
      gram.insert(gram.end(), one.begin(), one.end());
    }
    REQUIRE(gram_factor(gram.data(), m.inputs / m.size, m.size, 0.05f, factor.data()) == Status::ok);
    LatticeSegment s;
    s.count = static_cast<uint32_t>(count), s.exponent = -14, s.step = 700, s.shift = 2;
    const std::vector<float> weights = plain_weights(random, count);
    std::vector<int32_t> previous(count);
    for (size_t i = 0; i < count; ++i)
      previous[i] = static_cast<int32_t>(weights[i] * 4096) + static_cast<int32_t>(random.below(400)) - 200;
    std::vector<uint8_t> activity(count), contexts(count), rates(kLatticeRates);
    for (uint8_t& byte : activity) byte = static_cast<uint8_t>(random.below(64) << 2 | random.below(3));
    for (uint8_t& rate : rates) rate = static_cast<uint8_t>(random.below(256));
    const LatticeState state{previous.data(), activity.data()};
    REQUIRE(lattice_contexts({&s, 1}, state, contexts.data()) == Status::ok);
    Gptq gptq{factor.data(), m.size, m.inputs, m.outputs, m.inputs_last, 0, 0.75f, 150};
    const std::vector<float> fixed = expected_of(m, factor, s, previous, contexts, weights, 0.75f, gptq.hysteresis);
    gptq.hysteresis.rates = rates.data();
    const std::vector<float> expected =
        expected_of(m, factor, s, previous, contexts, weights, 0.75f, gptq.hysteresis);
    CHECK(expected != fixed);
    // Some weights moved, by up to three steps.
    std::vector<float> before = weights;
    for (float& weight : before) {
      if (random.below(2)) weight += std::ldexp(static_cast<float>(random.below(4200)) - 2100, s.exponent);
    }
    const std::vector<float> pulled =
        expected_of(m, factor, s, previous, contexts, weights, 0.75f, gptq.hysteresis, before, 0.375f);
    CHECK(pulled != expected);
    for_each_isa([&] {
      std::vector<float> targets(count);
      gptq.movement = {before.data(), 0.375f};
      REQUIRE(lattice_targets(weights.data(), Dtype::f32, s, state, gptq, targets.data()) == Status::ok);
      CHECK(targets == pulled);
      gptq.movement = {};
      gptq.hysteresis.rates = nullptr;
      REQUIRE(lattice_targets(weights.data(), Dtype::f32, s, state, gptq, targets.data()) == Status::ok);
      CHECK(targets == fixed);
      gptq.hysteresis.rates = rates.data();
      REQUIRE(lattice_targets(weights.data(), Dtype::f32, s, state, gptq, targets.data()) == Status::ok);
      CHECK(targets == expected);
      std::vector<uint8_t> symbols(count), after_activity(count);
      std::vector<uint32_t> escapes;
      std::vector<int32_t> after(count);
      LatticeStatistics statistics;
      REQUIRE(lattice_quantize(targets.data(), Dtype::f32, {&s, 1}, state, 128, symbols.data(), &escapes,
                               &statistics) == Status::ok);
      REQUIRE(lattice_apply(symbols.data(), escapes.data(), escapes.size(), {&s, 1}, state, after.data(),
                            after_activity.data()) == Status::ok);
      for (size_t i = 0; i < count; ++i) CHECK(std::ldexp(static_cast<float>(after[i]), s.exponent) == targets[i]);
    });
    // The purpose: outputs on the measured inputs are closer than with rounding alone.
    std::vector<float> rounded(count), fed(count);
    const Gptq none{factor.data(), m.size, m.inputs, m.outputs, m.inputs_last, 0, 0.0f, 128};
    const Gptq full{factor.data(), m.size, m.inputs, m.outputs, m.inputs_last, 0, 1.0f, 128};
    REQUIRE(lattice_targets(weights.data(), Dtype::f32, s, state, none, rounded.data()) == Status::ok);
    REQUIRE(lattice_targets(weights.data(), Dtype::f32, s, state, full, fed.data()) == Status::ok);
    CHECK(output_error(m, gram, weights, fed) < 0.6 * output_error(m, gram, weights, rounded));
  }
}

TEST_CASE("a segment that begins and ends inside rows is rounded as far as it goes") {
  Random random(3);
  const std::vector<float> gram = gram_of(random, 16, 40);
  std::vector<float> factor(256);
  REQUIRE(gram_factor(gram.data(), 1, 16, 0.1f, factor.data()) == Status::ok);
  for (const bool inputs_last : {true, false}) {
    for (const uint32_t count : {1u, 5u, 37u, 200u, 630u}) {
      LatticeSegment s;
      s.count = count, s.exponent = -12, s.step = 90;
      const std::vector<float> weights = plain_weights(random, count);
      const Gptq gptq{factor.data(), 16, 16, 40, inputs_last, 640 - count, 1, 156};
      std::vector<float> first;
      for_each_isa([&] {
        std::vector<float> targets(count);
        REQUIRE(lattice_targets(weights.data(), Dtype::f32, s, {}, gptq, targets.data()) == Status::ok);
        if (first.empty()) first = targets;
        CHECK(targets == first);
        for (const float target : targets) CHECK(std::fmod(std::ldexp(target, 12), 90.0f) == 0);
      });
      Gptq outside = gptq;
      outside.first += 1;
      CHECK(lattice_targets(weights.data(), Dtype::f32, s, {}, outside, first.data()) == Status::invalid_argument);
    }
  }
}

TEST_CASE("weights and values out of range are refused, and targets never leave it") {
  const std::vector<float> factor(4, 0.9f);
  LatticeSegment s;
  s.count = 2, s.exponent = 0, s.step = 65535;
  const Gptq gptq{factor.data(), 2, 2, 1, true, 0, 1, 156};
  std::vector<float> targets(2);
  const float edge[] = {static_cast<float>(kLatticeWeightMax), static_cast<float>(-kLatticeWeightMax)};
  REQUIRE(lattice_targets(edge, Dtype::f32, s, {}, gptq, targets.data()) == Status::ok);
  for (const float target : targets) CHECK(std::fabs(target) <= static_cast<float>(kLatticeWeightMax));
  const float beyond[] = {0, static_cast<float>(kLatticeWeightMax + 1)};
  CHECK(lattice_targets(beyond, Dtype::f32, s, {}, gptq, targets.data()) == Status::invalid_argument);
  const float nothing[] = {0, std::numeric_limits<float>::quiet_NaN()};
  // Earlier weights may be anything; those that are no number count as unmoved.
  Gptq moved = gptq;
  std::vector<float> unmoved(2);
  moved.movement = {nothing, 1};
  const float fine_weights[] = {0, 70000};
  REQUIRE(lattice_targets(fine_weights, Dtype::f32, s, {}, moved, targets.data()) == Status::ok);
  REQUIRE(lattice_targets(fine_weights, Dtype::f32, s, {}, gptq, unmoved.data()) == Status::ok);
  CHECK(targets == unmoved);
  for (const float pull : {-1.0f, 2 * kGptqPullMax, std::numeric_limits<float>::quiet_NaN()}) {
    moved.movement = {fine_weights, pull};
    CHECK(lattice_targets(fine_weights, Dtype::f32, s, {}, moved, targets.data()) == Status::invalid_argument);
  }
  CHECK(lattice_targets(nothing, Dtype::f32, s, {}, gptq, targets.data()) == Status::invalid_argument);
  const int32_t values[] = {0, kLatticeValueMax + 1};
  const float zeros[] = {0, 0};
  CHECK(lattice_targets(zeros, Dtype::f32, s, {values, nullptr}, gptq, targets.data()) == Status::invalid_argument);
  // Prices are by context, which activity is part of.
  const std::vector<uint8_t> rates(kLatticeRates, kLatticeRateUnit);
  Gptq priced = gptq;
  priced.hysteresis.rates = rates.data();
  const int32_t fine[] = {0, 0};
  CHECK(lattice_targets(zeros, Dtype::f32, s, {fine, nullptr}, priced, targets.data()) == Status::invalid_argument);
}

}  // namespace firn::test
