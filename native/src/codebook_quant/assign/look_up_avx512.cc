// Tables in registers, looked up by permutation. No inline functions of other headers are called here: the linker could keep this
// file's copy for everybody.
#include "codebook_quant/assign/look_up.h"
#include "simd/cpu_features.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

// Sixteen 32-bit words.
struct Words32 {
  static constexpr int kLanes = 16;
  static __m512i indexes(const uint8_t* levels) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(levels)));
  }
  static __m512i permute(__m512i index, __m512i a) { return _mm512_permutexvar_epi32(index, a); }
  static __m512i permute(__m512i index, __m512i a, __m512i b) { return _mm512_permutex2var_epi32(a, index, b); }
  static __m512i choose(__m512i index, int bit, __m512i low, __m512i high) {
    return _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(index, _mm512_set1_epi32(bit)), high);
  }
};

// Thirty-two 16-bit words.
struct Words16 {
  static constexpr int kLanes = 32;
  static __m512i indexes(const uint8_t* levels) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels)));
  }
  static __m512i permute(__m512i index, __m512i a) { return _mm512_permutexvar_epi16(index, a); }
  static __m512i permute(__m512i index, __m512i a, __m512i b) { return _mm512_permutex2var_epi16(a, index, b); }
  static __m512i choose(__m512i index, int bit, __m512i low, __m512i high) {
    return _mm512_mask_mov_epi16(low, _mm512_test_epi16_mask(index, _mm512_set1_epi16(static_cast<short>(bit))), high);
  }
};

template <typename Words, int kRegisters>
__m512i look_up(const __m512i* table, __m512i index) {
  if constexpr (kRegisters == 1) {
    return Words::permute(index, table[0]);
  } else if constexpr (kRegisters == 2) {
    return Words::permute(index, table[0], table[1]);
  } else {
    constexpr int kHalf = kRegisters / 2;
    return Words::choose(index, Words::kLanes * kHalf, look_up<Words, kHalf>(table, index), look_up<Words, kHalf>(table + kHalf, index));
  }
}

// Looks up whole groups of 64 levels; `largest` is raised to the largest of them. Returns how many levels were done.
template <typename Words, int kRegisters>
size_t look_up_groups(const uint8_t* levels, size_t count, const unsigned char* entries, unsigned char* out, uint8_t& largest) {
  constexpr size_t kGroup = 64, kWordBytes = 64 / Words::kLanes;
  __m512i table[kRegisters];
  for (size_t r = 0; r < kRegisters; ++r) table[r] = _mm512_loadu_si512(entries + 64 * r);
  __m512i seen = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    seen = _mm512_max_epu8(seen, _mm512_loadu_si512(levels + i));
#pragma GCC unroll 4
    for (size_t k = 0; k < kGroup; k += Words::kLanes) {
      const __m512i words = look_up<Words, kRegisters>(table, Words::indexes(levels + i + k));
      _mm512_storeu_si512(out + (i + k) * kWordBytes, words);
    }
  }
  alignas(64) uint8_t bytes[64];
  _mm512_store_si512(bytes, seen);
  for (const uint8_t level : bytes) largest = level > largest ? level : largest;
  return i;
}

template <typename Words>
size_t look_up_any(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out, uint8_t& largest) {
  constexpr uint32_t kLanes = Words::kLanes;
  const unsigned char* entries = static_cast<const unsigned char*>(table);
  unsigned char* to = static_cast<unsigned char*>(out);
  if (level_count <= kLanes) return look_up_groups<Words, 1>(levels, count, entries, to, largest);
  if (level_count <= 2 * kLanes) return look_up_groups<Words, 2>(levels, count, entries, to, largest);
  if (level_count <= 4 * kLanes) return look_up_groups<Words, 4>(levels, count, entries, to, largest);
  if (level_count <= 8 * kLanes) return look_up_groups<Words, 8>(levels, count, entries, to, largest);
  if constexpr (kLanes == 16) return look_up_groups<Words, 16>(levels, count, entries, to, largest);
  return 0;
}

}  // namespace

uint8_t look_up32_avx512(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out) {
  uint8_t largest = 0;
  const size_t done = look_up_any<Words32>(levels, count, table, level_count, out, largest);
  const uint8_t rest = look_up32_scalar(levels + done, count - done, table, level_count, static_cast<unsigned char*>(out) + 4 * done);
  return rest > largest ? rest : largest;
}

uint8_t look_up16_avx512(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out) {
  uint8_t largest = 0;
  const size_t done = look_up_any<Words16>(levels, count, table, level_count, out, largest);
  const uint8_t rest = look_up16_scalar(levels + done, count - done, table, level_count, static_cast<unsigned char*>(out) + 2 * done);
  return rest > largest ? rest : largest;
}

}  // namespace firn
#endif
