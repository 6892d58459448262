// Fuzz target: master_decode on hostile bytes, the same at every instruction set level, and master_encode of any
// elements beside any others, which come back.
//
// Input: elements of three segments (u16 LE each), their kinds (u8 each), elements given beside and to encode (u16 LE
// each), those elements, and the payload.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "firn/master_weights.h"
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
  MasterSegment segments[3];
  MasterLayout layout{segments, 3, 0};
  for (MasterSegment& segment : segments) {
    segment.count = in.next<uint16_t>() % kSegmentElementsMax;
    layout.count += segment.count;
  }
  for (MasterSegment& segment : segments) segment.kind = static_cast<MasterKind>(in.next<uint8_t>() % 3);
  const size_t reference_bytes = 2 * master_reference_count(layout), value_bytes = 4 * layout.count;
  const size_t reference_given = 2 * size_t{in.next<uint16_t>()}, values_given = 4 * size_t{in.next<uint16_t>()};
  const std::vector<uint8_t> reference = padded(in.bytes(std::min(reference_given, reference_bytes)), reference_bytes);
  const std::vector<uint8_t> values = padded(in.bytes(std::min(values_given, value_bytes)), value_bytes);
  std::vector<uint8_t> out(value_bytes), again(value_bytes), coded;
  const std::vector<uint8_t> payload = in.bytes(size);
  limit_isa(Isa::scalar);
  const Status status = master_decode(payload.data(), payload.size(), reference.data(), layout, out.data());
  for_each_isa([&] {
    require(master_decode(payload.data(), payload.size(), reference.data(), layout, again.data()) == status);
    require(status != Status::ok || out == again);
  });

  require(master_encode(values.data(), reference.data(), layout, &coded) == Status::ok);
  require(master_decode(coded.data(), coded.size(), reference.data(), layout, out.data()) == Status::ok);
  require(out == values);
  return 0;
}
