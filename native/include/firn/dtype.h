// Floating-point element types that the quantizer supports, and the one rounding rule between them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace firn {

// Numbers are pinned: they are stored in packages (docs/format.md) and cross the seam.
enum class Dtype : uint8_t { f32 = 0, f16 = 1, bf16 = 2 };

constexpr size_t dtype_bytes(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 2; }

// Widening is exact. Narrowing rounds to nearest, ties to even; overflow gives infinity; NaN stays NaN (quiet).
float f16_to_f32(uint16_t bits);
float bf16_to_f32(uint16_t bits);
uint16_t f32_to_f16(float value);
uint16_t f32_to_bf16(float value);

// Converts `count` elements; `in` and `out` may not overlap. Any pair of dtypes is allowed; equal ones are copied.
void convert(const void* in, Dtype in_dtype, size_t count, void* out, Dtype out_dtype);

}  // namespace firn
