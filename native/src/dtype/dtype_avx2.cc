// Eight elements at a time through binary32.
#include "dtype/dtype_kernels.h"
#include "simd/cpu_features.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn::avx2 {
namespace {

constexpr size_t kConvertedLanes = 8;

template <Dtype D>
__m256 load(const unsigned char* in) {
  if constexpr (D == Dtype::f32) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(in));
  } else {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    if constexpr (D == Dtype::f16) return _mm256_cvtph_ps(bits);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
}

__m128i round_to_bf16(__m256 value) {
  const __m256i bits = _mm256_castps_si256(value);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded =
      _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF))), 16);
  const __m256i quiet = _mm256_or_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(0x40));
  const __m256 is_nan = _mm256_cmp_ps(value, value, _CMP_UNORD_Q);
  const __m256i words = _mm256_blendv_epi8(rounded, quiet, _mm256_castps_si256(is_nan));
  return _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

template <Dtype D>
void store(unsigned char* out, __m256 value) {
  if constexpr (D == Dtype::f32) {
    _mm256_storeu_ps(reinterpret_cast<float*>(out), value);
  } else if constexpr (D == Dtype::f16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  } else {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), round_to_bf16(value));
  }
}

template <Dtype In, Dtype Out>
void convert_pairs(const void* in, size_t count, void* out) {
  constexpr size_t in_step = In == Dtype::f32 ? 4 : 2, out_step = Out == Dtype::f32 ? 4 : 2;
  const unsigned char* from = static_cast<const unsigned char*>(in);
  unsigned char* to = static_cast<unsigned char*>(out);
  size_t i = 0;
  for (; i + kConvertedLanes <= count; i += kConvertedLanes)
    store<Out>(to + i * out_step, load<In>(from + i * in_step));
  if (i < count) scalar::convert(from + i * in_step, In, count - i, to + i * out_step, Out);
}

}  // namespace

void convert(const void* in, Dtype in_dtype, size_t count, void* out, Dtype out_dtype) {
  if (in_dtype == Dtype::f32 && out_dtype == Dtype::f16) return convert_pairs<Dtype::f32, Dtype::f16>(in, count, out);
  if (in_dtype == Dtype::f32 && out_dtype == Dtype::bf16) return convert_pairs<Dtype::f32, Dtype::bf16>(in, count, out);
  if (in_dtype == Dtype::f16 && out_dtype == Dtype::f32) return convert_pairs<Dtype::f16, Dtype::f32>(in, count, out);
  if (in_dtype == Dtype::f16 && out_dtype == Dtype::bf16) return convert_pairs<Dtype::f16, Dtype::bf16>(in, count, out);
  if (in_dtype == Dtype::bf16 && out_dtype == Dtype::f32) return convert_pairs<Dtype::bf16, Dtype::f32>(in, count, out);
  if (in_dtype == Dtype::bf16 && out_dtype == Dtype::f16) return convert_pairs<Dtype::bf16, Dtype::f16>(in, count, out);
}

}  // namespace firn::avx2
#endif
