#include "entropy/token/level_code.h"

#include <algorithm>
#include <cstring>

#include "common/bytes.h"
#include "entropy/huffman.h"
#include "entropy/token/tokens.h"

namespace firn {
namespace {

constexpr uint32_t kNoValue = ~0u;

// Writes a run of 1 <= length elements; `at` has kDifferencesSlackBytes of room past the run.
inline void fill_run(uint8_t* at, uint8_t value, uint32_t length) {
  static_assert(kDifferencesSlackBytes >= 16);
  const uint64_t pattern = 0x0101010101010101ull * value;
  store_le(at, pattern);
  store_le(at + 8, pattern);
  if (length > 16) [[unlikely]]
    std::memset(at + 16, value, length - 16);
}

}  // namespace

LevelCode::LevelCode(LevelCodeLengths stored) : stored_(std::move(stored)) {
  static_assert(kCodeLengthMax < kLongCode && kCodeLengthMax + kLengthBits < 32);
  build_encoder();
  build_decoder();
  build_pairs();
}

void LevelCode::build_encoder() {
  const std::vector<uint32_t>& ids = stored_.ids;
  codes_ = huffman_codes(stored_.lengths);
  value_codes_.fill(kNoCode);
  run_codes_.assign(token_is_run(ids.back()) ? std::min(run_length(ids.back()) + 1, kDirectRuns) : kRunMin, kNoCode);
  run_codes_[1] = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    codes_[i] = codes_[i] << kLengthBits | stored_.lengths[i];
    if (!token_is_run(ids[i])) value_codes_[ids[i]] = codes_[i];
    else if (run_length(ids[i]) < run_codes_.size()) run_codes_[run_length(ids[i])] = codes_[i];
  }
}

void LevelCode::build_decoder() {
  const std::vector<uint32_t>& ids = stored_.ids;
  const std::vector<uint8_t>& lengths = stored_.lengths;
  uint32_t length_max = 0;
  for (const uint8_t length : lengths) {
    ++population_[length];
    length_max = std::max<uint32_t>(length_max, length);
  }
  uint32_t code = 0, rank = 0;
  for (uint32_t length = 1; length <= kCodeLengthMax; ++length) {
    code <<= 1;
    first_code_[length] = code;
    first_rank_[length] = rank;
    code += population_[length];
    rank += population_[length];
  }
  canonical_.resize(ids.size());
  std::array<uint32_t, kCodeLengthMax + 1> next = first_rank_;
  for (size_t i = 0; i < ids.size(); ++i) canonical_[next[lengths[i]]++] = ids[i];

  const uint32_t short_bits = std::min(length_max, kShortBitsMax);
  short_shift_ = 63 - short_bits;
  short_codes_.assign(size_t{1} << short_bits, kLongCode);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (lengths[i] > short_bits) continue;
    const uint32_t spread = short_bits - lengths[i];
    const auto begin = short_codes_.begin() + (static_cast<ptrdiff_t>(codes_[i] >> kLengthBits) << spread);
    std::fill(begin, begin + (ptrdiff_t{1} << spread), ids[i] << kLengthBits | lengths[i]);
  }
}

void LevelCode::build_pairs() {
  const uint32_t short_bits = 63 - short_shift_;
  const uint32_t mask = (1u << short_bits) - 1;
  pairs_.assign(short_codes_.size(), 0);
  for (uint32_t bits = 0; bits <= mask; ++bits) {
    const uint32_t first = short_codes_[bits];
    const uint32_t used = first & kLengthMask;
    if (used == kLongCode || token_is_run(first >> kLengthBits)) continue;
    const uint32_t second = short_codes_[(bits << used) & mask];
    const uint32_t both = used + (second & kLengthMask);  // kLongCode makes it too long
    if (both > short_bits) continue;
    const uint32_t value = first >> kLengthBits, id = second >> kLengthBits;
    if (!token_is_run(id)) pairs_[bits] = value | 1u << 8 | used << 24;
    else if (run_length(id) <= kPairRunMax) pairs_[bits] = value | run_length(id) << 8 | both << 24;
  }
}

uint32_t LevelCode::code_of_run(uint32_t run) const {
  if (run < run_codes_.size()) [[likely]]
    return run_codes_[run];
  const auto found = std::lower_bound(stored_.ids.begin(), stored_.ids.end(), run_token(run));
  if (found == stored_.ids.end() || *found != run_token(run)) return kNoCode;
  return codes_[static_cast<size_t>(found - stored_.ids.begin())];
}

bool LevelCode::encode_group(const uint8_t* differences, size_t begin, size_t end, BitWriter& writer) const {
  while (begin < end) {
    const size_t next = run_end(differences, begin, end);
    const uint32_t value = value_codes_[differences[begin]], run = code_of_run(static_cast<uint32_t>(next - begin));
    if (value == kNoCode || run == kNoCode) [[unlikely]]
      return false;
    const uint32_t run_bits = run & kLengthMask;
    writer.put(static_cast<uint64_t>(value >> kLengthBits) << run_bits | run >> kLengthBits,
               (value & kLengthMask) + run_bits);
    begin = next;
  }
  return true;
}

inline uint32_t LevelCode::decode_token(BitReader& reader) const {
  const uint64_t window = reader.peek();
  const uint32_t entry = short_codes_[(window >> 1) >> short_shift_];
  const uint32_t length = entry & kLengthMask;
  if (length == kLongCode) [[unlikely]]
    return decode_long(reader, window);
  reader.skip(length);
  return entry >> kLengthBits;
}

uint32_t LevelCode::decode_long(BitReader& reader, uint64_t window) const {
  uint32_t length = 64 - short_shift_, offset = 0;
  for (;; ++length) {
    offset = static_cast<uint32_t>(window >> (64 - length)) - first_code_[length];
    if (offset < population_[length]) break;  // at the latest at the longest length: the code is complete
  }
  reader.skip(length);
  return canonical_[first_rank_[length] + offset];
}

bool LevelCode::decode_group(BitReader& reader, uint32_t modulus, size_t count, uint8_t* differences) const {
  const uint8_t* const end = differences + count;
  uint32_t before = kNoValue;
  while (differences != end) {
    const uint32_t pair = pairs_[(reader.peek() >> 1) >> short_shift_];
    uint32_t value = pair & 0xFF, run = (pair >> 8) & kPairRunMax;
    // The last element of a group is never followed by its own run token: the next token belongs to another group.
    if (pair != 0 && end - differences > 1) [[likely]] {
      reader.skip(pair >> 24);
    } else {
      value = decode_token(reader);
      run = 1;
      if (end - differences > 1) {
        BitReader ahead = reader;
        const uint32_t id = decode_token(ahead);
        if (token_is_run(id)) {
          run = run_length(id);
          reader = ahead;
        }
      }
    }
    // A run token in place of a value, a value out of range, a run that was cut in two, a run past its group.
    if (value >= modulus || value == before || run > static_cast<size_t>(end - differences)) [[unlikely]]
      return false;
    fill_run(differences, static_cast<uint8_t>(value), run);
    differences += run;
    before = value;
  }
  return true;
}

}  // namespace firn
