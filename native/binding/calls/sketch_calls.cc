#include "binding/arguments/weight_pair.h"
#include "binding/calls/calls.h"
#include "firn/sketch.h"

namespace firn::binding {
namespace {

// Jobs that add to one sketch follow each other.
class SketchJob : public Job {
 public:
  explicit SketchJob(Sketch* sketch) : sketch_(sketch) {}
  Lane lane() const noexcept override { return sketch_; }

 protected:
  Sketch* sketch_;
};

// Adds to a sketch on a device, or else here.
template <typename There, typename Here>
Status sketch_on(DeviceContext* device, There there, Here here) {
  if (!device || !there(*device)) here();
  return Status::ok;
}

class SketchValues final : public SketchJob {
 public:
  SketchValues(std::shared_ptr<DeviceContext> device, NamedWeightPair block, Sketch* sketch)
      : SketchJob(sketch), device_(std::move(device)), block_(std::move(block)) {}
  bool valid() const override { return block_.valid(); }

 private:
  Status execute() override {
    return sketch_on(
        device_.get(),
        [&](DeviceContext& device) { return device_sketch_values(device, block_.for_device(), *sketch_); },
        [&] { sketch_values(block_.weights.data, block_.weight_dtype, block_.count(), *sketch_); });
  }
  std::shared_ptr<DeviceContext> device_;
  NamedWeightPair block_;
};

class SketchSensitivity final : public SketchJob {
 public:
  SketchSensitivity(std::shared_ptr<DeviceContext> device, NamedWeightPair pair, Sketch* sketch)
      : SketchJob(sketch), device_(std::move(device)), pair_(std::move(pair)) {}
  bool valid() const override { return pair_.valid() && pair_.gradients.data; }

 private:
  Status execute() override {
    return sketch_on(
        device_.get(),
        [&](DeviceContext& device) { return device_sketch_sensitivity(device, pair_.for_device(), *sketch_); },
        [&] {
          sketch_sensitivity(pair_.weights.data, pair_.weight_dtype, pair_.gradients.data, pair_.gradient_dtype,
                             pair_.count(), *sketch_);
        });
  }
  std::shared_ptr<DeviceContext> device_;
  NamedWeightPair pair_;
};

class SketchQuantized final : public SketchJob {
 public:
  SketchQuantized(std::shared_ptr<DeviceContext> device, NamedWeightPair pair, Partition partition, Sketch* sketch)
      : SketchJob(sketch), device_(std::move(device)), pair_(std::move(pair)), partition_(partition) {}
  bool valid() const override { return pair_.valid(); }

 private:
  Status execute() override {
    return sketch_on(
        device_.get(),
        [&](DeviceContext& device) {
          return device_sketch_quantized(device, pair_.for_device(), partition_, *sketch_);
        },
        [&] {
          sketch_quantized(pair_.weights.data, pair_.weight_dtype, pair_.gradients.data, pair_.gradient_dtype,
                           pair_.count(), partition_, *sketch_);
        });
  }
  std::shared_ptr<DeviceContext> device_;
  NamedWeightPair pair_;
  Partition partition_;
};

template <float (*Threshold)(const Sketch&, double)>
napi_value threshold(Arguments& args) {
  const Sketch* sketch = args.sketch(0);
  const double fraction = args.number(1);
  if (!args.ok()) return args.throw_type_error();
  napi_value value;
  return napi_create_double(args.env(), Threshold(*sketch, fraction), &value) == napi_ok ? value : nullptr;
}

}  // namespace

napi_value sketch_values_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  NamedWeightPair block{{args.bytes(1), args.dtype(2), {}, Dtype::f32}, args.text(3)};
  return start(args, engine, std::make_unique<SketchValues>(device_of(engine), std::move(block), args.sketch(4)));
}

napi_value sketch_sensitivity_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  NamedWeightPair pair = NamedWeightPair::read(args, 1);
  return start(args, engine, std::make_unique<SketchSensitivity>(device_of(engine), std::move(pair), args.sketch(6)));
}

napi_value sketch_quantized_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  NamedWeightPair pair = NamedWeightPair::read(args, 1);
  const Partition partition = read_partition(args, 6);
  return start(args, engine,
               std::make_unique<SketchQuantized>(device_of(engine), std::move(pair), partition, args.sketch(10)));
}

napi_value sketch_top_threshold_call(Arguments& args) { return threshold<sketch_top_threshold>(args); }

napi_value sketch_bottom_threshold_call(Arguments& args) { return threshold<sketch_bottom_threshold>(args); }

}  // namespace firn::binding
