// simd/vectors.h for AVX2: eight lanes; masks have all bits set in the selected lanes.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "simd/isa_namespace.h"

namespace firn::FIRN_ISA {
namespace {

constexpr size_t kLanes = 8;
constexpr size_t kByteLanes = 4 * kLanes;

struct Mask {
  __m256i v;
};
struct ByteMask {
  __m256i v;
};
struct Bytes {
  __m256i v;
};
struct I32 {
  __m256i v;
  static I32 all(int32_t value) { return {_mm256_set1_epi32(value)}; }
  static I32 zero() { return {_mm256_setzero_si256()}; }
  static I32 iota() { return {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)}; }
};
struct F32 {
  __m256 v;
  static F32 all(float value) { return {_mm256_set1_ps(value)}; }
};

// From and to memory at any alignment.
inline F32 load_f32(const void* from) { return {_mm256_loadu_ps(static_cast<const float*>(from))}; }
inline void store(void* to, F32 a) { _mm256_storeu_ps(static_cast<float*>(to), a.v); }
inline I32 load_i32(const void* from) { return {_mm256_loadu_si256(static_cast<const __m256i*>(from))}; }
inline void store(void* to, I32 a) { _mm256_storeu_si256(static_cast<__m256i*>(to), a.v); }
inline Bytes load_bytes(const void* from) { return {_mm256_loadu_si256(static_cast<const __m256i*>(from))}; }
inline void store(void* to, Bytes a) { _mm256_storeu_si256(static_cast<__m256i*>(to), a.v); }

// kLanes bytes, 0 to 255 each.
inline I32 widen_bytes(const uint8_t* from) {
  return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)))};
}
inline void store_as_bytes(uint8_t* to, I32 a) {
  const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
}

// Masks.
inline Mask operator&(Mask a, Mask b) { return {_mm256_and_si256(a.v, b.v)}; }
inline Mask operator|(Mask a, Mask b) { return {_mm256_or_si256(a.v, b.v)}; }
inline Mask operator^(Mask a, Mask b) { return {_mm256_xor_si256(a.v, b.v)}; }
inline Mask and_not(Mask a, Mask b) { return {_mm256_andnot_si256(b.v, a.v)}; }
inline uint32_t bits(Mask a) { return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(a.v))); }
inline bool any(Mask a) { return !_mm256_testz_si256(a.v, a.v); }

// Whole numbers; sums and products modulo 2^32.
inline I32 operator+(I32 a, I32 b) { return {_mm256_add_epi32(a.v, b.v)}; }
inline I32 operator-(I32 a, I32 b) { return {_mm256_sub_epi32(a.v, b.v)}; }
inline I32 operator*(I32 a, I32 b) { return {_mm256_mullo_epi32(a.v, b.v)}; }
inline I32 operator|(I32 a, I32 b) { return {_mm256_or_si256(a.v, b.v)}; }
inline I32 operator<<(I32 a, __m128i places) { return {_mm256_sll_epi32(a.v, places)}; }
template <int kPlaces>
inline I32 shift_left(I32 a) {
  return {_mm256_slli_epi32(a.v, kPlaces)};
}
template <int kPlaces>
inline I32 shift_right(I32 a) {
  return {_mm256_srli_epi32(a.v, kPlaces)};
}  // of an unsigned number
inline I32 smaller(I32 a, I32 b) { return {_mm256_min_epi32(a.v, b.v)}; }
inline I32 larger(I32 a, I32 b) { return {_mm256_max_epi32(a.v, b.v)}; }
inline I32 larger_unsigned(I32 a, I32 b) { return {_mm256_max_epu32(a.v, b.v)}; }
inline I32 magnitude(I32 a) { return {_mm256_abs_epi32(a.v)}; }
inline Mask negative(I32 a) { return {_mm256_srai_epi32(a.v, 31)}; }
inline Mask odd(I32 a) { return {_mm256_srai_epi32(_mm256_slli_epi32(a.v, 31), 31)}; }
inline Mask equal(I32 a, I32 b) { return {_mm256_cmpeq_epi32(a.v, b.v)}; }
inline Mask greater(I32 a, I32 b) { return {_mm256_cmpgt_epi32(a.v, b.v)}; }
inline Mask at_least(I32 a, I32 b) { return {_mm256_cmpgt_epi32(a.v, _mm256_add_epi32(b.v, _mm256_set1_epi32(-1)))}; }
inline Mask at_least_unsigned(I32 a, I32 b) { return {_mm256_cmpeq_epi32(_mm256_max_epu32(a.v, b.v), a.v)}; }
// Whether an unsigned number is above `limit`.
inline bool any_above(I32 a, int32_t limit) {
  const __m256i most = _mm256_set1_epi32(limit);
  return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(a.v, most), most)) != -1;
}

// Whole numbers under masks.
inline I32 keep(Mask where, I32 a) { return {_mm256_and_si256(where.v, a.v)}; }  // 0 elsewhere
inline I32 increment(Mask where, I32 a) { return {_mm256_sub_epi32(a.v, where.v)}; }
inline I32 decrement(Mask where, I32 a) { return {_mm256_add_epi32(a.v, where.v)}; }
inline I32 add_where(Mask where, I32 a, I32 b) { return a + keep(where, b); }
inline I32 negate(Mask where, I32 a) { return {_mm256_sub_epi32(_mm256_xor_si256(a.v, where.v), where.v)}; }
inline I32 add_signed(Mask minus, I32 a, I32 b) {
  return a + negate(minus, b);
}  // a - b where `minus`, a + b elsewhere
inline I32 subtract_signed(Mask minus, I32 a, I32 b) { return a - negate(minus, b); }

inline I32 gather(const int32_t* table, I32 places) { return {_mm256_i32gather_epi32(table, places.v, 4)}; }

// Writes the lanes of `where`, in order. Returns their number.
inline size_t store_where(uint32_t* to, Mask where, I32 a) {
  uint32_t left = bits(where);
  if (left == 0) return 0;
  alignas(32) uint32_t all[kLanes];
  store(all, a);
  size_t count = 0;
  for (; left != 0; left &= left - 1) to[count++] = all[__builtin_ctz(left)];
  return count;
}

// Binary32.
inline F32 operator*(F32 a, F32 b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline F32 operator/(F32 a, F32 b) { return {_mm256_div_ps(a.v, b.v)}; }
inline F32 magnitude(F32 a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
inline F32 smaller(F32 a, F32 b) { return {_mm256_min_ps(a.v, b.v)}; }
inline F32 larger(F32 a, F32 b) { return {_mm256_max_ps(a.v, b.v)}; }  // b where one is no number
inline Mask at_least(F32 a, F32 b) { return {_mm256_castps_si256(_mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ))}; }
inline Mask below(F32 a, F32 b) { return {_mm256_castps_si256(_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ))}; }
inline F32 choose(Mask where, F32 yes, F32 no) { return {_mm256_blendv_ps(no.v, yes.v, _mm256_castsi256_ps(where.v))}; }
inline F32 as_f32(I32 a) { return {_mm256_castsi256_ps(a.v)}; }
inline F32 to_f32(I32 a) { return {_mm256_cvtepi32_ps(a.v)}; }
inline I32 to_nearest(F32 a) { return {_mm256_cvtps_epi32(a.v)}; }  // -2^31 where that is out of range or no number
inline I32 truncated(F32 a) { return {_mm256_cvttps_epi32(a.v)}; }

// A table of kRegisters * kLanes numbers; only the low bits of `places` count.
template <int kRegisters>
inline F32 look_up(const F32* table, I32 places) {
  if constexpr (kRegisters == 1) {
    return {_mm256_permutevar8x32_ps(table[0].v, places.v)};
  } else {
    static_assert(kRegisters <= 8);
    constexpr int kHalf = kRegisters / 2;
    constexpr int kBit = kRegisters == 2 ? 3 : kRegisters == 4 ? 4 : 5;  // of the place; picks the upper half
    const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(places.v, 31 - kBit));
    return {_mm256_blendv_ps(look_up<kHalf>(table, places).v, look_up<kHalf>(table + kHalf, places).v, upper)};
  }
}
// The first `count` numbers, 0 in the other lanes.
inline F32 load_first(const float* from, size_t count) {
  const __m256i used =
      _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count < kLanes ? count : kLanes)), I32::iota().v);
  return {_mm256_maskload_ps(from, used)};
}
inline F32 broadcast_first(F32 a) { return {_mm256_broadcastss_ps(_mm256_castps256_ps128(a.v))}; }

// 64-bit totals of 32-bit lanes.
inline int64_t total_of_quads(__m256i lanes) {
  alignas(32) uint64_t parts[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), lanes);
  return static_cast<int64_t>(parts[0] + parts[1] + parts[2] + parts[3]);
}
inline int64_t total(I32 a) {
  const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(a.v));
  return total_of_quads(_mm256_add_epi64(low, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(a.v, 1))));
}

// 64-bit sums of the products of 32-bit lanes, modulo 2^64.
struct ProductSum {
  __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
  void add(I32 a, I32 b) {
    even = _mm256_add_epi64(even, _mm256_mul_epi32(a.v, b.v));
    odd = _mm256_add_epi64(odd, _mm256_mul_epi32(_mm256_srli_epi64(a.v, 32), _mm256_srli_epi64(b.v, 32)));
  }
  int64_t total() const { return total_of_quads(_mm256_add_epi64(even, odd)); }
};

// How many lanes were meant, in fewer than 2^31 masks.
struct MaskCount {
  I32 counts = I32::zero();
  void add(Mask where) { counts = increment(where, counts); }
  int64_t value() const { return total(counts); }
};

// Bytes; sums modulo 2^8.
inline Bytes all_bytes(uint8_t value) { return {_mm256_set1_epi8(static_cast<char>(value))}; }
inline Bytes operator&(Bytes a, Bytes b) { return {_mm256_and_si256(a.v, b.v)}; }
inline Bytes operator|(Bytes a, Bytes b) { return {_mm256_or_si256(a.v, b.v)}; }
inline Bytes operator+(Bytes a, Bytes b) { return {_mm256_add_epi8(a.v, b.v)}; }
inline Bytes and_not(Bytes a, Bytes b) { return {_mm256_andnot_si256(b.v, a.v)}; }
inline Bytes minus_saturated(Bytes a, Bytes b) { return {_mm256_subs_epu8(a.v, b.v)}; }
inline Bytes smaller(Bytes a, Bytes b) { return {_mm256_min_epu8(a.v, b.v)}; }
inline Bytes larger(Bytes a, Bytes b) { return {_mm256_max_epu8(a.v, b.v)}; }
inline Bytes high_halves(Bytes a) { return {_mm256_and_si256(_mm256_srli_epi16(a.v, 4), _mm256_set1_epi8(15))}; }
inline ByteMask equal(Bytes a, Bytes b) { return {_mm256_cmpeq_epi8(a.v, b.v)}; }
inline ByteMask odd(Bytes a) {
  return {_mm256_cmpeq_epi8(_mm256_and_si256(a.v, _mm256_set1_epi8(1)), _mm256_set1_epi8(1))};
}
inline bool any_above(Bytes a, uint8_t limit) {
  const __m256i most = _mm256_set1_epi8(static_cast<char>(limit));
  return _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a.v, most), most)) != -1;
}
inline uint8_t largest(Bytes a) {
  alignas(32) uint8_t bytes[kByteLanes];
  store(bytes, a);
  uint8_t most = 0;
  for (const uint8_t byte : bytes) most = byte > most ? byte : most;
  return most;
}
// A table of 16 bytes, and its look-up for places below 16.
inline Bytes byte_table(const uint8_t (&table)[16]) {
  return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)))};
}
inline Bytes look_up(Bytes table, Bytes places) { return {_mm256_shuffle_epi8(table.v, places.v)}; }

inline uint64_t bits(ByteMask a) { return static_cast<uint32_t>(_mm256_movemask_epi8(a.v)); }
inline ByteMask operator^(ByteMask a, ByteMask b) { return {_mm256_xor_si256(a.v, b.v)}; }
inline Bytes choose(ByteMask where, Bytes yes, Bytes no) { return {_mm256_blendv_epi8(no.v, yes.v, where.v)}; }
inline Bytes clear(ByteMask where, Bytes a) { return {_mm256_andnot_si256(where.v, a.v)}; }

// Four times kLanes numbers of -128..127 as bytes, in order.
inline __m256i packed_bytes(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i shuffled = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
  return _mm256_permutevar8x32_epi32(shuffled, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
inline ByteMask joined(const Mask (&parts)[4]) {
  return {packed_bytes(parts[0].v, parts[1].v, parts[2].v, parts[3].v)};
}
// For each byte, how many of the two masks mean it.
inline Bytes count_of(const Mask (&a)[4], const Mask (&b)[4]) {
  __m256i sums[4];
  for (size_t part = 0; part < 4; ++part) sums[part] = _mm256_add_epi32(a[part].v, b[part].v);
  return {_mm256_sub_epi8(_mm256_setzero_si256(), packed_bytes(sums[0], sums[1], sums[2], sums[3]))};
}
// Four times kLanes numbers of 0..255.
inline void store_as_bytes(uint8_t* to, const I32 (&parts)[4]) {
  const __m256i packed =
      _mm256_packus_epi16(_mm256_packs_epi32(parts[0].v, parts[1].v), _mm256_packs_epi32(parts[2].v, parts[3].v));
  store(to, I32{_mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))});
}

// Binary64.
struct F64 {
  __m256d low, high;
};
inline F64 to_f64(I32 a) {
  return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(a.v)), _mm256_cvtepi32_pd(_mm256_extracti128_si256(a.v, 1))};
}
inline F64 to_f64(F32 a) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(a.v)), _mm256_cvtps_pd(_mm256_extractf128_ps(a.v, 1))};
}
inline F64 operator*(F64 a, F64 b) { return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)}; }
// `where` as masks of 64 bits.
inline F64 wide_mask(Mask where) {
  return {_mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(where.v))),
          _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm256_extracti128_si256(where.v, 1)))};
}
inline F64 negate(Mask where, F64 a) {
  const F64 wide = wide_mask(where);
  const __m256d sign = _mm256_set1_pd(-0.0);
  return {_mm256_xor_pd(a.low, _mm256_and_pd(wide.low, sign)), _mm256_xor_pd(a.high, _mm256_and_pd(wide.high, sign))};
}

// Sums of binary64 numbers kept in memory, `kSums` of them. There are too few registers for many: each sum goes back to
// memory at once.
template <size_t kSums>
class SumsInMemory {
 public:
  explicit SumsInMemory(double* sums) : sums_(sums) {}
  void load() {}
  void store() const {}
  // `lane`: a multiple of kLanes below kSums; where in memory the first number of `a` belongs.
  void add(size_t lane, F64 a) {
    double* const at = sums_ + lane;
    _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), a.low));
    _mm256_storeu_pd(at + 4, _mm256_add_pd(_mm256_loadu_pd(at + 4), a.high));
  }
  void add(size_t lane, Mask where, F64 a) {
    const F64 wide = wide_mask(where);
    add(lane, F64{_mm256_and_pd(a.low, wide.low), _mm256_and_pd(a.high, wide.high)});
  }

 private:
  double* sums_;
};

}  // namespace
}  // namespace firn::FIRN_ISA
