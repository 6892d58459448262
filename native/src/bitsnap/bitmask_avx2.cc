// Thirty-two states at a time.
#include "bitsnap/bitmask_kernels.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn::avx2 {
namespace {

constexpr size_t kMaskedStates = 32;
constexpr size_t kMaskedBytes = kMaskedStates / 8;

__m256i equal_states(const uint8_t* current, const uint8_t* previous) {
  return _mm256_cmpeq_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(current)),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(previous)));
}

}  // namespace

size_t changed_mask(const uint8_t* current, const uint8_t* previous, size_t count, uint8_t* mask) {
  size_t i = 0, changed = 0;
  for (; i + kMaskedStates <= count; i += kMaskedStates) {
    const __m256i low = equal_states(current + 2 * i, previous + 2 * i);
    const __m256i high = equal_states(current + 2 * i + 32, previous + 2 * i + 32);
    // Packing goes by halves of a register; the permutation puts the states in order again.
    const __m256i equal = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0b11'01'10'00);
    const uint32_t bits = ~static_cast<uint32_t>(_mm256_movemask_epi8(equal));
    for (size_t byte = 0; byte < kMaskedBytes; ++byte) mask[i / 8 + byte] = static_cast<uint8_t>(bits >> (8 * byte));
    changed += static_cast<size_t>(_mm_popcnt_u32(bits));
  }
  return changed + (i < count ? scalar::changed_mask(current + 2 * i, previous + 2 * i, count - i, mask + i / 8) : 0);
}

}  // namespace firn::avx2
#endif
