// The two implementations behind crc32c(); both give the same result for every input.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace firn {

// The Castagnoli polynomial x^32 + x^28 + x^27 + ... + 1 (RFC 3720, section 12.1), bits reflected.
inline constexpr uint32_t kCrc32cPolynomial = 0x82F63B78u;

// `state` is the shift register (the checksum's complement); returns the register after `bytes`.
using Crc32cKernel = uint32_t(uint32_t state, const uint8_t* bytes, size_t size);
namespace scalar {
Crc32cKernel crc32c;
}
// 64-bit x86 only.
namespace sse42 {
Crc32cKernel crc32c;
}

// Tables that run the register over zero bytes, a whole `size` of them at once: linear over XOR, so one look-up for
// each register byte.
struct Crc32cZeros {
  std::array<std::array<uint32_t, 256>, 4> tables;

  constexpr uint32_t operator()(uint32_t state) const {
    return tables[0][state & 0xFF] ^ tables[1][state >> 8 & 0xFF] ^ tables[2][state >> 16 & 0xFF] ^
           tables[3][state >> 24];
  }
};

// Squaring: the register after 2n zero bytes is the operator for n applied twice, so powers of two are cheap to build.
constexpr Crc32cZeros crc32c_zeros(uint32_t log2_size) {
  std::array<uint32_t, 32> columns{};  // image of each register bit
  for (uint32_t bit = 0; bit < 32; ++bit) {
    uint32_t state = 1u << bit;
    for (int i = 0; i < 8; ++i) state = state >> 1 ^ (state & 1 ? kCrc32cPolynomial : 0);
    columns[bit] = state;
  }
  const auto apply = [](const std::array<uint32_t, 32>& matrix, uint32_t state) {
    uint32_t image = 0;
    for (uint32_t bit = 0; bit < 32; ++bit) image ^= state >> bit & 1 ? matrix[bit] : 0;
    return image;
  };
  for (uint32_t i = 0; i < log2_size; ++i) {
    std::array<uint32_t, 32> squared{};
    for (uint32_t bit = 0; bit < 32; ++bit) squared[bit] = apply(columns, columns[bit]);
    columns = squared;
  }
  Crc32cZeros zeros{};
  for (uint32_t byte = 0; byte < 4; ++byte) {
    for (uint32_t value = 0; value < 256; ++value) zeros.tables[byte][value] = apply(columns, value << (8 * byte));
  }
  return zeros;
}

}  // namespace firn
