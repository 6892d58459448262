// Vector kernels that encode whole rounds of the dense mode.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/invariant.h"
#include "context/lanes/lane_decoder.h"
#include "firn/context_coder.h"

namespace firn {

// Tables whose tokens the kernels look up in registers.
inline constexpr uint32_t kDenseEncodeTablesMax = 32;

// Tokens of the symbols of a block's tables, one table after another, in 16 bits: numbers of slots less one, and first
// slots. A symbol without a code has kUncoded in both, which no token has: one with all slots starts at 0. So has all
// that follows.
struct DenseTokens {
  static constexpr uint16_t kUncoded = 0xFFFF;
  static constexpr size_t kTokensMax = size_t{kDenseEncodeTablesMax} * kContextSymbols;

  // kContextSymbols tokens a table, kDenseEncodeTablesMax tables at most.
  explicit DenseTokens(const std::vector<EncoderToken>& tokens)
      : tables(static_cast<uint32_t>(tokens.size() / kContextSymbols)), width(1) {
    FIRN_INVARIANT(tokens.size() <= kTokensMax && tokens.size() % kContextSymbols == 0);
    for (size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at].coded()) width = std::max(width, static_cast<uint32_t>(at % kContextSymbols) + 1);
    }
    std::fill_n(shares, kTokensMax, kUncoded);
    std::fill_n(starts, kTokensMax, kUncoded);
    for (size_t at = 0; at < tokens.size(); ++at) {
      const size_t symbol = at % kContextSymbols, place = at / kContextSymbols * width + symbol;
      if (!tokens[at].coded()) continue;
      shares[place] = static_cast<uint16_t>(tokens[at].frequency() - 1);
      starts[place] = static_cast<uint16_t>(tokens[at].start());
    }
  }

  uint32_t tables;
  uint32_t width;  // tokens a table: symbols from here on have no code
  alignas(64) uint16_t shares[kTokensMax];
  alignas(64) uint16_t starts[kTokensMax];
};

// Encodes the first `count` elements of a block, whole rounds of `lanes` lanes (32 or 64), from the last to the first;
// indexes[i] < tokens.tables. Writes words downwards from `next`. Returns their beginning; null if a token has no code.
using DenseEncodeKernel = uint8_t*(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols,
                                   size_t count, uint32_t lanes, uint32_t* states, uint8_t* next);
namespace avx512 {
DenseEncodeKernel dense_encode;
}
namespace vbmi2 {
DenseEncodeKernel dense_encode;
}

}  // namespace firn
