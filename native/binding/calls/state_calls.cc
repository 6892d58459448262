#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/delta.h"
#include "firn/state.h"

namespace firn::binding {
namespace {

constexpr int64_t kStateKinds = 4;
constexpr size_t kStateSegmentNumbers = 3;  // elements, columns, column of the first element
constexpr size_t kStateElementBytes = 4;

// Positions of a block's elements in their tensors, and their reference.
struct StatePlace {
  StateKind kind;
  std::vector<StateSegment> segments;
  InputBytes reference;
  size_t count = 0;
  bool whole = true;

  static StatePlace read(Arguments& args, size_t index) {
    StatePlace place;
    place.kind = args.member<StateKind>(index, kStateKinds);
    const std::vector<uint32_t> numbers = args.uint32_copy(index + 1);
    place.whole = numbers.size() % kStateSegmentNumbers == 0;
    for (size_t i = 0; i + kStateSegmentNumbers <= numbers.size(); i += kStateSegmentNumbers) {
      place.segments.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
      place.count += numbers[i];
    }
    place.reference = args.optional_bytes(index + 2);
    return place;
  }

  bool valid() const {
    return whole && count <= kBlockElementsMax && (!reference.data || reference.count == count * kStateElementBytes);
  }
  StateLayout layout() const { return {segments.data(), segments.size(), count}; }
};

class StateEncode final : public Job {
 public:
  StateEncode(InputBytes values, StatePlace place) : values_(values), place_(std::move(place)) {}
  bool valid() const override { return place_.valid() && values_.count == place_.count * kStateElementBytes; }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override {
    return state_encode(place_.kind, values_.data, place_.reference.data, place_.layout(), &out_);
  }
  InputBytes values_;
  StatePlace place_;
  std::vector<uint8_t> out_;
};

class StateDecode final : public Job {
 public:
  StateDecode(InputBytes payload, StatePlace place) : payload_(payload), place_(std::move(place)) {}
  bool valid() const override { return place_.valid(); }
  std::optional<size_t> output_bytes() const override { return place_.count * kStateElementBytes; }

 private:
  Status execute() override {
    return state_decode(place_.kind, payload_.data, payload_.count, place_.reference.data, place_.layout(), output());
  }
  InputBytes payload_;
  StatePlace place_;
};

}  // namespace

napi_value state_encode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes values = args.bytes(1);
  return start(args, engine, std::make_unique<StateEncode>(values, StatePlace::read(args, 2)));
}

napi_value state_decode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes payload = args.bytes(1);
  return start(args, engine, std::make_unique<StateDecode>(payload, StatePlace::read(args, 2)));
}

napi_value state_needs_previous_call(Arguments& args) {
  const InputBytes payload = args.bytes(0);
  if (!args.ok()) return args.throw_type_error();
  napi_value needs;
  const bool needs_previous = payload.count > 0 && state_needs_previous(payload.data, payload.count);
  return napi_get_boolean(args.env(), needs_previous, &needs) == napi_ok ? needs : nullptr;
}

}  // namespace firn::binding
