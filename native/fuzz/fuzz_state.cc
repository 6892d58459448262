// Fuzz target: state_decode on hostile bytes, the same at every instruction set level. What decodes is rebuilt to
// itself by its own payload again, for kinds whose values are on a grid, and state_encode takes any elements at all.
//
// Input: kind, flags (bit 0: with a previous block), columns (u8), elements of the first and of the second segment (u16
// LE each), elements given beside and to encode (u16 LE each), those elements, and the payload.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/bytes.h"
#include "firn/state.h"
#include "input_reader.h"
#include "simd/each_isa.h"

namespace {

constexpr uint32_t kSegmentElementsMax = 5000;

std::vector<uint8_t> padded(std::vector<uint8_t> bytes, size_t size) {
  for (size_t i = bytes.size(); i < size; ++i) bytes.push_back(static_cast<uint8_t>(i % 4 == 3 ? 0x38 : i * 37 >> 3));
  bytes.resize(size);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;
  InputReader in(data, size);
  const auto kind = static_cast<StateKind>(in.next<uint8_t>() % 4);
  const bool with_previous = in.next<uint8_t>() & 1;
  const uint32_t columns = in.next<uint8_t>();
  const uint32_t first = in.next<uint16_t>() % kSegmentElementsMax, second = in.next<uint16_t>() % kSegmentElementsMax;
  const StateSegment segments[] = {{first, columns, columns / 3}, {second, 0, 0}};
  const StateLayout layout{segments, 2, first + second};
  const size_t reference_given = 4 * size_t{in.next<uint16_t>()}, values_given = 4 * size_t{in.next<uint16_t>()};
  const std::vector<uint8_t> reference_bytes =
      padded(in.bytes(std::min(reference_given, 4 * layout.count)), 4 * layout.count + 4);
  const std::vector<uint8_t> values = padded(in.bytes(std::min(values_given, 4 * layout.count)), 4 * layout.count);
  const bool reference_there = kind == StateKind::first_moment || (kind == StateKind::second_moment && with_previous);
  const void* const reference = reference_there ? reference_bytes.data() : nullptr;
  std::vector<uint8_t> out(4 * layout.count), again(4 * layout.count), coded;
  const std::vector<uint8_t> payload = in.bytes(size);
  limit_isa(Isa::scalar);
  const Status status = state_decode(kind, payload.data(), payload.size(), reference, layout, out.data());
  for_each_isa([&] {
    require(state_decode(kind, payload.data(), payload.size(), reference, layout, again.data()) == status);
    require(status != Status::ok || out == again);
  });

  require(state_encode(kind, values.data(), reference, layout, &coded) == Status::ok);
  require(state_decode(kind, coded.data(), coded.size(), reference, layout, out.data()) == Status::ok);
  if (kind != StateKind::second_moment) return 0;
  // Levels stay where they are, with and without something before them.
  std::vector<uint8_t> alone;
  require(state_encode(kind, out.data(), nullptr, layout, &alone) == Status::ok);
  require(state_decode(kind, alone.data(), alone.size(), nullptr, layout, again.data()) == Status::ok);
  require(out == again);
  return 0;
}
