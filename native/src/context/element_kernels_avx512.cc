#include <immintrin.h>

#include <bit>

#include "context/element_kernels.h"

namespace firn {
uint32_t mask_equal_avx512(const uint8_t* bytes, size_t words, uint8_t value, uint64_t* masks) {
  const __m512i wanted = _mm512_set1_epi8(static_cast<char>(value));
  uint64_t total = 0;
  for (size_t w = 0; w < words; ++w) {
    masks[w] = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes + w * kWordElements), wanted));
    total += static_cast<uint64_t>(std::popcount(masks[w]));
  }
  return static_cast<uint32_t>(total);
}

}  // namespace firn
