// Unsigned LEB128 in its shortest form; ByteReader::varint reads it.
#pragma once
#include <cstdint>
#include <vector>

namespace firn {

inline void append_varint(uint32_t value, std::vector<uint8_t>* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<uint8_t>(value | 0x80));
  out->push_back(static_cast<uint8_t>(value));
}

}  // namespace firn
