#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/delta.h"
#include "firn/master_weights.h"

namespace firn::binding {
namespace {

constexpr size_t kMasterSegmentNumbers = 2;  // elements, dtype of their reference elements
constexpr uint32_t kMasterKinds = 3;
constexpr size_t kValueBytes = 4;
constexpr size_t kReferenceBytes = 2;

// The 16-bit elements that belong to a block of binary32 ones.
struct MasterPlace {
  InputBytes reference;
  std::vector<MasterSegment> segments;
  size_t count = 0;
  bool whole = true;

  static MasterPlace read(Arguments& args, size_t index) {
    MasterPlace place;
    place.reference = args.bytes(index);
    const std::vector<uint32_t> numbers = args.uint32_copy(index + 1);
    place.whole = numbers.size() % kMasterSegmentNumbers == 0;
    for (size_t i = 0; i + kMasterSegmentNumbers <= numbers.size(); i += kMasterSegmentNumbers) {
      place.whole = place.whole && numbers[i + 1] < kMasterKinds;
      place.segments.push_back({numbers[i], static_cast<MasterKind>(numbers[i + 1])});
      place.count += numbers[i];
    }
    return place;
  }

  bool valid() const {
    return whole && count <= kBlockElementsMax && reference.count == kReferenceBytes * master_reference_count(layout());
  }
  MasterLayout layout() const { return {segments.data(), segments.size(), count}; }
};

class MasterEncode final : public Job {
 public:
  MasterEncode(InputBytes values, MasterPlace place) : values_(values), place_(std::move(place)) {}
  bool valid() const override { return place_.valid() && values_.count == place_.count * kValueBytes; }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override { return master_encode(values_.data, place_.reference.data, place_.layout(), &out_); }
  InputBytes values_;
  MasterPlace place_;
  std::vector<uint8_t> out_;
};

class MasterDecode final : public Job {
 public:
  MasterDecode(InputBytes payload, MasterPlace place) : payload_(payload), place_(std::move(place)) {}
  bool valid() const override { return place_.valid(); }
  std::optional<size_t> output_bytes() const override { return place_.count * kValueBytes; }

 private:
  Status execute() override {
    return master_decode(payload_.data, payload_.count, place_.reference.data, place_.layout(), output());
  }
  InputBytes payload_;
  MasterPlace place_;
};

}  // namespace

napi_value master_encode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes values = args.bytes(1);
  return start(args, engine, std::make_unique<MasterEncode>(values, MasterPlace::read(args, 2)));
}

napi_value master_decode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const InputBytes payload = args.bytes(1);
  return start(args, engine, std::make_unique<MasterDecode>(payload, MasterPlace::read(args, 2)));
}

}  // namespace firn::binding
