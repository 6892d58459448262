// The Huffman code of one source level: which tokens have codes, how long they are, and the tables that make coding
// fast.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "common/bit_reader.h"
#include "common/bit_writer.h"
#include "firn/delta.h"

namespace firn {

// The stored form of a code. Ids ascend (values before runs, entropy/token/tokens.h); lengths are those of a complete
// code (entropy/huffman.h) of at most kCodeLengthMax bits.
struct LevelCodeLengths {
  std::vector<uint32_t> ids;
  std::vector<uint8_t> lengths;

  bool empty() const { return ids.empty(); }
};

class LevelCode {
 public:
  // `stored` must be complete and hold at least one value token.
  explicit LevelCode(LevelCodeLengths stored);

  const LevelCodeLengths& stored() const { return stored_; }

  // The codes of stored().ids, in the same order: a code and its length in one word, bits << kLengthBits | length.
  const std::vector<uint32_t>& codes() const { return codes_; }
  static constexpr uint32_t kLengthBits = 5;

  // Writes differences[begin..end), begin < end, as tokens. False when a token has no code; kDifferencesSlackBytes are
  // readable past `end`.
  bool encode_group(const uint8_t* differences, size_t begin, size_t end, BitWriter& writer) const;

  // Reads `count` >= 1 differences < modulus. False on a token sequence no encoder writes. Writes up to
  // kDifferencesSlackBytes past the end. Zeros follow the end of the input, which the caller checks.
  bool decode_group(BitReader& reader, uint32_t modulus, size_t count, uint8_t* differences) const;

 private:
  static constexpr uint32_t kLengthMask = (1u << kLengthBits) - 1;
  static constexpr uint32_t kNoCode = ~0u;
  // Runs shorter than this are looked up directly when encoding (16 KiB a level at most), others by binary search.
  static constexpr uint32_t kDirectRuns = 4096;

  // Codes of up to this many bits are decoded by one look-up in 2^11 entries (8 KiB: a few levels fit the first-level
  // cache); longer ones occur with a probability below 2^-11 each and are searched by length.
  static constexpr uint32_t kShortBitsMax = 11;
  static constexpr uint32_t kLongCode = kLengthMask;  // a length that no code has

  // A value and its following run, if the leading bits determine both: value | run << 8 | bits used << 24; else 0.
  static constexpr uint32_t kPairRunMax = 0xFFFF;

  uint32_t code_of_run(uint32_t run) const;
  uint32_t decode_token(BitReader& reader) const;
  uint32_t decode_long(BitReader& reader, uint64_t window) const;
  void build_encoder();
  void build_decoder();
  void build_pairs();

  LevelCodeLengths stored_;
  std::vector<uint32_t> codes_;              // of stored_.ids, same order
  std::array<uint32_t, 256> value_codes_{};  // by value
  std::vector<uint32_t> run_codes_;          // by run length, for short runs; a run of one has the empty code
  std::vector<uint32_t> short_codes_;        // by leading bits: id << kLengthBits | length, or kLongCode
  std::vector<uint32_t> pairs_;              // by leading bits
  uint32_t short_shift_ = 63;                // 63 - number of leading bits
  std::vector<uint32_t> canonical_;          // ids in code order
  std::array<uint32_t, kCodeLengthMax + 1> first_code_{};  // lowest code of each length
  std::array<uint32_t, kCodeLengthMax + 1> first_rank_{};  // its position in canonical_
  std::array<uint32_t, kCodeLengthMax + 1> population_{};  // codes of each length
};

}  // namespace firn
