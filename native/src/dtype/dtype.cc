#include "firn/dtype.h"

#include <bit>
#include <cstring>

#include "dtype/dtype_kernels.h"
#include "simd/cpu_features.h"

namespace firn {
namespace {

float load_one(const uint8_t* in, Dtype dtype) {
  if (dtype == Dtype::f32) {
    float value;
    std::memcpy(&value, in, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, in, sizeof bits);
  return dtype == Dtype::f16 ? f16_to_f32(bits) : bf16_to_f32(bits);
}

void store_one(uint8_t* out, Dtype dtype, float value) {
  if (dtype == Dtype::f32) {
    std::memcpy(out, &value, sizeof value);
    return;
  }
  const uint16_t bits = dtype == Dtype::f16 ? f32_to_f16(value) : f32_to_bf16(value);
  std::memcpy(out, &bits, sizeof bits);
}

}  // namespace

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1Fu, mantissa = bits & 0x3FFu;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24, exact
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  if (exponent == 0x1F) {
    const uint32_t quiet = mantissa ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7F800000u | quiet | mantissa << 13);
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7FFFFFFFu;
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u | (magnitude >> 13 & 0x3FFu));
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7C00u);  // 2^16 and up
  if (magnitude >= 0x38800000u) {                                              // 2^-14 and up: normal
    const uint32_t rebased = magnitude - (112u << 23);
    return static_cast<uint16_t>(sign | (rebased + 0xFFFu + (rebased >> 13 & 1u)) >> 13);
  }
  const uint32_t exponent = magnitude >> 23;
  const uint32_t shift = 126 - exponent;  // to units of 2^-24; at least 14
  if (shift > 24) return sign;            // below half a unit
  const uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
  const uint32_t whole = significand >> shift, rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
  const uint32_t up = rest > half || (rest == half && (whole & 1u));
  return static_cast<uint16_t>(sign | (whole + up));
}

uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

void scalar::convert(const void* in, Dtype in_dtype, size_t count, void* out, Dtype out_dtype) {
  const uint8_t* from = static_cast<const uint8_t*>(in);
  uint8_t* to = static_cast<uint8_t*>(out);
  const size_t in_step = dtype_bytes(in_dtype), out_step = dtype_bytes(out_dtype);
  for (size_t i = 0; i < count; ++i) store_one(to + i * out_step, out_dtype, load_one(from + i * in_step, in_dtype));
}

void convert(const void* in, Dtype in_dtype, size_t count, void* out, Dtype out_dtype) {
  if (count == 0) return;
  if (in_dtype == out_dtype) {
    std::memcpy(out, in, count * dtype_bytes(in_dtype));
    return;
  }
#if FIRN_X86
  if (active_isa() >= Isa::avx2) return avx2::convert(in, in_dtype, count, out, out_dtype);
#endif
  scalar::convert(in, in_dtype, count, out, out_dtype);
}

}  // namespace firn
