#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "context/blocks/element_kernels.h"

namespace firn::avx2 {
namespace {

// With fewer than one position in this many words, checking word after word is faster than preparing a search.
constexpr size_t kSparse = 4;

void place_one(uint64_t mask, uint32_t rank, size_t word, uint8_t value, uint8_t* symbols) {
  const uint64_t bit = _pdep_u64(uint64_t{1} << rank, mask);
  symbols[word * kWordElements + static_cast<size_t>(std::countr_zero(bit))] = value;
}

void place_walking(const uint64_t* masks, const uint32_t* positions, const uint8_t* values, size_t count,
                   uint8_t* symbols) {
  size_t w = 0;
  uint32_t before = 0, in_word = static_cast<uint32_t>(std::popcount(masks[0]));
  for (size_t i = 0; i < count; ++i) {
    for (; positions[i] - before >= in_word; in_word = static_cast<uint32_t>(std::popcount(masks[++w])))
      before += in_word;
    place_one(masks[w], positions[i] - before, w, values[i], symbols);
  }
}

// Finds each position's word by bisection between known ones: the number of words to skip could not be predicted.
void place_searching(const uint64_t* masks, size_t words, const uint32_t* positions, const uint8_t* values,
                     size_t count, uint8_t* symbols) {
  uint32_t before[2 * kWordsMax];   // set bits in the words before each one; more than any position past the last word
  uint16_t word_of[kWordsMax + 2];  // of set bits 0, 64, 128, ...
  uint32_t members = 0, known = 0, longest = 0;
  word_of[0] = 0;
  for (size_t w = 0; w < words; ++w) {
    before[w] = members;
    members += static_cast<uint32_t>(std::popcount(masks[w]));
    word_of[known] = static_cast<uint16_t>(w);
    known += members > kWordElements * known;  // at most one of them in a word
  }
  word_of[known] = static_cast<uint16_t>(words - 1);
  for (uint32_t k = 0; k < known; ++k) longest = std::max<uint32_t>(longest, word_of[k + 1] - word_of[k]);
  const auto step = static_cast<uint32_t>(std::bit_floor(longest));
  std::fill_n(before + words, std::min<size_t>(2 * step, kWordsMax), ~0u);
  for (size_t i = 0; i < count; ++i) {
    uint32_t w = word_of[positions[i] / kWordElements];
    for (uint32_t ahead = step; ahead > 0; ahead /= 2) w += before[w + ahead] <= positions[i] ? ahead : 0;
    place_one(masks[w], positions[i] - before[w], w, values[i], symbols);
  }
}

}  // namespace

void look_up(const uint8_t* keys, size_t count, const uint8_t* row, uint32_t sixteens, uint8_t* out) {
  __m256i parts[4];
  for (size_t p = 0; p < 4; ++p)
    parts[p] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 16 * p)));
  // Adding 0x70 sets the top bit of keys from 16 on, which a shuffle answers with zero.
  const __m256i past = _mm256_set1_epi8(0x70);
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i key = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + i));
    __m256i found = _mm256_shuffle_epi8(parts[0], _mm256_adds_epu8(key, past));
    for (uint32_t p = 1; p < sixteens; ++p) {
      const __m256i inside = _mm256_xor_si256(key, _mm256_set1_epi8(static_cast<char>(16 * p)));
      found = _mm256_or_si256(found, _mm256_shuffle_epi8(parts[p], _mm256_adds_epu8(inside, past)));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), found);
  }
  for (; i < count; ++i) out[i] = row[keys[i]];
}

uint8_t unite(const uint8_t* bytes, size_t count) {
  __m256i all[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    for (size_t half = 0; half < 2; ++half) {
      all[half] =
          _mm256_or_si256(all[half], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i + 32 * half)));
    }
  }
  alignas(32) uint64_t words[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(words), _mm256_or_si256(all[0], all[1]));
  uint64_t joined = words[0] | words[1] | words[2] | words[3];
  joined |= joined >> 32;
  joined |= joined >> 16;
  joined |= joined >> 8;
  for (; i < count; ++i) joined |= bytes[i];
  return static_cast<uint8_t>(joined);
}

size_t count_equal(const uint8_t* bytes, size_t count, uint8_t value) {
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(value));
  size_t total = 0, i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i equal = _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i)), wanted);
    total += static_cast<size_t>(std::popcount(static_cast<uint32_t>(_mm256_movemask_epi8(equal))));
  }
  for (; i < count; ++i) total += bytes[i] == value;
  return total;
}

uint32_t mask_equal(const uint8_t* bytes, size_t words, uint8_t value, uint64_t* masks) {
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(value));
  uint64_t total = 0;
  for (size_t w = 0; w < words; ++w) {
    const auto* const at = reinterpret_cast<const __m256i*>(bytes + w * kWordElements);
    const auto low = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at), wanted)));
    const auto high =
        static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at + 1), wanted)));
    masks[w] = uint64_t{high} << 32 | low;
    total += static_cast<uint64_t>(std::popcount(masks[w]));
  }
  return static_cast<uint32_t>(total);
}

size_t rank(const uint64_t* members, const uint64_t* chosen, size_t words, uint32_t* elements, uint32_t* ranks) {
  size_t found = 0;
  uint32_t before = 0;
  for (size_t w = 0; w < words; ++w) {
    for (uint64_t left = members[w] & chosen[w]; left != 0; left &= left - 1) {
      elements[found] = static_cast<uint32_t>(w * kWordElements + static_cast<size_t>(std::countr_zero(left)));
      ranks[found++] = before + static_cast<uint32_t>(std::popcount(members[w] & ((left & (0 - left)) - 1)));
    }
    before += static_cast<uint32_t>(std::popcount(members[w]));
  }
  return found;
}

void place(const uint64_t* masks, size_t words, const uint32_t* positions, const uint8_t* values, size_t count,
           uint8_t* symbols) {
  if (count * kSparse < words) place_walking(masks, positions, values, count, symbols);
  else place_searching(masks, words, positions, values, count, symbols);
}

}  // namespace firn::avx2
