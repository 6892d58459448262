#include "binding/arguments/lattice_arguments.h"
#include "binding/calls/calls.h"
#include "binding/results.h"

namespace firn::binding {
namespace {

class LatticeQuantize final : public Job {
 public:
  struct Request {
    InputBytes weights;
    Dtype dtype;
    Segments segments;
    PreviousState previous;
    uint32_t dead_zone;
  };
  explicit LatticeQuantize(Request request) : request_(std::move(request)) {}
  bool valid() const override {
    const Request& r = request_;
    return r.segments.valid() && r.weights.count == r.segments.count * dtype_bytes(r.dtype) &&
           r.previous.valid(r.segments.count);
  }
  std::optional<size_t> output_bytes() const override { return request_.segments.count; }
  napi_value result(napi_env env, napi_value output) override {
    static_assert(sizeof(LatticeStatistics) % sizeof(int64_t) == 0);
    const auto* sums = reinterpret_cast<const int64_t*>(statistics_.data());
    const size_t sum_count = statistics_.size() * (sizeof(LatticeStatistics) / sizeof(int64_t));
    const napi_value escapes = copy_of(env, std::span<const uint32_t>(escapes_));
    const napi_value statistics = copy_of(env, std::span<const int64_t>(sums, sum_count));
    napi_value result;
    if (!escapes || !statistics || napi_create_object(env, &result) != napi_ok) return nullptr;
    if (napi_set_named_property(env, result, "symbols", output) != napi_ok) return nullptr;
    if (napi_set_named_property(env, result, "escapes", escapes) != napi_ok) return nullptr;
    return napi_set_named_property(env, result, "statistics", statistics) == napi_ok ? result : nullptr;
  }

 private:
  Status execute() override {
    const Request& r = request_;
    statistics_.resize(r.segments.list.size());
    return lattice_quantize(r.weights.data, r.dtype, r.segments.view(), r.previous.view(), r.dead_zone, output(),
                            &escapes_, statistics_.data());
  }
  Request request_;
  std::vector<uint32_t> escapes_;
  std::vector<LatticeStatistics> statistics_;
};

class LatticeContexts final : public Job {
 public:
  LatticeContexts(Segments segments, PreviousState previous) : segments_(std::move(segments)), previous_(previous) {}
  bool valid() const override { return segments_.valid() && previous_.valid(segments_.count); }
  std::optional<size_t> output_bytes() const override { return segments_.count; }

 private:
  Status execute() override { return lattice_contexts(segments_.view(), previous_.view(), output()); }
  Segments segments_;
  PreviousState previous_;
};

// One output: the values, then the activity.
class LatticeApply final : public Job {
 public:
  struct Request {
    InputBytes symbols;
    Input<uint32_t> escapes;
    Segments segments;
    PreviousState previous;
  };
  explicit LatticeApply(Request request) : request_(std::move(request)) {}
  bool valid() const override {
    const Request& r = request_;
    return r.segments.valid() && r.symbols.count == r.segments.count && r.previous.valid(r.segments.count);
  }
  std::optional<size_t> output_bytes() const override { return request_.segments.count * (sizeof(int32_t) + 1); }

 private:
  Status execute() override {
    const Request& r = request_;
    return lattice_apply(r.symbols.data, r.escapes.data, r.escapes.count, r.segments.view(), r.previous.view(),
                         reinterpret_cast<int32_t*>(output()), output() + r.segments.count * sizeof(int32_t));
  }
  Request request_;
};

// Values, four bytes each.
class LatticePlace final : public Job {
 public:
  LatticePlace(InputBytes elements, Dtype dtype, Segments segments)
      : elements_(elements), dtype_(dtype), segments_(std::move(segments)) {}
  bool valid() const override {
    return segments_.valid() && elements_.count == segments_.count * dtype_bytes(dtype_);
  }
  std::optional<size_t> output_bytes() const override { return segments_.count * sizeof(int32_t); }

 private:
  Status execute() override {
    return lattice_place(elements_.data, dtype_, segments_.view(), reinterpret_cast<int32_t*>(output()));
  }
  InputBytes elements_;
  Dtype dtype_;
  Segments segments_;
};

class LatticeValues final : public Job {
 public:
  LatticeValues(Input<int32_t> values, Segments segments, Dtype dtype)
      : values_(values), segments_(std::move(segments)), dtype_(dtype) {}
  bool valid() const override { return segments_.valid() && values_.count == segments_.count; }
  std::optional<size_t> output_bytes() const override { return segments_.count * dtype_bytes(dtype_); }

 private:
  Status execute() override { return lattice_values(values_.data, segments_.view(), dtype_, output()); }
  Input<int32_t> values_;
  Segments segments_;
  Dtype dtype_;
};

}  // namespace

napi_value lattice_quantize_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  LatticeQuantize::Request request;
  request.weights = args.bytes(1);
  request.dtype = args.dtype(2);
  request.segments = Segments::read(args, 3);
  request.previous = PreviousState::read(args, 4);
  request.dead_zone = static_cast<uint32_t>(args.integer(6, 0, kLatticeDeadZoneMax));
  return start(args, engine, std::make_unique<LatticeQuantize>(std::move(request)));
}

napi_value lattice_contexts_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  Segments segments = Segments::read(args, 1);
  const PreviousState previous = PreviousState::read(args, 2);
  return start(args, engine, std::make_unique<LatticeContexts>(std::move(segments), previous));
}

napi_value lattice_apply_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  LatticeApply::Request request;
  request.symbols = args.bytes(1);
  request.escapes = args.uint32s(2);
  request.segments = Segments::read(args, 3);
  request.previous = PreviousState::read(args, 4);
  return start(args, engine, std::make_unique<LatticeApply>(std::move(request)));
}

napi_value lattice_place_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes elements = args.bytes(1);
  const Dtype dtype = args.dtype(2);
  Segments segments = Segments::read(args, 3);
  return start(args, engine, std::make_unique<LatticePlace>(elements, dtype, std::move(segments)));
}

napi_value lattice_values_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const Input<int32_t> values = args.int32s(1);
  Segments segments = Segments::read(args, 2);
  const Dtype dtype = args.dtype(3);
  return start(args, engine, std::make_unique<LatticeValues>(values, std::move(segments), dtype));
}

}  // namespace firn::binding
