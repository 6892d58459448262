// CRC-32C (Castagnoli, RFC 3720 appendix B.4), the checksum of blocks and object chunks.
#pragma once
#include <cstddef>
#include <cstdint>

namespace firn {

// Continue with the previous result as `seed`; start with 0. crc32c("123456789") == 0xE3069283.
uint32_t crc32c(const void* bytes, size_t size, uint32_t seed = 0);

}  // namespace firn
