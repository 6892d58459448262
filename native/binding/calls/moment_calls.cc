#include "binding/arguments/weight_pair.h"
#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/device.h"
#include "firn/moments.h"

namespace firn::binding {
namespace {

// The moments of parts of a block that follow each other.
class WeightMoments final : public Job {
 public:
  // `name`: of the weights on a device; empty if none is to hold them.
  WeightMoments(WeightPair pair, std::vector<uint32_t> counts, std::string name, std::shared_ptr<DeviceContext> device)
      : pair_(pair), counts_(std::move(counts)), name_(std::move(name)), device_(std::move(device)) {}
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
    if (device_ && !name_.empty() && done_there()) return Status::ok;
    moments_.clear();
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
  bool done_there() {
    moments_.resize(counts_.size());
    const DeviceWeights weights{name_, pair_.weights.data, pair_.weight_dtype, pair_.gradients.data,
                                pair_.gradient_dtype};
    return device_moments(*device_, weights, counts_.data(), counts_.size(), moments_.data());
  }
  WeightPair pair_;
  std::vector<uint32_t> counts_;
  std::string name_;
  std::shared_ptr<DeviceContext> device_;
  std::vector<Moments> moments_;
};

}  // namespace

napi_value weight_moments_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const WeightPair pair = WeightPair::read(args, 1);
  return start(args, engine,
               std::make_unique<WeightMoments>(pair, args.uint32_copy(5), args.text(6), device_of(engine)));
}

}  // namespace firn::binding
