// Whether a block keeps the ranges of ContextBlock.
#pragma once
#include "context/element_tables.h"
#include "firn/context_coder.h"

namespace firn {

// How often `value` stands among `count` bytes; written for compilers that add many bytes at once.
inline size_t count_byte(const uint8_t* bytes, size_t count, uint8_t value) {
  constexpr size_t kChunk = 128;  // sums fit a byte
  size_t total = 0, i = 0;
  for (; i + kChunk <= count; i += kChunk) {
    uint8_t some = 0;
    for (size_t k = 0; k < kChunk; ++k) some = static_cast<uint8_t>(some + (bytes[i + k] == value));
    total += some;
  }
  for (; i < count; ++i) total += bytes[i] == value;
  return total;
}

inline Status check_block(const ContextBlock& block, uint32_t slots) {
  if (const Status status = check_layout(block.layout, slots); status != Status::ok) return status;
  uint8_t all = 0;
  for (size_t i = 0; i < block.layout.count; ++i) all |= block.symbols[i];
  if (all >= kContextSymbols) return Status::invalid_argument;
  return count_byte(block.symbols, block.layout.count, kContextEscape) == block.escape_count ? Status::ok : Status::invalid_argument;
}

}  // namespace firn
