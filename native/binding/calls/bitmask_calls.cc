#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/bitmask.h"
#include "firn/delta.h"

namespace firn::binding {
namespace {

constexpr int64_t kBitmaskKinds = 8;
constexpr size_t kStateBytes = 2;

bool are_states(const InputBytes& bytes) {
  return bytes.count <= kStateBytes * kBlockElementsMax && bytes.count % kStateBytes == 0;
}

class BitmaskEncode final : public Job {
 public:
  BitmaskEncode(InputBytes current, InputBytes previous, ElementKind kind)
      : current_(current), previous_(previous), kind_(kind) {}
  bool valid() const override {
    return are_states(current_) && (!previous_.data || previous_.count == current_.count);
  }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override {
    return bitmask_encode(current_.data, previous_.data, current_.count / kStateBytes, kind_, &out_);
  }
  InputBytes current_, previous_;
  ElementKind kind_;
  std::vector<uint8_t> out_;
};

class BitmaskDecode final : public Job {
 public:
  BitmaskDecode(InputBytes payload, InputBytes previous, ElementKind kind, size_t count)
      : payload_(payload), previous_(previous), kind_(kind), count_(count) {}
  bool valid() const override { return !previous_.data || previous_.count == kStateBytes * count_; }
  std::optional<size_t> output_bytes() const override { return kStateBytes * count_; }

 private:
  Status execute() override {
    return bitmask_decode(payload_.data, payload_.count, previous_.data, count_, kind_, output());
  }
  InputBytes payload_, previous_;
  ElementKind kind_;
  size_t count_;
};

class BitmaskChanged final : public Job {
 public:
  BitmaskChanged(InputBytes current, InputBytes previous) : current_(current), previous_(previous) {}
  bool valid() const override { return are_states(current_) && previous_.count == current_.count; }
  napi_value result(napi_env env, napi_value) override {
    napi_value changed;
    return napi_create_uint32(env, changed_, &changed) == napi_ok ? changed : nullptr;
  }

 private:
  Status execute() override {
    changed_ = static_cast<uint32_t>(bitmask_changed(current_.data, previous_.data, current_.count / kStateBytes));
    return Status::ok;
  }
  InputBytes current_, previous_;
  uint32_t changed_ = 0;
};

}  // namespace

napi_value bitmask_encode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes current = args.bytes(1), previous = args.optional_bytes(2);
  const auto kind = args.member<ElementKind>(3, kBitmaskKinds);
  return start(args, engine, std::make_unique<BitmaskEncode>(current, previous, kind));
}

napi_value bitmask_decode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes payload = args.bytes(1), previous = args.optional_bytes(2);
  const auto kind = args.member<ElementKind>(3, kBitmaskKinds);
  const auto count = static_cast<size_t>(args.integer(4, 0, int64_t{kBlockElementsMax}));
  return start(args, engine, std::make_unique<BitmaskDecode>(payload, previous, kind, count));
}

napi_value bitmask_changed_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes current = args.bytes(1), previous = args.bytes(2);
  return start(args, engine, std::make_unique<BitmaskChanged>(current, previous));
}

}  // namespace firn::binding
