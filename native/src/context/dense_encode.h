// Vector kernels that encode whole rounds of the dense mode.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "context/lane_decoder.h"
#include "firn/context_coder.h"

namespace firn {

// Tables whose tokens the kernels look up in registers.
inline constexpr uint32_t kDenseEncodeTablesMax = 32;

// Tokens of the symbols of a block's tables, in rows of 16 bits: numbers of slots less one, and first slots. A symbol without a code has kUncoded in both,
// which no token has: one with all slots starts at 0. So have all symbols of the rows past the last table.
struct DenseTokens {
  static constexpr uint16_t kUncoded = 0xFFFF;

  // 32 tokens a table; as many tables as pay for a kernel, kDenseEncodeTablesMax at most.
  explicit DenseTokens(const std::vector<EncoderToken>& tokens) : tables(static_cast<uint32_t>(tokens.size() / kContextSymbols)) {
    for (uint32_t t = 0; t < kDenseEncodeTablesMax; ++t) {
      for (uint32_t s = 0; s < kContextSymbols; ++s) {
        const EncoderToken token = t < tables ? tokens[t * kContextSymbols + s] : EncoderToken{};
        shares[t][s] = token.coded() ? static_cast<uint16_t>(token.frequency() - 1) : kUncoded;
        starts[t][s] = token.coded() ? static_cast<uint16_t>(token.start()) : kUncoded;
      }
    }
  }

  uint32_t tables;
  alignas(64) uint16_t shares[kDenseEncodeTablesMax][kContextSymbols];
  alignas(64) uint16_t starts[kDenseEncodeTablesMax][kContextSymbols];
};

// Encodes the first `count` elements of a block, whole rounds of `lanes` lanes (32 or 64), from the last to the first; indexes[i] < tokens.tables. Words are
// written downwards from `next`. Returns where they begin; null when a token has no code.
using DenseEncodeKernel = uint8_t* (*)(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes,
                                       uint32_t* states, uint8_t* next);
uint8_t* dense_encode_vbmi2(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes, uint32_t* states,
                            uint8_t* next);

}  // namespace firn
