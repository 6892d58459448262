// The Huffman code of one source level: which tokens have codes, how long they are, and the tables that make coding fast.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "common/bit_reader.h"
#include "firn/delta.h"

namespace firn {

// What is stored of a code. Ids ascend (values before runs, entropy/tokens.h); lengths are those of a complete code
// (entropy/huffman.h) of at most kCodeLengthMax bits.
struct LevelCodeLengths {
  std::vector<uint32_t> ids;
  std::vector<uint8_t> lengths;

  bool empty() const { return ids.empty(); }
};

class LevelCode {
 public:
  LevelCode() = default;  // no tokens
  // `stored` must be complete and hold at least one value token.
  explicit LevelCode(LevelCodeLengths stored);

  const LevelCodeLengths& stored() const { return stored_; }
  bool empty() const { return stored_.empty(); }

  // Code bits << kLengthBits | length, or kNoCode when the token has none.
  uint32_t encode(uint32_t id) const {
    if (id < direct_.size()) [[likely]] return direct_[id];
    return encode_rare(id);
  }
  static constexpr uint32_t kLengthBits = 5;
  static constexpr uint32_t kLengthMask = (1u << kLengthBits) - 1;
  static constexpr uint32_t kNoCode = ~0u;

  // Next token id. The code is complete, so every bit pattern means something; zeros follow the end of the input.
  uint32_t decode(BitReader& reader) const {
    const uint64_t window = reader.peek();
    const uint32_t entry = short_codes_[(window >> 1) >> short_shift_];
    const uint32_t length = entry & kLengthMask;
    if (length == kLongCode) [[unlikely]] return decode_long(reader, window);
    reader.skip(length);
    return entry >> kLengthBits;
  }

 private:
  // Codes of up to this many bits are decoded by one look-up in 2^11 entries (8 KiB: a few levels fit the first-level cache);
  // longer ones occur with a probability below 2^-11 each and are searched by length.
  static constexpr uint32_t kShortBitsMax = 11;
  static constexpr uint32_t kLongCode = kLengthMask;  // a length that no code has
  // Token ids below this (values, and runs shorter than 3842) are looked up directly when encoding, the rare others by binary
  // search: 16 KiB a level at most.
  static constexpr uint32_t kDirectIds = 4096;

  uint32_t encode_rare(uint32_t id) const;
  uint32_t decode_long(BitReader& reader, uint64_t window) const;

  LevelCodeLengths stored_;
  std::vector<uint32_t> codes_;        // of stored_.ids, same order: bits << kLengthBits | length
  std::vector<uint32_t> direct_;       // the same by id, for small ids
  std::vector<uint32_t> short_codes_;  // leading bits -> id << kLengthBits | length, or kLongCode
  uint32_t short_shift_ = 63;          // 63 - number of leading bits
  std::vector<uint32_t> canonical_;    // ids in code order
  std::array<uint32_t, kCodeLengthMax + 1> first_code_{};  // lowest code of each length
  std::array<uint32_t, kCodeLengthMax + 1> first_rank_{};  // its position in canonical_
  std::array<uint32_t, kCodeLengthMax + 1> population_{};  // codes of each length
};

}  // namespace firn
