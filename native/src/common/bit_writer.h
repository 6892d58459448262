// Writes bit fields, most significant bit first, into memory of known sufficient size.
#pragma once
#include <cstddef>
#include <cstdint>

#include "common/bytes.h"

namespace firn {

class BitWriter {
 public:
  // `out` needs room for all bits written, rounded up to a byte, plus kSlackBytes.
  explicit BitWriter(uint8_t* out) : begin_(out), next_(out) {}
  static constexpr size_t kSlackBytes = 8;  // whole words are stored

  // 0 <= count <= 32; `value` < 2^count.
  void put(uint32_t value, uint32_t count) {
    pending_ |= (static_cast<uint64_t>(value) << 32 << (32 - count)) >> used_;
    used_ += count;
    if (used_ >= 32) {
      store_be64(next_, pending_);
      next_ += 4;
      pending_ <<= 32;
      used_ -= 32;
    }
  }

  // Pads with zero bits to a whole byte; returns the number of bytes written in all.
  size_t finish() {
    store_be64(next_, pending_);
    next_ += (used_ + 7) / 8;
    return static_cast<size_t>(next_ - begin_);
  }

 private:
  uint8_t* begin_;
  uint8_t* next_;
  uint64_t pending_ = 0;  // bits not yet behind next_, left-aligned
  uint32_t used_ = 0;     // < 32 between calls
};

}  // namespace firn
