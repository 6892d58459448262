// Fuzz target: rounded_decode on hostile bytes, the same at every instruction set level, and rounded_encode of any
// elements beside any others, which come back.
//
// Input: elements of three segments (u16 LE each), their kinds (u8 each), elements given beside and to encode (u16 LE
// each), those elements, and the payload.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "firn/rounded.h"
#include "input_reader.h"
#include "simd/each_isa.h"

namespace {

constexpr uint32_t kSegmentElementsMax = 6000;

std::vector<uint8_t> padded(std::vector<uint8_t> bytes, size_t size) {
  for (size_t i = bytes.size(); i < size; ++i) bytes.push_back(static_cast<uint8_t>(i % 4 == 3 ? 0x3C : i * 37 >> 3));
  bytes.resize(size);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;
  InputReader in(data, size);
  RoundedSegment segments[3];
  RoundedLayout layout{segments, 3, 0};
  for (RoundedSegment& segment : segments) {
    segment.count = in.next<uint16_t>() % kSegmentElementsMax;
    layout.count += segment.count;
  }
  for (RoundedSegment& segment : segments) segment.kind = static_cast<RoundedKind>(in.next<uint8_t>() % 3);
  const size_t beside_bytes = 2 * rounded_beside_count(layout), value_bytes = 4 * layout.count;
  const size_t beside_given = 2 * size_t{in.next<uint16_t>()}, values_given = 4 * size_t{in.next<uint16_t>()};
  const std::vector<uint8_t> beside = padded(in.bytes(std::min(beside_given, beside_bytes)), beside_bytes);
  const std::vector<uint8_t> values = padded(in.bytes(std::min(values_given, value_bytes)), value_bytes);
  std::vector<uint8_t> out(value_bytes), again(value_bytes), coded;
  const std::vector<uint8_t> payload = in.bytes(size);
  limit_isa(Isa::scalar);
  const Status status = rounded_decode(payload.data(), payload.size(), beside.data(), layout, out.data());
  for_each_isa([&] {
    require(rounded_decode(payload.data(), payload.size(), beside.data(), layout, again.data()) == status);
    require(status != Status::ok || out == again);
  });

  require(rounded_encode(values.data(), beside.data(), layout, &coded) == Status::ok);
  require(rounded_decode(coded.data(), coded.size(), beside.data(), layout, out.data()) == Status::ok);
  require(out == values);
  return 0;
}
