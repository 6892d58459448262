#include <algorithm>
#include <functional>

#include "binding/arguments/weight_pair.h"
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

class AssignLevels final : public Job {
 public:
  // `boundary_count` is 0 if the map has none.
  AssignLevels(WeightPair pair, Partition partition, LevelMap map, size_t boundary_count)
      : pair_(pair), partition_(partition), map_(map), boundary_count_(boundary_count) {}
  bool valid() const override {
    return pair_.valid() && map_.centroid_count >= 1 && map_.centroid_count <= kLevelsMax &&
           increasing(map_.centroids, map_.centroid_count) &&
           (map_.boundaries == nullptr ||
            (boundary_count_ == map_.centroid_count - 1 && increasing(map_.boundaries, boundary_count_)));
  }
  std::optional<size_t> output_bytes() const override { return pair_.count(); }
  napi_value result(napi_env env, napi_value output) override {
    const napi_value words = copy_of(env, std::span<const uint16_t>(words_));
    napi_value result;
    if (!words || napi_create_object(env, &result) != napi_ok) return nullptr;
    if (napi_set_named_property(env, result, "levels", output) != napi_ok) return nullptr;
    return napi_set_named_property(env, result, "protectedWords", words) == napi_ok ? result : nullptr;
  }

 private:
  static bool increasing(const float* values, size_t count) {
    return std::adjacent_find(values, values + count, std::not_fn(std::less<>())) == values + count;
  }
  Status execute() override {
    size_t protected_count = 0;
    const Status status =
        assign_levels(pair_.weights.data, pair_.weight_dtype, pair_.gradients.data, pair_.gradient_dtype, pair_.count(),
                      partition_, map_, output(), &protected_count);
    if (status != Status::ok) return status;
    if (protected_count == 0) return Status::ok;
    words_.resize(protected_count);
    gather_protected(pair_.weights.data, pair_.weight_dtype, output(), pair_.count(),
                     static_cast<uint8_t>(map_.protected_level), words_.data());
    return Status::ok;
  }
  WeightPair pair_;
  Partition partition_;
  LevelMap map_;
  size_t boundary_count_;
  std::vector<uint16_t> words_;
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

napi_value assign_levels_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const WeightPair pair = WeightPair::read(args, 1);
  const Partition partition = read_partition(args, 5);
  const Input<float> centroids = args.floats(9);
  LevelMap map;
  map.centroids = centroids.data;
  map.centroid_count = static_cast<uint32_t>(std::min<size_t>(centroids.count, kLevelsMax + 1));
  map.pruned_level = read_optional_level(args, 10);
  map.protected_level = read_optional_level(args, 11);
  const Input<float> boundaries = args.optional_floats(12);
  if (boundaries.count > 0) map.boundaries = boundaries.data;
  return start(args, engine, std::make_unique<AssignLevels>(pair, partition, map, boundaries.count));
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
