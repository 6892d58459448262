// Reads an untrusted byte sequence front to back and never reads past its end.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/status.h"

namespace firn {

class ByteReader {
 public:
  // `bytes` must outlive the reader and everything it hands out.
  ByteReader(const uint8_t* bytes, size_t size) : next_(bytes), left_(size) {}

  size_t left() const { return left_; }

  // The next `size` bytes; null when there are fewer.
  const uint8_t* take(size_t size) {
    if (size > left_) return nullptr;
    const uint8_t* const taken = next_;
    next_ += size;
    left_ -= size;
    return taken;
  }

  // Unsigned LEB128 in its shortest form, below 2^32: truncated or corrupt otherwise.
  Status varint(uint32_t* value) {
    uint64_t result = 0;
    for (uint32_t shift = 0; shift < 35; shift += 7) {
      const uint8_t* const byte = take(1);
      if (!byte) return Status::truncated;
      result |= static_cast<uint64_t>(*byte & 0x7F) << shift;
      if (*byte & 0x80) continue;
      if ((shift > 0 && *byte == 0) || result > 0xFFFFFFFFu) return Status::corrupt;
      *value = static_cast<uint32_t>(result);
      return Status::ok;
    }
    return Status::corrupt;
  }

 private:
  const uint8_t* next_;
  size_t left_;
};

}  // namespace firn
