// Fuzz target: exact_decode on hostile bytes, the same at every instruction set level. A block that decodes must encode
// and decode to itself.
//
// Input: element kind, flags (bit 0: with a previous block), element count and bytes of the previous block that follow
// (u16 LE each), those bytes, and the payload. The rest of the previous block is a pattern, so that large blocks need
// no large inputs.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/bytes.h"
#include "firn/lossless.h"
#include "input_reader.h"
#include "simd/each_isa.h"

namespace {

constexpr size_t kHeaderBytes = 6;
constexpr size_t kElementsMax = 17000;  // beyond the limit of the adaptive modes and of single-lane rANS

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;
  if (size < kHeaderBytes) return 0;
  const auto kind = static_cast<ElementKind>(data[0] % 8);
  const bool with_previous = data[1] & 1;
  const size_t count = load_le<uint16_t>(data + 2) % (kElementsMax + 1);
  const size_t block_size = count * element_bytes(kind);
  const size_t given = std::min({size_t{load_le<uint16_t>(data + 4)}, size - kHeaderBytes, block_size});
  const uint8_t* const payload = data + kHeaderBytes + given;
  const size_t payload_size = size - kHeaderBytes - given;
  std::vector<uint8_t> before(data + kHeaderBytes, payload);
  for (size_t i = given; i < block_size; ++i) before.push_back(static_cast<uint8_t>(i * 37 >> 3));
  const uint8_t* const previous = with_previous ? before.data() : nullptr;
  std::vector<uint8_t> block(block_size), again(block_size), coded;
  limit_isa(Isa::scalar);
  const Status status = exact_decode(payload, payload_size, previous, count, kind, block.data());
  for_each_isa([&] {
    require(exact_decode(payload, payload_size, previous, count, kind, again.data()) == status);
    require(status != Status::ok || block == again);
  });
  if (status != Status::ok) return 0;
  require(exact_encode(block.data(), previous, count, kind, &coded) == Status::ok);
  require(coded.size() <= 1 + block_size);
  require(exact_decode(coded.data(), coded.size(), previous, count, kind, again.data()) == Status::ok);
  require(block == again);
  return 0;
}
