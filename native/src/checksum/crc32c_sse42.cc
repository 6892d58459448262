// CRC-32C by the processor's instruction, three lanes at once: it has a latency of three cycles and starts once a
// cycle.
#include <nmmintrin.h>

#include "checksum/crc32c_kernels.h"
#include "common/bytes.h"

namespace firn::sse42 {
namespace {

constexpr size_t kLanes = 3;
// Bytes a lane takes before the lanes are joined: long ones for the bulk, short ones so that a small input is not left
// to one lane.
constexpr uint32_t kLongLog2 = 12, kShortLog2 = 8;
constexpr Crc32cZeros kLongZeros = crc32c_zeros(kLongLog2), kShortZeros = crc32c_zeros(kShortLog2);

uint64_t step(uint64_t state, const uint8_t* bytes) { return _mm_crc32_u64(state, load_le<uint64_t>(bytes)); }

// Consumes as many rounds of kLanes * 2^log2_size bytes as there are.
void take_rounds(uint32_t log2_size, const Crc32cZeros& zeros, uint64_t& state, const uint8_t*& bytes, size_t& size) {
  const size_t lane = size_t{1} << log2_size;
  for (; size >= kLanes * lane; bytes += kLanes * lane, size -= kLanes * lane) {
    uint64_t a = state, b = 0, c = 0;
    for (size_t i = 0; i < lane; i += 8) {
      a = step(a, bytes + i);
      b = step(b, bytes + lane + i);
      c = step(c, bytes + 2 * lane + i);
    }
    const uint32_t ab = zeros(static_cast<uint32_t>(a)) ^ static_cast<uint32_t>(b);
    state = zeros(ab) ^ static_cast<uint32_t>(c);
  }
}

}  // namespace

uint32_t crc32c(uint32_t initial, const uint8_t* bytes, size_t size) {
  uint64_t state = initial;
  take_rounds(kLongLog2, kLongZeros, state, bytes, size);
  take_rounds(kShortLog2, kShortZeros, state, bytes, size);
  for (; size >= 8; bytes += 8, size -= 8) state = step(state, bytes);
  for (; size > 0; ++bytes, --size) state = _mm_crc32_u8(static_cast<uint32_t>(state), *bytes);
  return static_cast<uint32_t>(state);
}

}  // namespace firn::sse42
