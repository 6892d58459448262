#include <cmath>
#include <cstring>

#include "firn/moments.h"
#include "test/kernel_data.h"

namespace firn::test {

TEST_CASE("moments: are the sums over 16 interleaved lanes, at every level, dtype and address") {
  Random random(31);
  for (const size_t count : kCounts) {
    for (const Dtype dtype : kDtypes) {
      const Elements weights(plain_weights(random, count), dtype, 3),
          gradients(wild_floats(random, count), Dtype::bf16, 1);
      double sums[16] = {}, squares[16] = {}, slopes[16] = {};
      Moments expected{};
      for (size_t i = 0; i < count; ++i) {
        const double w = weights.at(i), g = gradients.at(i);
        sums[i % 16] += w;
        squares[i % 16] += w * w;
        expected.magnitude_max = std::max(expected.magnitude_max, std::fabs(w));
        if (std::isfinite(g)) slopes[i % 16] += g * g;
      }
      for (size_t l = 0; l < 16; ++l)
        expected.sum += sums[l], expected.squares += squares[l], expected.gradient_squares += slopes[l];
      for_each_isa([&] {
        const Moments found = weight_moments(weights.data(), dtype, gradients.data(), Dtype::bf16, count);
        CHECK(std::memcmp(&found, &expected, sizeof found) == 0);
        CHECK_EQ(weight_moments(weights.data(), dtype, nullptr, Dtype::f32, count).gradient_squares, 0.0);
      });
    }
  }
}

TEST_CASE("moments: one weight that is no number shows in the sum of squares, wherever it is") {
  Random random(32);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    std::vector<float> weights(5003, 3e38f);
    for_each_isa([&] {
      CHECK(std::isfinite(weight_moments(weights.data(), Dtype::f32, nullptr, Dtype::f32, weights.size()).squares));
    });
    weights[random.below(weights.size())] = bad;
    for_each_isa([&] {
      CHECK(!std::isfinite(weight_moments(weights.data(), Dtype::f32, nullptr, Dtype::f32, weights.size()).squares));
    });
  }
}

}  // namespace firn::test
