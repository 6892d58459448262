// Vector kernels that encode whole rounds of the dense mode.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "context/lane_decoder.h"
#include "firn/context_coder.h"

namespace firn {

// Tokens of symbols, 32 a table, as one number each: frequency - 1 in the low half, the first slot in the high half.
inline constexpr uint32_t kUncoded = 0xFFFFFFFF;  // which no token has: one with all slots starts at 0

inline uint32_t packed_token(const EncoderToken& token) {
  return token.coded() ? (token.frequency() - 1) | token.start() << 16 : kUncoded;
}

// Encodes the first `count` elements of a block, whole rounds of `lanes` lanes (32 or 64), from the last to the first. Words are written downwards from
// `next`. Returns where they begin; null when a token has no code.
using DenseEncodeKernel = uint8_t* (*)(const uint32_t* tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes,
                                       uint32_t* states, uint8_t* next);
uint8_t* dense_encode_vbmi2(const uint32_t* tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes, uint32_t* states,
                            uint8_t* next);

}  // namespace firn
