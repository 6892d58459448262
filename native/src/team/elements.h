// Elements of any float dtype for kernels over teams, sixteen bytes at a time.
#pragma once
#include <cstring>

#include "firn/dtype.h"
#include "team/team.h"
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace firn {

// What one load of a device brings. Arrays that kernels read so start at a multiple of it.
struct alignas(16) Sixteen {
  uint32_t words[4];
};
struct alignas(8) Eight {
  uint32_t words[2];
};

FIRN_EACH uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

FIRN_EACH float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// NaN stays NaN, with any payload.
FIRN_EACH float widen_f16(uint16_t bits) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(bits));
#elif !defined(__CUDACC__)
  return f16_to_f32(bits);
#else
  return 0;
#endif
}

// Not for NaN.
FIRN_EACH uint16_t narrow_f16(float value) {
#ifdef __CUDA_ARCH__
  return __half_as_ushort(__float2half_rn(value));
#elif !defined(__CUDACC__)
  return f32_to_f16(value);
#else
  return 0;
#endif
}

FIRN_EACH uint16_t narrow_bf16(float value) {
  const uint32_t bits = bits_of(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

template <Dtype dtype>
inline constexpr uint32_t kPerSixteen = dtype == Dtype::f32 ? 4 : 8;

// Element `index` of a load.
template <Dtype dtype>
FIRN_EACH float element_of(const Sixteen& load, uint32_t index) {
  if constexpr (dtype == Dtype::f32) return float_of(load.words[index]);
  const uint32_t word = load.words[index / 2];
  if constexpr (dtype == Dtype::bf16) return float_of(index % 2 ? word & 0xFFFF0000u : word << 16);
  return widen_f16(static_cast<uint16_t>(index % 2 ? word >> 16 : word));
}

template <Dtype dtype>
FIRN_EACH float element_of(const void* elements, size_t index) {
  if constexpr (dtype == Dtype::f32) return static_cast<const float*>(elements)[index];
  const uint16_t word = static_cast<const uint16_t*>(elements)[index];
  return dtype == Dtype::bf16 ? float_of(static_cast<uint32_t>(word) << 16) : widen_f16(word);
}

// Calls body with a tag of the dtype: what depends on it is compiled once for each.
template <Dtype value>
struct DtypeTag {
  static constexpr Dtype dtype = value;
};
template <typename Body>
FIRN_EACH void with_dtype(Dtype dtype, Body body) {
  if (dtype == Dtype::f32) body(DtypeTag<Dtype::f32>());
  else if (dtype == Dtype::f16) body(DtypeTag<Dtype::f16>());
  else body(DtypeTag<Dtype::bf16>());
}

// Calls body(load, first, count) for the elements of an array, all teams together: `load` holds elements first to first
// + count, at most kPerSixteen of them; the rest of it is anything. Loads of one round are under way at once.
template <Dtype dtype, typename Team, typename Body>
FIRN_EACH void for_each_sixteen(const Team& team, uint32_t team_index, uint32_t teams, const void* elements,
                                uint64_t count, Body body) {
  constexpr uint32_t kPer = kPerSixteen<dtype>, kAhead = 4;
  const Sixteen* const loads = static_cast<const Sixteen*>(elements);
  const uint64_t whole = count / kPer, stride = uint64_t{team.size()} * teams;
  uint64_t i = uint64_t{team_index} * team.size() + team.rank();
  for (; i + (kAhead - 1) * stride < whole; i += kAhead * stride) {
    Sixteen ahead[kAhead];
FIRN_UNROLL
    for (uint32_t a = 0; a < kAhead; ++a) ahead[a] = loads[i + a * stride];
FIRN_UNROLL
    for (uint32_t a = 0; a < kAhead; ++a) body(ahead[a], (i + a * stride) * kPer, kPer);
  }
  for (; i < whole; i += stride) body(loads[i], i * kPer, kPer);
  if (i == whole && count % kPer != 0) {
    Sixteen last = {};
    constexpr uint32_t kBytes = dtype == Dtype::f32 ? 4 : 2;
    for (uint32_t e = 0; e < count % kPer; ++e) {
      if constexpr (kBytes == 4) last.words[e] = static_cast<const uint32_t*>(elements)[whole * kPer + e];
      else last.words[e / 2] |= uint32_t{static_cast<const uint16_t*>(elements)[whole * kPer + e]} << (e % 2 * 16);
    }
    body(last, whole * kPer, static_cast<uint32_t>(count % kPer));
  }
}

}  // namespace firn
