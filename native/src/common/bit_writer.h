// Writes bit fields, most significant bit first, into memory of known sufficient size.
#pragma once
#include <cstddef>
#include <cstdint>

#include "common/bytes.h"
#include "common/invariant.h"

namespace firn {

class BitWriter {
 public:
  // `out` needs room for all bits written, rounded up to a byte, plus kSlackBytes.
  explicit BitWriter(uint8_t* out) : begin_(out), next_(out) {}
  static constexpr size_t kSlackBytes = 8;  // whole words are stored

  // 0 <= count <= 56; `value` < 2^count. No branches: whole bytes go out each time.
  void put(uint64_t value, uint32_t count) {
    FIRN_INNER_INVARIANT(count <= 56 && value >> count == 0);
    used_ += count;  // <= 63
    pending_ |= value << (64 - used_) % 64;
    store_be64(next_, pending_);
    next_ += used_ >> 3;
    pending_ <<= used_ & ~7u;
    used_ &= 7;
  }

  // Pads with zero bits to a whole byte; returns the number of bytes written in all.
  size_t finish() const { return static_cast<size_t>(next_ - begin_) + (used_ != 0); }

 private:
  uint8_t* begin_;
  uint8_t* next_;
  uint64_t pending_ = 0;  // bits not yet behind next_, left-aligned
  uint32_t used_ = 0;     // < 8 between calls
};

}  // namespace firn
