// Adaptive Exp-Golomb code of an unsigned number: the bit length in unary, then the bits below the leading one. The
// models of the unary part and of the two highest of those bits are adaptive.
#pragma once
#include <bit>
#include <cstdint>

#include "entropy/range_coder.h"

namespace firn {

inline constexpr uint32_t kExpGolombBitsMax = 20;    // values up to 2^20 - 2
inline constexpr uint32_t kExpGolombLearntBits = 2;  // below the leading one

struct ExpGolombModel {
  TableBit more[kExpGolombBitsMax];
  TableBit high[kExpGolombBitsMax][1u << kExpGolombLearntBits];
};

// value + 1 < 2^kExpGolombBitsMax.
inline void encode_exp_golomb(RangeEncoder& encoder, ExpGolombModel& model, uint32_t value) {
  const uint32_t bits = static_cast<uint32_t>(std::bit_width(value + 1)) - 1;
  for (uint32_t i = 0; i < bits; ++i) encoder.bit(model.more[i], 1);
  encoder.bit(model.more[bits], 0);
  uint32_t node = 1;
  uint32_t left = bits;
  while (left > 0 && bits - left < kExpGolombLearntBits) {
    const uint32_t bit = ((value + 1) >> --left) & 1;
    encoder.bit(model.high[bits][node], bit);
    node = 2 * node + bit;
  }
  encoder.raw(value + 1, left);
}

// False when the bit length runs past kExpGolombBitsMax - 1: no encoder writes that.
inline bool decode_exp_golomb(RangeDecoder& decoder, ExpGolombModel& model, uint32_t* value) {
  uint32_t bits = 0;
  while (decoder.bit(model.more[bits])) {
    if (++bits == kExpGolombBitsMax) return false;
  }
  uint32_t node = 1;
  uint32_t left = bits;
  while (left > 0 && bits - left < kExpGolombLearntBits) {
    --left;
    node = 2 * node + decoder.bit(model.high[bits][node]);
  }
  const uint32_t top = node << left;  // the learnt bits below a leading one
  *value = (top | static_cast<uint32_t>(decoder.raw(left))) - 1;
  return true;
}

}  // namespace firn
