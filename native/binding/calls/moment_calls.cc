#include "binding/arguments/weight_pair.h"
#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/moments.h"

namespace firn::binding {
namespace {

// The moments of parts of a block that follow each other.
class WeightMoments final : public Job {
 public:
  WeightMoments(WeightPair pair, std::vector<uint32_t> counts) : pair_(pair), counts_(std::move(counts)) {}
  bool valid() const override {
    uint64_t total = 0;
    for (const uint32_t count : counts_) total += count;
    return pair_.valid() && total == pair_.count();
  }
  napi_value result(napi_env env, napi_value) override {
    static_assert(sizeof(Moments) == 4 * sizeof(double));
    return copy_of(env, std::span(reinterpret_cast<const double*>(moments_.data()), 4 * moments_.size()));
  }

 private:
  Status execute() override {
    size_t first = 0;
    for (const uint32_t count : counts_) {
      const uint8_t* const weights = pair_.weights.data + first * dtype_bytes(pair_.weight_dtype);
      const uint8_t* const gradients =
          pair_.gradients.data ? pair_.gradients.data + first * dtype_bytes(pair_.gradient_dtype) : nullptr;
      moments_.push_back(weight_moments(weights, pair_.weight_dtype, gradients, pair_.gradient_dtype, count));
      first += count;
    }
    return Status::ok;
  }
  WeightPair pair_;
  std::vector<uint32_t> counts_;
  std::vector<Moments> moments_;
};

}  // namespace

napi_value weight_moments_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const WeightPair pair = WeightPair::read(args, 1);
  return start(args, engine, std::make_unique<WeightMoments>(pair, args.uint32_copy(5)));
}

}  // namespace firn::binding
