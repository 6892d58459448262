#include "binding/arguments/lattice_arguments.h"
#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/device.h"
#include "firn/residual_quant/gptq.h"

namespace firn::binding {
namespace {

class GramFactor final : public Job {
 public:
  GramFactor(Input<float> gram, size_t size, float damping) : gram_(gram), size_(size), damping_(damping) {}
  bool valid() const override { return gram_.count % (size_ * size_) == 0; }
  std::optional<size_t> output_bytes() const override { return gram_.count * sizeof(float); }

 private:
  Status execute() override {
    return gram_factor(gram_.data, gram_.count / (size_ * size_), size_, damping_, reinterpret_cast<float*>(output()));
  }
  Input<float> gram_;
  size_t size_;
  float damping_;
};

class LatticeTargets final : public Job {
 public:
  struct Request {
    InputBytes weights;
    Dtype dtype;
    Segments segments;
    PreviousState previous;
    InputBytes rates;
    Input<float> factor;
    InputBytes before;
    Gptq gptq;
    std::string weights_name, state_name, factor_name;
    std::shared_ptr<DeviceContext> device;
    Output into;
  };
  explicit LatticeTargets(Request request) : request_(std::move(request)) {}
  bool valid() const override {
    const Request& r = request_;
    return r.segments.list.size() == 1 && r.segments.valid() &&
           r.weights.count == r.segments.count * dtype_bytes(r.dtype) && r.previous.valid(r.segments.count) &&
           (!r.rates.data || r.rates.count == kLatticeRates) &&
           (!r.before.data || r.before.count == r.weights.count) &&
           r.factor.count == uint64_t{r.gptq.inputs} * r.gptq.size && (!r.into.data || r.into.count == bytes());
  }
  std::optional<size_t> output_bytes() const override {
    return request_.into.data ? std::nullopt : std::optional(bytes());
  }

 private:
  Status execute() override {
    const Request& r = request_;
    auto* const targets = reinterpret_cast<float*>(r.into.data ? r.into.data : output());
    if (r.device && r.segments.list[0].count > 0) {
      const DeviceTargets there{r.weights_name,    r.weights.data, r.dtype, r.segments.list[0], r.state_name,
                                r.previous.view(), r.factor_name,  r.gptq};
      if (device_targets(*r.device, there, targets)) return Status::ok;
    }
    return lattice_targets(r.weights.data, r.dtype, r.segments.list[0], r.previous.view(), r.gptq,
                           targets);
  }
  size_t bytes() const { return request_.segments.count * sizeof(float); }
  Request request_;
};

}  // namespace

napi_value gram_factor_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const Input<float> gram = args.floats(1);
  const auto size = static_cast<size_t>(args.integer(2, 1, kGptqBlockMax));
  const auto damping = static_cast<float>(args.number(3));
  return start(args, engine, std::make_unique<GramFactor>(gram, size, damping));
}

napi_value lattice_targets_call(Arguments& args) {
  constexpr int64_t kSideMax = (int64_t{1} << 31) - 1;
  const auto engine = args.handle<Engine>(0);
  LatticeTargets::Request request;
  request.weights = args.bytes(1);
  request.dtype = args.dtype(2);
  request.segments = Segments::read(args, 3);
  request.previous = PreviousState::read(args, 4);
  request.rates = args.optional_bytes(6);
  request.factor = args.floats(7);
  Gptq& gptq = request.gptq;
  gptq.factor = request.factor.data;
  gptq.size = static_cast<uint32_t>(args.integer(8, 1, kGptqBlockMax));
  gptq.inputs = static_cast<uint32_t>(args.integer(9, 1, kSideMax));
  gptq.outputs = static_cast<uint32_t>(args.integer(10, 1, kSideMax));
  gptq.inputs_last = args.integer(11, 0, 1) == 1;
  gptq.first = static_cast<uint64_t>(args.integer(12, 0, (int64_t{1} << 53) - 1));
  gptq.strength = static_cast<float>(args.number(13));
  gptq.hysteresis = {static_cast<uint32_t>(args.integer(14, 0, 256)), request.rates.data};
  request.before = args.optional_bytes(15);
  gptq.movement = {request.before.data, static_cast<float>(args.number(16))};
  request.weights_name = args.text(17);
  request.state_name = args.text(18);
  request.factor_name = args.text(19);
  request.device = device_of(engine);
  request.into = args.optional_output(20);
  return start(args, engine, std::make_unique<LatticeTargets>(std::move(request)));
}

}  // namespace firn::binding
