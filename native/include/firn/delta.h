// The paper's delta coder (Inshrinkerator section 6, algorithms 5 and 6): cyclic difference, rearrangement by source
// level, run-length coding with negated values, Huffman coding.
//
// For element j with previous level p and current level c: d = (p - c) mod B, B = the larger level count of both
// checkpoints. A block's differences are grouped by p, in increasing order of p; within a group they are in element
// order. Each group becomes tokens: a value token -d (<= 0), followed by a run-length token r (>= 2) only when the
// value repeats r times. A run never leaves its block or its group. Every source level has its own Huffman code
// (`TokenTables`), shared by all blocks of a table set; the groups of a block follow each other in one bit stream.
// Without a previous checkpoint, every p is 0 and B is the current level count.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "firn/status.h"

namespace firn {

inline constexpr size_t kBlockElementsMax = 1u << 17;

class TokenTables;

// A run of equal values behind a source level.
struct CountedRun {
  uint32_t level, length;
};
// Runs shorter than this are counted by their length.
inline constexpr uint32_t kShortRuns = 64;

// The tokens of a block, counted elsewhere.
struct CountedTokens {
  uint32_t levels = 0, modulus = 0;   // source levels and values are below these
  std::vector<uint32_t> values;       // `modulus` a source level
  std::vector<uint32_t> runs;         // kShortRuns a source level, by length
  std::vector<CountedRun> long_runs;  // of at least kShortRuns
};

// Token frequencies of one table set; filled block by block, merged in any order.
class TokenCounts {
 public:
  TokenCounts();
  ~TokenCounts();
  TokenCounts(TokenCounts&&) noexcept;
  TokenCounts& operator=(TokenCounts&&) noexcept;

  // `previous` may be null. invalid_argument when count > kBlockElementsMax, modulus outside 1..256, or a level >=
  // modulus.
  Status add(const uint8_t* previous, const uint8_t* current, size_t count, uint32_t modulus);
  // The same for a block that was counted elsewhere. invalid_argument when the counts do not fit their description.
  Status add_counted(const CountedTokens& block);
  void merge(const TokenCounts& other);
  // Huffman codes for these counts; code lengths at most kCodeLengthMax bits.
  TokenTables build() const;
  // Payload bits of the blocks added so far under build(), without tables and per-block padding.
  uint64_t payload_bits() const;

 private:
  friend class TokenTables;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

inline constexpr uint32_t kCodeLengthMax = 24;

// Immutable; may be used by many threads at once.
class TokenTables {
 public:
  TokenTables();
  ~TokenTables();
  TokenTables(TokenTables&&) noexcept;
  TokenTables& operator=(TokenTables&&) noexcept;

  // Compact serialised form (docs/format.md, "Token tables").
  std::vector<uint8_t> serialize() const;
  // Reads hostile bytes; never allocates more than a small multiple of `size` plus the decode tables of the codes
  // present.
  static Status parse(const uint8_t* bytes, size_t size, TokenTables* out);

  // Appends the block's bit stream, zero-padded to a byte, to `out`. invalid_argument when a token has no code.
  Status encode(const uint8_t* previous, const uint8_t* current, size_t count, uint32_t modulus,
                std::vector<uint8_t>* out) const;
  // Rebuilds `count` levels. Every level written is < modulus. corrupt or truncated on any byte sequence no encoder
  // writes, trailing bytes included.
  Status decode(const uint8_t* bytes, size_t size, const uint8_t* previous, size_t count, uint32_t modulus,
                uint8_t* current) const;

  struct Impl;

 private:
  friend class TokenCounts;
  friend class DeviceTokenCodes;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firn
