#include "calls.h"
#include "firn/delta.h"
#include "firn/rounded.h"
#include "results.h"

namespace firn::binding {
namespace {

constexpr size_t kRoundedSegmentNumbers = 2;  // elements, what lies beside them
constexpr uint32_t kRoundedKinds = 3;
constexpr size_t kValueBytes = 4;
constexpr size_t kBesideBytes = 2;

// The elements that lie beside a block of binary32 ones.
struct RoundedPlace {
  InputBytes beside;
  std::vector<RoundedSegment> segments;
  size_t count = 0;
  bool whole = true;

  static RoundedPlace read(Arguments& args, size_t index) {
    RoundedPlace place;
    place.beside = args.bytes(index);
    const std::vector<uint32_t> numbers = args.uint32_copy(index + 1);
    place.whole = numbers.size() % kRoundedSegmentNumbers == 0;
    for (size_t i = 0; i + kRoundedSegmentNumbers <= numbers.size(); i += kRoundedSegmentNumbers) {
      place.whole = place.whole && numbers[i + 1] < kRoundedKinds;
      place.segments.push_back({numbers[i], static_cast<RoundedKind>(numbers[i + 1])});
      place.count += numbers[i];
    }
    return place;
  }

  bool valid() const {
    return whole && count <= kBlockElementsMax && beside.count == kBesideBytes * rounded_beside_count(layout());
  }
  RoundedLayout layout() const { return {segments.data(), segments.size(), count}; }
};

class RoundedEncode final : public Job {
 public:
  RoundedEncode(InputBytes values, RoundedPlace place) : values_(values), place_(std::move(place)) {}
  bool valid() const override { return place_.valid() && values_.count == place_.count * kValueBytes; }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override { return rounded_encode(values_.data, place_.beside.data, place_.layout(), &out_); }
  InputBytes values_;
  RoundedPlace place_;
  std::vector<uint8_t> out_;
};

class RoundedDecode final : public Job {
 public:
  RoundedDecode(InputBytes payload, RoundedPlace place) : payload_(payload), place_(std::move(place)) {}
  bool valid() const override { return place_.valid(); }
  std::optional<size_t> output_bytes() const override { return place_.count * kValueBytes; }

 private:
  Status execute() override {
    return rounded_decode(payload_.data, payload_.count, place_.beside.data, place_.layout(), output());
  }
  InputBytes payload_;
  RoundedPlace place_;
};

}  // namespace

napi_value rounded_encode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes values = args.bytes(1);
  return start(args, engine, std::make_unique<RoundedEncode>(values, RoundedPlace::read(args, 2)));
}

napi_value rounded_decode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes payload = args.bytes(1);
  return start(args, engine, std::make_unique<RoundedDecode>(payload, RoundedPlace::read(args, 2)));
}

}  // namespace firn::binding
