#include <immintrin.h>

#include <bit>

#include "context/blocks/element_kernels.h"

namespace firn::avx512 {
uint32_t mask_equal(const uint8_t* bytes, size_t words, uint8_t value, uint64_t* masks) {
  const __m512i wanted = _mm512_set1_epi8(static_cast<char>(value));
  uint64_t total = 0;
  for (size_t w = 0; w < words; ++w) {
    masks[w] = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes + w * kWordElements), wanted));
    total += static_cast<uint64_t>(std::popcount(masks[w]));
  }
  return static_cast<uint32_t>(total);
}

// Compares with each key met so far, because there are usually few.
void count_keys(const uint8_t* keys, size_t count, uint32_t* counts) {
  constexpr size_t kLanes = 64;
  uint8_t met[kLanes];
  uint64_t found[kLanes] = {};
  size_t kinds = 0, i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m512i key = _mm512_loadu_si512(keys + i);
    uint64_t others = ~uint64_t{0};
    for (size_t k = 0; k < kinds; ++k) {
      const uint64_t equal = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(key, _mm512_set1_epi8(static_cast<char>(met[k]))));
      found[k] += static_cast<uint64_t>(std::popcount(equal));
      others &= ~equal;
    }
    while (others != 0) {
      met[kinds] = keys[i + static_cast<size_t>(std::countr_zero(others))];
      const uint64_t equal =
          _cvtmask64_u64(_mm512_cmpeq_epi8_mask(key, _mm512_set1_epi8(static_cast<char>(met[kinds]))));
      found[kinds++] = static_cast<uint64_t>(std::popcount(equal));
      others &= ~equal;
    }
  }
  for (size_t k = 0; k < kinds; ++k) counts[met[k]] += static_cast<uint32_t>(found[k]);
  for (; i < count; ++i) ++counts[keys[i]];
}

}  // namespace firn::avx512
