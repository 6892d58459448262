#include "checksum/crc32c_kernels.h"
#include "common/bytes.h"
#include "firn/checksum.h"
#include "simd/cpu_features.h"

namespace firn {
namespace {

// kTables[k][b]: the register after byte b and k zero bytes. Eight bytes are looked up at once ("slicing by 8").
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t value = 0; value < 256; ++value) {
    uint32_t state = value;
    for (int i = 0; i < 8; ++i) state = state >> 1 ^ (state & 1 ? kCrc32cPolynomial : 0);
    tables[0][value] = state;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t value = 0; value < 256; ++value) {
      tables[k][value] = tables[k - 1][value] >> 8 ^ tables[0][tables[k - 1][value] & 0xFF];
    }
  }
  return tables;
}();

}  // namespace

uint32_t scalar::crc32c(uint32_t state, const uint8_t* bytes, size_t size) {
  for (; size >= 8; bytes += 8, size -= 8) {
    const uint64_t word = load_le<uint64_t>(bytes) ^ state;
    state = 0;
    for (uint32_t k = 0; k < 8; ++k) state ^= kTables[7 - k][word >> (8 * k) & 0xFF];
  }
  for (; size > 0; ++bytes, --size) state = state >> 8 ^ kTables[0][(state ^ *bytes) & 0xFF];
  return state;
}

uint32_t crc32c(const void* bytes, size_t size, uint32_t seed) {
  const auto* const input = static_cast<const uint8_t*>(bytes);
#if FIRN_X86
  // Every machine with AVX2 has SSE4.2.
  if (active_isa() >= Isa::avx2) return ~sse42::crc32c(~seed, input, size);
#endif
  return ~scalar::crc32c(~seed, input, size);
}

}  // namespace firn
