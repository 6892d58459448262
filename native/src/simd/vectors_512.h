// simd/vectors.h for AVX-512: sixteen lanes, masks of one bit a lane.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "simd/isa_namespace.h"

namespace firn::FIRN_ISA {
namespace {

constexpr size_t kLanes = 16;
constexpr size_t kByteLanes = 4 * kLanes;

struct Mask {
  __mmask16 v;
};
struct ByteMask {
  __mmask64 v;
};
struct Bytes {
  __m512i v;
};
struct I32 {
  __m512i v;
  static I32 all(int32_t value) { return {_mm512_set1_epi32(value)}; }
  static I32 zero() { return {_mm512_setzero_si512()}; }
  static I32 iota() { return {_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)}; }
};
struct F32 {
  __m512 v;
  static F32 all(float value) { return {_mm512_set1_ps(value)}; }
};

// From and to memory at any alignment.
inline F32 load_f32(const void* from) { return {_mm512_loadu_ps(from)}; }
inline void store(void* to, F32 a) { _mm512_storeu_ps(to, a.v); }
inline I32 load_i32(const void* from) { return {_mm512_loadu_si512(from)}; }
inline void store(void* to, I32 a) { _mm512_storeu_si512(to, a.v); }
inline Bytes load_bytes(const void* from) { return {_mm512_loadu_si512(from)}; }
inline void store(void* to, Bytes a) { _mm512_storeu_si512(to, a.v); }

// kLanes bytes, 0 to 255 each.
inline I32 widen_bytes(const uint8_t* from) {
  return {_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
}
inline void store_as_bytes(uint8_t* to, I32 a) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(a.v));
}

// Masks.
inline Mask operator&(Mask a, Mask b) { return {_kand_mask16(a.v, b.v)}; }
inline Mask operator|(Mask a, Mask b) { return {_kor_mask16(a.v, b.v)}; }
inline Mask operator^(Mask a, Mask b) { return {_kxor_mask16(a.v, b.v)}; }
inline Mask and_not(Mask a, Mask b) { return {_kandn_mask16(b.v, a.v)}; }
inline uint32_t bits(Mask a) { return _cvtmask16_u32(a.v); }
inline bool any(Mask a) { return a.v != 0; }

// Whole numbers; sums and products modulo 2^32.
inline I32 operator+(I32 a, I32 b) { return {_mm512_add_epi32(a.v, b.v)}; }
inline I32 operator-(I32 a, I32 b) { return {_mm512_sub_epi32(a.v, b.v)}; }
inline I32 operator*(I32 a, I32 b) { return {_mm512_mullo_epi32(a.v, b.v)}; }
inline I32 operator|(I32 a, I32 b) { return {_mm512_or_si512(a.v, b.v)}; }
inline I32 operator<<(I32 a, __m128i places) { return {_mm512_sll_epi32(a.v, places)}; }
template <int kPlaces>
inline I32 shift_left(I32 a) {
  return {_mm512_slli_epi32(a.v, kPlaces)};
}
template <int kPlaces>
inline I32 shift_right(I32 a) {
  return {_mm512_srli_epi32(a.v, kPlaces)};
}  // of an unsigned number
inline I32 smaller(I32 a, I32 b) { return {_mm512_min_epi32(a.v, b.v)}; }
inline I32 larger(I32 a, I32 b) { return {_mm512_max_epi32(a.v, b.v)}; }
inline I32 larger_unsigned(I32 a, I32 b) { return {_mm512_max_epu32(a.v, b.v)}; }
inline I32 magnitude(I32 a) { return {_mm512_abs_epi32(a.v)}; }
inline Mask negative(I32 a) { return {_mm512_movepi32_mask(a.v)}; }
inline Mask odd(I32 a) { return {_mm512_test_epi32_mask(a.v, _mm512_set1_epi32(1))}; }
inline Mask equal(I32 a, I32 b) { return {_mm512_cmpeq_epi32_mask(a.v, b.v)}; }
inline Mask greater(I32 a, I32 b) { return {_mm512_cmpgt_epi32_mask(a.v, b.v)}; }
inline Mask at_least(I32 a, I32 b) { return {_mm512_cmpge_epi32_mask(a.v, b.v)}; }
inline Mask at_least_unsigned(I32 a, I32 b) { return {_mm512_cmpge_epu32_mask(a.v, b.v)}; }
// Whether an unsigned number is above `limit`.
inline bool any_above(I32 a, int32_t limit) { return _mm512_cmpgt_epu32_mask(a.v, _mm512_set1_epi32(limit)) != 0; }

// Whole numbers under masks.
inline I32 keep(Mask where, I32 a) { return {_mm512_maskz_mov_epi32(where.v, a.v)}; }  // 0 elsewhere
inline I32 increment(Mask where, I32 a) { return {_mm512_mask_add_epi32(a.v, where.v, a.v, _mm512_set1_epi32(1))}; }
inline I32 decrement(Mask where, I32 a) { return {_mm512_mask_sub_epi32(a.v, where.v, a.v, _mm512_set1_epi32(1))}; }
inline I32 add_where(Mask where, I32 a, I32 b) { return {_mm512_mask_add_epi32(a.v, where.v, a.v, b.v)}; }
inline I32 negate(Mask where, I32 a) { return {_mm512_mask_sub_epi32(a.v, where.v, _mm512_setzero_si512(), a.v)}; }
// a - b in the lanes of `minus`, a + b in the others.
inline I32 add_signed(Mask minus, I32 a, I32 b) {
  return {_mm512_mask_sub_epi32(_mm512_add_epi32(a.v, b.v), minus.v, a.v, b.v)};
}
inline I32 subtract_signed(Mask minus, I32 a, I32 b) {
  return {_mm512_mask_add_epi32(_mm512_sub_epi32(a.v, b.v), minus.v, a.v, b.v)};
}

inline I32 gather(const int32_t* table, I32 places) { return {_mm512_i32gather_epi32(places.v, table, 4)}; }

// Writes the lanes of `where`, in order. Returns their number.
inline size_t store_where(uint32_t* to, Mask where, I32 a) {
  if (where.v == 0) return 0;
  const unsigned count = _mm_popcnt_u32(_cvtmask16_u32(where.v));
  _mm512_mask_storeu_epi32(to, _cvtu32_mask16((1u << count) - 1), _mm512_maskz_compress_epi32(where.v, a.v));
  return count;
}

// Binary32.
inline F32 operator*(F32 a, F32 b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline F32 operator/(F32 a, F32 b) { return {_mm512_div_ps(a.v, b.v)}; }
inline F32 magnitude(F32 a) { return {_mm512_abs_ps(a.v)}; }
inline F32 smaller(F32 a, F32 b) { return {_mm512_min_ps(a.v, b.v)}; }
inline F32 larger(F32 a, F32 b) { return {_mm512_max_ps(a.v, b.v)}; }  // b where one is no number
inline Mask at_least(F32 a, F32 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ)}; }
inline Mask below(F32 a, F32 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
inline F32 choose(Mask where, F32 yes, F32 no) { return {_mm512_mask_mov_ps(no.v, where.v, yes.v)}; }
inline F32 as_f32(I32 a) { return {_mm512_castsi512_ps(a.v)}; }
inline F32 to_f32(I32 a) { return {_mm512_cvtepi32_ps(a.v)}; }
inline I32 to_nearest(F32 a) { return {_mm512_cvtps_epi32(a.v)}; }  // -2^31 where that is out of range or no number
inline I32 truncated(F32 a) { return {_mm512_cvttps_epi32(a.v)}; }

// A table of kRegisters * kLanes numbers; only the low bits of `places` count.
template <int kRegisters>
inline F32 look_up(const F32* table, I32 places) {
  if constexpr (kRegisters == 1) {
    return {_mm512_permutexvar_ps(places.v, table[0].v)};
  } else if constexpr (kRegisters == 2) {
    return {_mm512_permutex2var_ps(table[0].v, places.v, table[1].v)};
  } else {
    constexpr int kHalf = kRegisters / 2;
    const __mmask16 upper = _mm512_test_epi32_mask(places.v, _mm512_set1_epi32(16 * kHalf));
    return {_mm512_mask_mov_ps(look_up<kHalf>(table, places).v, upper, look_up<kHalf>(table + kHalf, places).v)};
  }
}
// The first `count` numbers, 0 in the other lanes.
inline F32 load_first(const float* from, size_t count) {
  return {_mm512_maskz_loadu_ps(static_cast<__mmask16>(count >= kLanes ? 0xFFFF : (1u << count) - 1), from)};
}
inline F32 broadcast_first(F32 a) { return {_mm512_broadcastss_ps(_mm512_castps512_ps128(a.v))}; }

// 64-bit totals of 32-bit lanes.
inline int64_t total(I32 a) {
  const __m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(a.v));
  const __m512i high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(a.v, 1));
  return _mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
}

// 64-bit sums of the products of 32-bit lanes, modulo 2^64.
struct ProductSum {
  __m512i even = _mm512_setzero_si512(), odd = _mm512_setzero_si512();
  void add(I32 a, I32 b) {
    even = _mm512_add_epi64(even, _mm512_mul_epi32(a.v, b.v));
    odd = _mm512_add_epi64(odd, _mm512_mul_epi32(_mm512_srli_epi64(a.v, 32), _mm512_srli_epi64(b.v, 32)));
  }
  int64_t total() const {
    alignas(64) uint64_t lanes[8];
    _mm512_store_si512(lanes, _mm512_add_epi64(even, odd));
    uint64_t sum = 0;
    for (const uint64_t lane : lanes) sum += lane;
    return static_cast<int64_t>(sum);
  }
};

// How many lanes were meant.
struct MaskCount {
  int64_t count = 0;
  void add(Mask where) { count += _mm_popcnt_u32(_cvtmask16_u32(where.v)); }
  int64_t value() const { return count; }
};

// Bytes; sums modulo 2^8.
inline Bytes all_bytes(uint8_t value) { return {_mm512_set1_epi8(static_cast<char>(value))}; }
inline Bytes operator&(Bytes a, Bytes b) { return {_mm512_and_si512(a.v, b.v)}; }
inline Bytes operator|(Bytes a, Bytes b) { return {_mm512_or_si512(a.v, b.v)}; }
inline Bytes operator+(Bytes a, Bytes b) { return {_mm512_add_epi8(a.v, b.v)}; }
inline Bytes and_not(Bytes a, Bytes b) { return {_mm512_andnot_si512(b.v, a.v)}; }
inline Bytes minus_saturated(Bytes a, Bytes b) { return {_mm512_subs_epu8(a.v, b.v)}; }
inline Bytes smaller(Bytes a, Bytes b) { return {_mm512_min_epu8(a.v, b.v)}; }
inline Bytes larger(Bytes a, Bytes b) { return {_mm512_max_epu8(a.v, b.v)}; }
inline Bytes high_halves(Bytes a) { return {_mm512_and_si512(_mm512_srli_epi16(a.v, 4), _mm512_set1_epi8(15))}; }
inline ByteMask equal(Bytes a, Bytes b) { return {_mm512_cmpeq_epi8_mask(a.v, b.v)}; }
inline ByteMask odd(Bytes a) { return {_mm512_test_epi8_mask(a.v, _mm512_set1_epi8(1))}; }
inline bool any_above(Bytes a, uint8_t limit) {
  return _mm512_cmpgt_epu8_mask(a.v, _mm512_set1_epi8(static_cast<char>(limit))) != 0;
}
inline uint8_t largest(Bytes a) {
  alignas(64) uint8_t bytes[kByteLanes];
  store(bytes, a);
  uint8_t most = 0;
  for (const uint8_t byte : bytes) most = byte > most ? byte : most;
  return most;
}
// A table of 16 bytes, and its look-up for places below 16.
inline Bytes byte_table(const uint8_t (&table)[16]) {
  return {_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)))};
}
inline Bytes look_up(Bytes table, Bytes places) { return {_mm512_shuffle_epi8(table.v, places.v)}; }

inline uint64_t bits(ByteMask a) { return _cvtmask64_u64(a.v); }
inline ByteMask operator^(ByteMask a, ByteMask b) { return {_kxor_mask64(a.v, b.v)}; }
inline Bytes choose(ByteMask where, Bytes yes, Bytes no) { return {_mm512_mask_mov_epi8(no.v, where.v, yes.v)}; }
inline Bytes clear(ByteMask where, Bytes a) { return {_mm512_maskz_mov_epi8(_knot_mask64(where.v), a.v)}; }

// Four times kLanes masks, in order.
inline ByteMask joined(const Mask (&parts)[4]) {
  return {_mm512_kunpackd(_mm512_kunpackw(parts[3].v, parts[2].v), _mm512_kunpackw(parts[1].v, parts[0].v))};
}
// For each byte, how many of the two masks mean it.
inline Bytes count_of(const Mask (&a)[4], const Mask (&b)[4]) {
  const __m512i one = _mm512_set1_epi8(1), first = _mm512_maskz_mov_epi8(joined(a).v, one);
  return {_mm512_mask_add_epi8(first, joined(b).v, first, one)};
}
// Four times kLanes numbers of 0..255.
inline void store_as_bytes(uint8_t* to, const I32 (&parts)[4]) {
  for (size_t part = 0; part < 4; ++part) store_as_bytes(to + part * kLanes, parts[part]);
}

// Binary64.
struct F64 {
  __m512d low, high;
};
inline F64 to_f64(I32 a) {
  return {_mm512_cvtepi32_pd(_mm512_castsi512_si256(a.v)), _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(a.v, 1))};
}
inline F64 to_f64(F32 a) {
  const __m512d halves = _mm512_castps_pd(a.v);
  return {_mm512_cvtps_pd(_mm512_castps512_ps256(a.v)),
          _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(halves, 1)))};
}
inline F64 operator*(F64 a, F64 b) { return {_mm512_mul_pd(a.low, b.low), _mm512_mul_pd(a.high, b.high)}; }
inline F64 negate(Mask where, F64 a) {
  const __m512d zero = _mm512_setzero_pd();
  return {_mm512_mask_sub_pd(a.low, static_cast<__mmask8>(where.v), zero, a.low),
          _mm512_mask_sub_pd(a.high, static_cast<__mmask8>(where.v >> 8), zero, a.high)};
}

// Sums of binary64 numbers kept in memory, `kSums` of them. They stay in registers from load() to store().
template <size_t kSums>
class SumsInMemory {
 public:
  explicit SumsInMemory(double* sums) : sums_(sums) {
    static_assert(kSums == kLanes);
    load();
  }
  void load() { low_ = _mm512_loadu_pd(sums_), high_ = _mm512_loadu_pd(sums_ + 8); }
  void store() const {
    _mm512_storeu_pd(sums_, low_);
    _mm512_storeu_pd(sums_ + 8, high_);
  }
  // `lane`: a multiple of kLanes below kSums; where in memory the first number of `a` belongs.
  void add(size_t, F64 a) {
    low_ = _mm512_add_pd(low_, a.low);
    high_ = _mm512_add_pd(high_, a.high);
  }
  void add(size_t, Mask where, F64 a) {
    low_ = _mm512_mask_add_pd(low_, static_cast<__mmask8>(where.v), low_, a.low);
    high_ = _mm512_mask_add_pd(high_, static_cast<__mmask8>(where.v >> 8), high_, a.high);
  }

 private:
  double* sums_;
  __m512d low_, high_;
};

}  // namespace
}  // namespace firn::FIRN_ISA
