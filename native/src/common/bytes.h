// Unaligned loads and stores of integers in a stated byte order, on any host.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "simd/isa_namespace.h"

namespace firn {
inline namespace FIRN_FOR_ISA {

// A compiler for devices does not know std::endian; the hosts of devices are little-endian.
#ifdef __CUDACC__
inline constexpr bool kLittleEndian = true;
#else
inline constexpr bool kLittleEndian = std::endian::native == std::endian::little;
#endif

// `bytes` needs sizeof(T) readable bytes, any alignment.
template <typename T>
inline T load_le(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (!kLittleEndian && sizeof(T) > 1) {
    T swapped = 0;
    for (size_t i = 0; i < sizeof(T); ++i) swapped = static_cast<T>((swapped << 8) | ((value >> (8 * i)) & 0xFF));
    return swapped;
  }
  return value;
}

template <typename T>
inline void store_le(void* bytes, T value) {
  uint8_t* out = static_cast<uint8_t*>(bytes);
  if constexpr (kLittleEndian) {
    std::memcpy(out, &value, sizeof value);
  } else {
    for (size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
  }
}

inline uint64_t load_be64(const void* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (kLittleEndian) value = __builtin_bswap64(value);
  return value;
}

inline void store_be64(void* bytes, uint64_t value) {
  if constexpr (kLittleEndian) value = __builtin_bswap64(value);
  std::memcpy(bytes, &value, sizeof value);
}

}  // namespace FIRN_FOR_ISA
}  // namespace firn
