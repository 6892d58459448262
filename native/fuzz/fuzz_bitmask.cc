// Fuzz target: bitmask_decode on hostile bytes, the same at every instruction set level, and bitmask_encode of any
// states against any others, which must decode to the same states.
//
// Input: states (u16 LE), flags (bit 0: with a previous block, bit 1: f16), numbers of states of the previous block and
// of states to encode (u16 LE each), those states, and the payload.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "firn/bitmask.h"
#include "input_reader.h"
#include "simd/each_isa.h"

namespace {

constexpr uint32_t kStatesMax = 6000;

std::vector<uint8_t> padded(std::vector<uint8_t> bytes, size_t size) {
  for (size_t i = bytes.size(); i < size; ++i) bytes.push_back(static_cast<uint8_t>(i % 2 == 1 ? 0x3C : i * 37 >> 3));
  bytes.resize(size);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;
  InputReader in(data, size);
  const size_t count = in.next<uint16_t>() % kStatesMax;
  const uint8_t flags = in.next<uint8_t>();
  const ElementKind kind = flags & 2 ? ElementKind::f16 : ElementKind::bf16;
  const size_t before_given = 2 * size_t{in.next<uint16_t>()}, given = 2 * size_t{in.next<uint16_t>()};
  const std::vector<uint8_t> before = padded(in.bytes(std::min(before_given, 2 * count)), 2 * count);
  const std::vector<uint8_t> current = padded(in.bytes(std::min(given, 2 * count)), 2 * count);
  const void* const previous = flags & 1 ? before.data() : nullptr;
  std::vector<uint8_t> out(2 * count), again(2 * count), reference;
  const std::vector<uint8_t> payload = in.bytes(size);
  limit_isa(Isa::scalar);
  const Status status = bitmask_decode(payload.data(), payload.size(), previous, count, kind, out.data());
  require(bitmask_encode(current.data(), previous, count, kind, &reference) == Status::ok);
  require(reference.size() <= 1 + 2 * count);
  for_each_isa([&] {
    require(bitmask_decode(payload.data(), payload.size(), previous, count, kind, again.data()) == status);
    require(status != Status::ok || out == again);
    std::vector<uint8_t> coded;
    require(bitmask_encode(current.data(), previous, count, kind, &coded) == Status::ok);
    require(coded == reference);
  });
  require(bitmask_decode(reference.data(), reference.size(), previous, count, kind, out.data()) == Status::ok);
  require(out == current);
  return 0;
}
