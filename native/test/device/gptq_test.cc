#include "residual_quant/gptq/gptq_team.h"
#include "test/device/device_columns.h"

namespace firn::test {
namespace {

// Arrays of blocks x size x outputs, and the factor.
struct GptqCase {
  uint32_t size, blocks, outputs;
  GptqRule rule;
  std::vector<float> factor, weights, previous, present, dead_up, dead_down;

  size_t cells() const { return size_t{size} * blocks * outputs; }
};

float whole(Random& random, int64_t largest) {
  return static_cast<float>(static_cast<int64_t>(random.below(2 * static_cast<uint64_t>(largest) + 1)) - largest);
}

GptqCase random_case(Random& random) {
  constexpr uint32_t kSizes[] = {1, 2, 31, 32, 33, 64, 65, 127, 128, 129, 160, 257};
  GptqCase c{};
  c.size =
      random.below(3) == 0 ? kSizes[random.below(std::size(kSizes))] : 1 + static_cast<uint32_t>(random.below(300));
  c.blocks = 1 + static_cast<uint32_t>(random.below(3));
  c.outputs = 1 + static_cast<uint32_t>(random.below(80));
  const uint32_t step = 1u << random.below(12);
  c.rule = {static_cast<float>(step), static_cast<float>(step / 2), random.below(4) == 0 ? 0.25f : 1.0f,
            static_cast<float>((1 << 22) - static_cast<int32_t>(step))};
  // Shares far above 1 let errors grow without bound, to infinity and NaN.
  const float scale = random.below(4) == 0 ? 1e20f : random.below(2) ? 0.3f : 2.0f;
  c.factor.assign(size_t{c.size} * c.size * c.blocks, 0);
  for (size_t i = 0; i < c.factor.size(); ++i) {
    const size_t row = i / c.size % c.size, k = i % c.size;
    if (k < row) c.factor[i] = scale * gaussian(random);
  }
  const int64_t range = random.below(4) == 0 ? (1 << 22) : 100 * int64_t{step};
  for (size_t i = 0; i < c.cells(); ++i) {
    c.weights.push_back(whole(random, range));
    c.previous.push_back(random.below(8) == 0 ? 0 : whole(random, range));
    c.present.push_back(random.below(16) == 0 ? 0.0f : 1.0f);
    c.dead_up.push_back(static_cast<float>(1 + random.below(step)));
    c.dead_down.push_back(static_cast<float>(1 + random.below(step)));
  }
  return c;
}

struct Rounded {
  std::vector<float> errors, targets;
};

// With the scalar kernel, tile by tile.
Rounded expected_of(const GptqCase& c) {
  Rounded all{std::vector<float>(c.cells()), std::vector<float>(c.cells())};
  const size_t cells = size_t{c.size} * kGptqLanes;
  for (uint32_t block = 0; block < c.blocks; ++block) {
    for (uint32_t output = 0; output < c.outputs; output += kGptqLanes) {
      const uint32_t lanes = std::min<uint32_t>(kGptqLanes, c.outputs - output);
      const auto place = [&](size_t j, size_t lane) {
        return (size_t{block} * c.size + j) * c.outputs + output + lane;
      };
      const auto cut = [&](const std::vector<float>& from, float rest) {
        std::vector<float> tile(cells, rest);
        for (size_t j = 0; j < c.size; ++j) {
          for (size_t lane = 0; lane < lanes; ++lane) tile[j * kGptqLanes + lane] = from[place(j, lane)];
        }
        return tile;
      };
      const std::vector<float> weights = cut(c.weights, 0), previous = cut(c.previous, 0), present = cut(c.present, 0),
                               dead_up = cut(c.dead_up, 1), dead_down = cut(c.dead_down, 1);
      std::vector<float> errors(cells), targets(cells);
      scalar::gptq_tile(c.factor.data() + size_t{block} * c.size * c.size, c.size, c.rule,
                        {weights.data(), previous.data(), present.data(), dead_up.data(), dead_down.data(),
                         errors.data(), targets.data()});
      for (size_t j = 0; j < c.size; ++j) {
        for (size_t lane = 0; lane < lanes; ++lane) {
          all.errors[place(j, lane)] = errors[j * kGptqLanes + lane];
          all.targets[place(j, lane)] = targets[j * kGptqLanes + lane];
        }
      }
    }
  }
  return all;
}

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("device: rounding along the inputs is that of the processor") {
  Random random(240);
  for (size_t round = 0; round < rounds(12); ++round) {
    const GptqCase c = random_case(random);
    const Rounded expected = expected_of(c);
    for_each_column(random, [&](Arrays& arrays, auto run) {
      float* const errors = arrays.add_output<float>(c.cells());
      float* const targets = arrays.add_output<float>(c.cells());
      run(&DeviceTable::gptq_round,
          GptqRoundKernel{arrays.add(c.factor), c.size, c.blocks, c.outputs, c.rule,
                          {arrays.add(c.weights), arrays.add(c.previous), arrays.add(c.present), arrays.add(c.dead_up),
                           arrays.add(c.dead_down), errors, targets}});
      CHECK(same_bytes(arrays.read(targets, c.cells()), expected.targets));
      CHECK(same_bytes(arrays.read(errors, c.cells()), expected.errors));
    });
  }
}

}  // namespace firn::test
