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

class SketchValues final : public SketchJob {
 public:
  SketchValues(InputBytes values, Dtype dtype, Sketch* sketch) : SketchJob(sketch), values_(values), dtype_(dtype) {}
  bool valid() const override { return values_.count % dtype_bytes(dtype_) == 0; }

 private:
  Status execute() override {
    sketch_values(values_.data, dtype_, values_.count / dtype_bytes(dtype_), *sketch_);
    return Status::ok;
  }
  InputBytes values_;
  Dtype dtype_;
};

class SketchSensitivity final : public SketchJob {
 public:
  SketchSensitivity(WeightPair pair, Sketch* sketch) : SketchJob(sketch), pair_(pair) {}
  bool valid() const override { return pair_.valid() && pair_.gradients.data; }

 private:
  Status execute() override {
    sketch_sensitivity(pair_.weights.data, pair_.weight_dtype, pair_.gradients.data, pair_.gradient_dtype,
                       pair_.count(), *sketch_);
    return Status::ok;
  }
  WeightPair pair_;
};

class SketchQuantized final : public SketchJob {
 public:
  SketchQuantized(WeightPair pair, Partition partition, Sketch* sketch)
      : SketchJob(sketch), pair_(pair), partition_(partition) {}
  bool valid() const override { return pair_.valid(); }

 private:
  Status execute() override {
    sketch_quantized(pair_.weights.data, pair_.weight_dtype, pair_.gradients.data, pair_.gradient_dtype, pair_.count(),
                     partition_, *sketch_);
    return Status::ok;
  }
  WeightPair pair_;
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
  const InputBytes values = args.bytes(1);
  const Dtype dtype = args.dtype(2);
  return start(args, engine, std::make_unique<SketchValues>(values, dtype, args.sketch(3)));
}

napi_value sketch_sensitivity_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const WeightPair pair = WeightPair::read(args, 1);
  return start(args, engine, std::make_unique<SketchSensitivity>(pair, args.sketch(5)));
}

napi_value sketch_quantized_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const WeightPair pair = WeightPair::read(args, 1);
  const Partition partition = read_partition(args, 5);
  return start(args, engine, std::make_unique<SketchQuantized>(pair, partition, args.sketch(9)));
}

napi_value sketch_top_threshold_call(Arguments& args) { return threshold<sketch_top_threshold>(args); }

napi_value sketch_bottom_threshold_call(Arguments& args) { return threshold<sketch_bottom_threshold>(args); }

}  // namespace firn::binding
