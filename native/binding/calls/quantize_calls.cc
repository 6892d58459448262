#include <span>

#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/codebook_quant/assign.h"
#include "firn/codebook_quant/codebook.h"

namespace firn::binding {
namespace {

constexpr size_t kTableElements = 256;

class BuildCodebook final : public Job {
 public:
  BuildCodebook(const Sketch* sketch, uint32_t bins, CodebookOptions options)
      : sketch_(sketch), bins_(bins), options_(options) {}
  napi_value result(napi_env env, napi_value) override {
    return copy_of(env, std::span<const float>(centroids_, centroid_count_));
  }

 private:
  Status execute() override { return build_codebook(*sketch_, bins_, options_, centroids_, &centroid_count_); }
  const Sketch* sketch_;
  uint32_t bins_;
  CodebookOptions options_;
  float centroids_[kBinsMax];
  uint32_t centroid_count_ = 0;
};

class BuildEntropyCodebook final : public Job {
 public:
  BuildEntropyCodebook(const Sketch* sketch, uint32_t bins, EntropyOptions options)
      : sketch_(sketch), bins_(bins), options_(options) {}
  napi_value result(napi_env env, napi_value) override {
    const napi_value centroids = copy_of(env, std::span<const float>(centroids_, centroid_count_));
    const napi_value boundaries = copy_of(env, std::span<const float>(boundaries_, centroid_count_ - 1));
    napi_value result;
    if (!centroids || !boundaries || napi_create_object(env, &result) != napi_ok) return nullptr;
    if (napi_set_named_property(env, result, "centroids", centroids) != napi_ok) return nullptr;
    return napi_set_named_property(env, result, "boundaries", boundaries) == napi_ok ? result : nullptr;
  }

 private:
  Status execute() override {
    return build_entropy_codebook(*sketch_, bins_, options_, centroids_, boundaries_, &centroid_count_);
  }
  const Sketch* sketch_;
  uint32_t bins_;
  EntropyOptions options_;
  float centroids_[kBinsMax], boundaries_[kBinsMax];
  uint32_t centroid_count_ = 1;
};

class Dequantize final : public Job {
 public:
  struct Request {
    InputBytes levels;
    Dtype dtype;
    InputBytes table;
    uint32_t level_count;
    int32_t protected_level;
    Input<uint16_t> words;
  };
  explicit Dequantize(Request request) : request_(request) {}
  bool valid() const override { return request_.table.count == kTableElements * dtype_bytes(request_.dtype); }
  std::optional<size_t> output_bytes() const override { return request_.levels.count * dtype_bytes(request_.dtype); }

 private:
  Status execute() override {
    const Request& r = request_;
    return dequantize(r.levels.data, r.levels.count, r.dtype, r.table.data, r.level_count, r.protected_level,
                      r.words.data, r.words.count, output());
  }
  Request request_;
};

class Convert final : public Job {
 public:
  Convert(InputBytes values, Dtype from, Dtype to) : values_(values), from_(from), to_(to) {}
  bool valid() const override { return values_.count % dtype_bytes(from_) == 0; }
  std::optional<size_t> output_bytes() const override { return count() * dtype_bytes(to_); }

 private:
  Status execute() override {
    convert(values_.data, from_, count(), output(), to_);
    return Status::ok;
  }
  size_t count() const { return values_.count / dtype_bytes(from_); }
  InputBytes values_;
  Dtype from_, to_;
};

int32_t read_optional_level(Arguments& args, size_t index) {
  return static_cast<int32_t>(args.integer(index, kNoLevel, kLevelsMax - 1));
}

}  // namespace

napi_value build_codebook_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const Sketch* sketch = args.sketch(1);
  const auto bins = static_cast<uint32_t>(args.integer(2, kBinsMin, kBinsMax));
  CodebookOptions options;
  options.clustering = args.member<Clustering>(3, 2);
  options.weighting = args.member<Weighting>(4, 2);
  options.sigma = args.number(5);
  options.seed = args.bigint(6);
  return start(args, engine, std::make_unique<BuildCodebook>(sketch, bins, options));
}

napi_value build_entropy_codebook_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const Sketch* sketch = args.sketch(1);
  const auto bins = static_cast<uint32_t>(args.integer(2, kBinsMin, kBinsMax));
  EntropyOptions options;
  options.weighting = args.member<Weighting>(3, 2);
  options.sigma = args.number(4);
  options.bit_price = args.number(5);
  return start(args, engine, std::make_unique<BuildEntropyCodebook>(sketch, bins, options));
}

napi_value dequantize_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  Dequantize::Request request;
  request.levels = args.bytes(1);
  request.dtype = args.dtype(2);
  request.table = args.bytes(3);
  request.level_count = static_cast<uint32_t>(args.integer(4, 1, kLevelsMax));
  request.protected_level = read_optional_level(args, 5);
  request.words = args.words(6);
  return start(args, engine, std::make_unique<Dequantize>(request));
}

napi_value convert_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes values = args.bytes(1);
  const Dtype from = args.dtype(2), to = args.dtype(3);
  return start(args, engine, std::make_unique<Convert>(values, from, to));
}

}  // namespace firn::binding
