#include "entropy/level_code.h"

#include <algorithm>

#include "entropy/huffman.h"
#include "entropy/tokens.h"

namespace firn {

static_assert(kCodeLengthMax < LevelCode::kLengthMask && kCodeLengthMax + LevelCode::kLengthBits < 32);

LevelCode::LevelCode(LevelCodeLengths stored) : stored_(std::move(stored)), codes_(huffman_codes(stored_.lengths)) {
  const std::vector<uint32_t>& ids = stored_.ids;
  const std::vector<uint8_t>& lengths = stored_.lengths;

  for (size_t i = 0; i < ids.size(); ++i) codes_[i] = codes_[i] << kLengthBits | lengths[i];
  direct_.assign(std::min(ids.back() + 1, kDirectIds), kNoCode);
  for (size_t i = 0; i < ids.size() && ids[i] < kDirectIds; ++i) direct_[ids[i]] = codes_[i];

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

uint32_t LevelCode::encode_rare(uint32_t id) const {
  const auto found = std::lower_bound(stored_.ids.begin(), stored_.ids.end(), id);
  return found == stored_.ids.end() || *found != id ? kNoCode : codes_[static_cast<size_t>(found - stored_.ids.begin())];
}

uint32_t LevelCode::decode_long(BitReader& reader, uint64_t window) const {
  for (uint32_t length = 64 - short_shift_;; ++length) {
    const uint32_t offset = static_cast<uint32_t>(window >> (64 - length)) - first_code_[length];
    if (offset < population_[length] || length == kCodeLengthMax) {
      reader.skip(length);
      return canonical_[first_rank_[length] + (offset < population_[length] ? offset : 0)];
    }
  }
}

}  // namespace firn
