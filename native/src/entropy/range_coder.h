// Adaptive binary range coder: for small data, where a stored table would cost more than learning does (token tables,
// frequency tables, blocks of a few thousand elements).
//
// 32-bit range with carries, 16-bit probabilities, integers only (docs/format-blocks.md, "Range coder"). Every message
// has exactly one encoding, which RangeDecoder::finished() checks.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/invariant.h"

namespace firn {

// Updates after which a model adapts at its slowest rate, 1 / (126 + 2): long enough to profit from stationary
// statistics.
inline constexpr uint8_t kBitModelCountMax = 126;

// Share of the way, in 1/65536, that the update after n earlier ones moves: 1 / (n + 2), rounded down.
inline constexpr std::array<uint32_t, kBitModelCountMax + 1> kBitModelRates = [] {
  std::array<uint32_t, kBitModelCountMax + 1> rates{};
  for (uint32_t n = 0; n <= kBitModelCountMax; ++n) rates[n] = 65536u / (n + 2);
  return rates;
}();

// Probability of a 1, learnt from the bits seen, never closer than kMargin / 65536 to 0 or 1.
template <int32_t kMargin>
struct BasicBitModel {
  static_assert(kMargin >= 1 && kMargin < 32768);
  uint16_t one = 1u << 15;  // 1/65536
  uint8_t count = 0;

  void update(uint32_t bit) {
    const int64_t target = bit ? 65536 - kMargin : kMargin;
    one = static_cast<uint16_t>(one + (((target - one) * static_cast<int64_t>(kBitModelRates[count])) >> 16));
    count = static_cast<uint8_t>(count + (count < kBitModelCountMax));
  }
};

// For parsers of hostile tables: a bit costs at least log2(32 / 31) = 0.046 bit of input, so work stays within about
// 175 decisions for each input byte.
using TableBit = BasicBitModel<2048>;
// For block contents, whose number of decisions is known beforehand: a bit may cost as little as 0.0007 bit.
using BlockBit = BasicBitModel<32>;

inline constexpr uint32_t kRangeMin = 1u << 24;  // the range is kept at or above this
inline constexpr uint32_t kRawStepBits = 12;     // equiprobable bits coded at once
inline constexpr uint32_t kRangeTailBytes = 4;   // bytes that finish() may leave out when they are zero

// The value in [low, low + range) with the most trailing zero bits; 1 <= range < 2^32.
inline uint64_t range_end_value(uint64_t low, uint64_t range) {
  FIRN_INVARIANT(range >= 1 && range >> 32 == 0);
  for (uint32_t zeros = 32;; --zeros) {
    const uint64_t mask = (uint64_t{1} << zeros) - 1;
    const uint64_t value = (low + mask) & ~mask;
    if (value - low < range) return value;
  }
}

class RangeEncoder {
 public:
  // Appends to `out`, which must outlive the encoder and not be touched before finish().
  explicit RangeEncoder(std::vector<uint8_t>* out) : out_(out), start_(out->size()) {}

  template <typename Model>
  void bit(Model& model, uint32_t bit) {
    const uint32_t bound = (range_ >> 16) * model.one;
    if (bit) {
      range_ = bound;
    } else {
      low_ += bound;
      range_ -= bound;
    }
    model.update(bit);
    while (range_ < kRangeMin) shift();
  }

  // The lowest `count` <= 64 bits of `value`, most significant first, with equal probability for all patterns: in steps
  // of kRawStepBits, the last one shorter.
  void raw(uint64_t value, uint32_t count) {
    FIRN_INNER_INVARIANT(count <= 64);
    while (count > 0) {
      const uint32_t step = count < kRawStepBits ? count : kRawStepBits;
      count -= step;
      range_ >>= step;
      low_ += ((value >> count) & ((1u << step) - 1)) * static_cast<uint64_t>(range_);
      while (range_ < kRangeMin) shift();
    }
  }

  // Ends the stream with as few bytes as the last interval allows.
  void finish() {
    low_ = range_end_value(low_, range_);
    for (uint32_t i = 0; i < kRangeTailBytes; ++i) shift();
    for (uint32_t i = 0; i < kRangeTailBytes && out_->back() == 0; ++i) out_->pop_back();
  }

 private:
  void shift() {
    FIRN_INNER_INVARIANT(low_ >> 33 == 0);
    if (low_ >> 32) {  // a carry into bytes already written
      for (size_t i = out_->size(); i-- > start_ && ++(*out_)[i] == 0;) {
      }
    }
    out_->push_back(static_cast<uint8_t>(low_ >> 24));
    low_ = (low_ << 8) & 0xFFFFFFFFu;
    range_ <<= 8;
  }

  std::vector<uint8_t>* out_;
  size_t start_;
  uint64_t low_ = 0;  // < 2^33; bit 32 is a pending carry
  uint32_t range_ = 0xFFFFFFFFu;
};

class RangeDecoder {
 public:
  // `bytes` must outlive the decoder.
  RangeDecoder(const uint8_t* bytes, size_t size) : next_(bytes), end_(bytes + size) {
    for (uint32_t i = 0; i < kRangeTailBytes; ++i) shift_in();
  }

  template <typename Model>
  uint32_t bit(Model& model) {
    const uint32_t bound = (range_ >> 16) * model.one;
    const uint32_t bit = code_ < bound;
    if (bit) {
      range_ = bound;
    } else {
      code_ -= bound;
      range_ -= bound;
    }
    model.update(bit);
    refill();
    return bit;
  }

  uint64_t raw(uint32_t count) {
    uint64_t value = 0;
    while (count > 0) {
      const uint32_t step = count < kRawStepBits ? count : kRawStepBits;
      count -= step;
      range_ >>= step;
      const uint32_t most = (1u << step) - 1, digit = code_ / range_;
      const uint32_t field = digit < most ? digit : most;  // hostile input can lie above the interval
      code_ -= field * range_;
      value = (value << step) | field;
      refill();
    }
    return value;
  }

  // True if more bytes were read than any encoder leaves out. The last decoded values are then invalid, and loops must
  // stop.
  bool overrun() const { return past_end_ > kRangeTailBytes; }

  // True if the input equals, byte for byte, the output of RangeEncoder::finish() after the bits decoded so far.
  bool finished() const {
    if (next_ != end_ || overrun()) return false;
    if (past_end_ < kRangeTailBytes && end_[-1] == 0) return false;
    return static_cast<uint32_t>(range_end_value(window_ - code_, range_)) == window_;
  }

 private:
  void refill() {
    while (range_ < kRangeMin) {
      range_ <<= 8;
      shift_in();
    }
  }

  void shift_in() {
    uint8_t byte = 0;
    if (next_ != end_) byte = *next_++;
    else ++past_end_;
    code_ = (code_ << 8) | byte;
    window_ = (window_ << 8) | byte;
  }

  const uint8_t* next_;
  const uint8_t* end_;
  size_t past_end_ = 0;
  uint32_t code_ = 0;    // value minus the low end of the interval
  uint32_t window_ = 0;  // the last four bytes taken; minus code_ it gives the encoder's low end modulo 2^32
  uint32_t range_ = 0xFFFFFFFFu;
};

}  // namespace firn
