// Tables of up to 64 binary32 values in registers, looked up by permutation. No inline functions of other headers are called here: the
// linker could keep this file's copy for everybody.
#include "codebook_quant/assign/look_up.h"
#include "simd/cpu_features.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

template <int kRegisters>
__m256 look_up(const __m256* table, __m256i index) {
  if constexpr (kRegisters == 1) {
    return _mm256_permutevar8x32_ps(table[0], index);
  } else {
    constexpr int kHalf = kRegisters / 2;
    constexpr int kBit = kRegisters == 2 ? 3 : kRegisters == 4 ? 4 : 5;  // of the index; picks the upper half
    const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(index, 31 - kBit));
    return _mm256_blendv_ps(look_up<kHalf>(table, index), look_up<kHalf>(table + kHalf, index), upper);
  }
}

// Looks up whole groups of 32 levels; `largest` is raised to the largest of them. Returns how many levels were done.
template <int kRegisters>
size_t look_up_groups(const uint8_t* levels, size_t count, const unsigned char* entries, unsigned char* out, uint8_t& largest) {
  constexpr size_t kGroup = 32, kLanes = 8;
  __m256 table[kRegisters];
  for (size_t r = 0; r < kRegisters; ++r) table[r] = _mm256_loadu_ps(reinterpret_cast<const float*>(entries + 32 * r));
  __m256i seen = _mm256_setzero_si256();
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    seen = _mm256_max_epu8(seen, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels + i)));
#pragma GCC unroll 4
    for (size_t k = 0; k < kGroup; k += kLanes) {
      const __m256i index = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(levels + i + k)));
      _mm256_storeu_ps(reinterpret_cast<float*>(out + 4 * (i + k)), look_up<kRegisters>(table, index));
    }
  }
  alignas(32) uint8_t bytes[32];
  _mm256_store_si256(reinterpret_cast<__m256i*>(bytes), seen);
  for (const uint8_t level : bytes) largest = level > largest ? level : largest;
  return i;
}

}  // namespace

uint8_t look_up32_avx2(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out) {
  const unsigned char* entries = static_cast<const unsigned char*>(table);
  unsigned char* to = static_cast<unsigned char*>(out);
  uint8_t largest = 0;
  size_t done = 0;
  if (level_count <= 8) done = look_up_groups<1>(levels, count, entries, to, largest);
  else if (level_count <= 16) done = look_up_groups<2>(levels, count, entries, to, largest);
  else if (level_count <= 32) done = look_up_groups<4>(levels, count, entries, to, largest);
  else if (level_count <= 64) done = look_up_groups<8>(levels, count, entries, to, largest);
  const uint8_t rest = look_up32_scalar(levels + done, count - done, table, level_count, to + 4 * done);
  return rest > largest ? rest : largest;
}

}  // namespace firn
#endif
