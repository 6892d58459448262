#include "firn/moments.h"
#include "stats/moments_team.h"
#include "test/device/device_columns.h"

namespace firn::test {
namespace {

// The same bits; NaN is NaN whatever its payload, which processors choose.
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

}  // namespace

TEST_CASE("device: moments of several tensors are those of the processor") {
  Random random(110);
  for (size_t round = 0; round < rounds(25); ++round) {
    struct Tensor {
      std::vector<uint8_t> weights, gradients;
      size_t count;
      Dtype dtype, gradient_dtype;
      bool has_gradients;
    };
    std::vector<Tensor> tensors(random.below(4));
    for (Tensor& t : tensors) {
      t.count = random_count(random, 40000);
      t.dtype = kDtypes[random.below(3)], t.gradient_dtype = kDtypes[random.below(3)];
      t.has_gradients = random.below(2);
      t.weights = elements(random_floats(random, t.count), t.dtype);
      t.gradients = elements(random_floats(random, t.count), t.gradient_dtype);
    }
    for_each_column(random, [&](Arrays& arrays, auto run) {
      Moments* const found = arrays.add_output<Moments>(tensors.size());
      std::vector<MomentsOfTensor> jobs;
      for (const Tensor& t : tensors)
        jobs.push_back({arrays.add(t.weights), t.has_gradients ? arrays.add(t.gradients) : nullptr, t.count, t.dtype,
                        t.gradient_dtype, found + jobs.size()});
      run(&DeviceTable::weight_moments, MomentsKernel{arrays.add(jobs), static_cast<uint32_t>(jobs.size())});
      const std::vector<Moments> moments = arrays.read(found, tensors.size());
      for (size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& t = tensors[i];
        const void* const gradients = t.has_gradients ? t.gradients.data() : nullptr;
        const Moments expected = weight_moments(t.weights.data(), t.dtype, gradients, t.gradient_dtype, t.count);
        CHECK(same(moments[i].sum, expected.sum));
        CHECK(same(moments[i].squares, expected.squares));
        CHECK(same(moments[i].magnitude_max, expected.magnitude_max));
        CHECK(same(moments[i].gradient_squares, expected.gradient_squares));
      }
    });
  }
}

}  // namespace firn::test
