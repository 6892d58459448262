#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/buckets.h"
#include "firn/delta.h"

namespace firn::binding {
namespace {

constexpr uint32_t kBucketDtypes = 3;

class BucketEncode final : public Job {
 public:
  BucketEncode(InputBytes current, InputBytes previous, uint32_t dtype, uint32_t bits)
      : current_(current), previous_(previous), dtype_(dtype), bits_(bits) {}
  bool valid() const override { return dtype_ < kBucketDtypes && current_.count == previous_.count; }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override {
    const Dtype dtype = static_cast<Dtype>(dtype_);
    return bucket_encode({current_.data, dtype, current_.count / dtype_bytes(dtype)}, previous_.data, bits_, &out_);
  }
  InputBytes current_, previous_;
  uint32_t dtype_, bits_;
  std::vector<uint8_t> out_;
};

class BucketDecode final : public Job {
 public:
  BucketDecode(InputBytes payload, InputBytes previous, uint32_t dtype)
      : payload_(payload), previous_(previous), dtype_(dtype) {}
  bool valid() const override { return dtype_ < kBucketDtypes; }
  std::optional<size_t> output_bytes() const override { return previous_.count; }

 private:
  Status execute() override {
    const Dtype dtype = static_cast<Dtype>(dtype_);
    const BucketElements previous{previous_.data, dtype, previous_.count / dtype_bytes(dtype)};
    return bucket_decode(payload_.data, payload_.count, previous, output());
  }
  InputBytes payload_, previous_;
  uint32_t dtype_;
};

class BucketMerge final : public Job {
 public:
  BucketMerge(InputBytes payloads, std::vector<uint32_t> sizes, size_t count)
      : payloads_(payloads), sizes_(std::move(sizes)), count_(count) {}
  bool valid() const override {
    size_t sum = 0;
    for (const uint32_t size : sizes_) sum += size;
    return sum == payloads_.count;
  }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override {
    std::vector<BucketPayload> payloads;
    size_t at = 0;
    for (const uint32_t size : sizes_) {
      payloads.push_back({payloads_.data + at, size});
      at += size;
    }
    return bucket_merge(payloads, count_, &out_);
  }
  InputBytes payloads_;
  std::vector<uint32_t> sizes_;
  size_t count_;
  std::vector<uint8_t> out_;
};

class MergedBucketDecode final : public Job {
 public:
  MergedBucketDecode(InputBytes payload, InputBytes previous, uint32_t dtype, MergedBucketPart part)
      : payload_(payload), previous_(previous), dtype_(dtype), part_(part) {}
  bool valid() const override { return dtype_ < kBucketDtypes; }
  std::optional<size_t> output_bytes() const override { return previous_.count; }

 private:
  Status execute() override {
    const Dtype dtype = static_cast<Dtype>(dtype_);
    const BucketElements previous{previous_.data, dtype, previous_.count / dtype_bytes(dtype)};
    return merged_bucket_decode(payload_.data, payload_.count, part_, previous, output());
  }
  InputBytes payload_, previous_;
  uint32_t dtype_;
  MergedBucketPart part_;
};

}  // namespace

napi_value bucket_merge_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes payloads = args.bytes(1);
  std::vector<uint32_t> sizes = args.uint32_copy(2);
  const size_t count = static_cast<size_t>(args.integer(3, 0, kBlockElementsMax));
  return start(args, engine, std::make_unique<BucketMerge>(payloads, std::move(sizes), count));
}

napi_value merged_bucket_decode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes payload = args.bytes(1), previous = args.bytes(2);
  const uint32_t dtype = static_cast<uint32_t>(args.integer(3, 0, kBucketDtypes - 1));
  const uint32_t width = static_cast<uint32_t>(args.integer(4, kMergedBucketsMin, kMergedBucketsMax));
  const uint32_t position = static_cast<uint32_t>(args.integer(5, 0, kMergedBucketsMax - 1));
  return start(args, engine,
               std::make_unique<MergedBucketDecode>(payload, previous, dtype, MergedBucketPart{width, position}));
}

napi_value bucket_encode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes current = args.bytes(1), previous = args.bytes(2);
  const uint32_t dtype = static_cast<uint32_t>(args.integer(3, 0, kBucketDtypes - 1));
  const uint32_t bits = static_cast<uint32_t>(args.integer(4, 1, kBucketBitsMax));
  return start(args, engine, std::make_unique<BucketEncode>(current, previous, dtype, bits));
}

napi_value bucket_decode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes payload = args.bytes(1), previous = args.bytes(2);
  const uint32_t dtype = static_cast<uint32_t>(args.integer(3, 0, kBucketDtypes - 1));
  return start(args, engine, std::make_unique<BucketDecode>(payload, previous, dtype));
}

}  // namespace firn::binding
