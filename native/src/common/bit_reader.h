// Reads bit fields, most significant bit first. Reading past the end gives zeros, and overrun() reports it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "common/bytes.h"
#include "common/invariant.h"

namespace firn {

class BitReader {
 public:
  // `bytes` must outlive the reader.
  BitReader(const uint8_t* bytes, size_t size) : bytes_(bytes), size_(size) {}

  // At least 57 bits from the current position, left-aligned.
  uint64_t peek() const {
    const size_t byte = position_ >> 3;
    const uint64_t word = byte + 8 <= size_ ? load_be64(bytes_ + byte) : tail(byte);
    return word << (position_ & 7);
  }
  void skip(uint32_t count) { position_ += count; }

  // 0 <= count <= 57.
  uint64_t take(uint32_t count) {
    FIRN_INNER_INVARIANT(count <= 57);
    const uint64_t value = peek() >> 1 >> (63 - count);
    skip(count);
    return value;
  }

  // More bits were read than there are.
  bool overrun() const { return position_ > uint64_t{8} * size_; }

  // True if the bits read end in the last byte and the rest of that byte is zero.
  bool at_zero_padded_end() const {
    if (overrun() || (position_ + 7) / 8 != size_) return false;
    const uint32_t in_last = static_cast<uint32_t>(position_ & 7);
    return in_last == 0 || static_cast<uint8_t>(bytes_[size_ - 1] << in_last) == 0;
  }

 private:
  uint64_t tail(size_t byte) const {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i) word = (word << 8) | (byte + i < size_ ? bytes_[byte + i] : 0);
    return word;
  }

  const uint8_t* bytes_;
  size_t size_;
  uint64_t position_ = 0;  // bits
};

}  // namespace firn
