// Tables of up to 256 words of 32 or 16 bits in registers, looked up by permutation.
#include "codebook_quant/assign/look_up.h"
#include "simd/cpu_features.h"

#if FIRN_X86
#include "codebook_quant/assign/look_up_lanes.h"

namespace firn::avx512 {
namespace {

struct Words32 {
  static constexpr uint32_t kWords = 16, kRegistersMax = 16;
  using Vector = F32;
  static Vector load(const unsigned char* from) { return load_f32(from); }
  static I32 places(const uint8_t* levels) { return widen_bytes(levels); }
  template <int kRegisters>
  static Vector find(const Vector* table, I32 places) {
    return look_up<kRegisters>(table, places);
  }
};

struct Words16 {
  static constexpr uint32_t kWords = 32, kRegistersMax = 8;
  using Vector = I32;
  static Vector load(const unsigned char* from) { return load_i32(from); }
  static I32 places(const uint8_t* levels) {
    return {_mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels)))};
  }
  template <int kRegisters>
  static Vector find(const Vector* table, I32 places) {
    if constexpr (kRegisters == 1) {
      return {_mm512_permutexvar_epi16(places.v, table[0].v)};
    } else if constexpr (kRegisters == 2) {
      return {_mm512_permutex2var_epi16(table[0].v, places.v, table[1].v)};
    } else {
      constexpr int kHalf = kRegisters / 2;
      const __mmask32 upper = _mm512_test_epi16_mask(places.v, _mm512_set1_epi16(static_cast<short>(kWords * kHalf)));
      return {_mm512_mask_mov_epi16(find<kHalf>(table, places).v, upper, find<kHalf>(table + kHalf, places).v)};
    }
  }
};

}  // namespace

uint8_t look_up32(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out) {
  return look_up_words<Words32>(levels, count, table, level_count, out, scalar::look_up32);
}

uint8_t look_up16(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out) {
  return look_up_words<Words16>(levels, count, table, level_count, out, scalar::look_up16);
}

}  // namespace firn::avx512
#endif
