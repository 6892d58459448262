#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/device_exact.h"
#include "firn/lossless.h"

namespace firn::binding {
namespace {

constexpr int64_t kElementKinds = 8;

class ExactEncode final : public Job {
 public:
  ExactEncode(std::shared_ptr<DeviceContext> device, InputBytes current, InputBytes previous, ElementKind kind)
      : device_(std::move(device)), current_(current), previous_(previous), kind_(kind) {}
  bool valid() const override {
    return current_.count <= kExactBytesMax && current_.count % element_bytes(kind_) == 0 &&
           (!previous_.data || previous_.count == current_.count);
  }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override {
    const size_t count = current_.count / element_bytes(kind_);
    if (device_) return device_exact_encode(device_, current_.data, previous_.data, count, kind_, &out_);
    return exact_encode(current_.data, previous_.data, count, kind_, &out_);
  }
  std::shared_ptr<DeviceContext> device_;
  InputBytes current_, previous_;
  ElementKind kind_;
  std::vector<uint8_t> out_;
};

class ExactDecode final : public Job {
 public:
  ExactDecode(InputBytes payload, InputBytes previous, ElementKind kind, size_t count, Output into)
      : payload_(payload), previous_(previous), kind_(kind), count_(count), into_(into) {}
  bool valid() const override {
    return bytes() <= kExactBytesMax && (!previous_.data || previous_.count == bytes()) &&
           (!into_.data || into_.count == bytes());
  }
  std::optional<size_t> output_bytes() const override { return into_.data ? std::nullopt : std::optional(bytes()); }

 private:
  Status execute() override {
    void* const to = into_.data ? into_.data : output();
    return exact_decode(payload_.data, payload_.count, previous_.data, count_, kind_, to);
  }
  size_t bytes() const { return count_ * element_bytes(kind_); }
  InputBytes payload_, previous_;
  ElementKind kind_;
  size_t count_;
  Output into_;
};

}  // namespace

napi_value exact_encode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes current = args.bytes(1), previous = args.optional_bytes(2);
  const auto kind = args.member<ElementKind>(3, kElementKinds);
  return start(args, engine, std::make_unique<ExactEncode>(device_of(engine), current, previous, kind));
}

napi_value exact_decode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes payload = args.bytes(1), previous = args.optional_bytes(2);
  const auto kind = args.member<ElementKind>(3, kElementKinds);
  const auto count = static_cast<size_t>(args.integer(4, 0, int64_t{kExactBytesMax}));
  const Output into = args.optional_output(5);
  return start(args, engine, std::make_unique<ExactDecode>(payload, previous, kind, count, into));
}

napi_value exact_is_standalone_call(Arguments& args) {
  const InputBytes payload = args.bytes(0);
  if (!args.ok()) return args.throw_type_error();
  napi_value standalone;
  const bool is_standalone = payload.count == 0 || exact_is_standalone(payload.data, payload.count);
  return napi_get_boolean(args.env(), is_standalone, &standalone) == napi_ok ? standalone : nullptr;
}

}  // namespace firn::binding
