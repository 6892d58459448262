// Exact coding of a block. Exponents or byte planes are entropy-coded and mantissas stored raw, or the difference to
// the same block of an earlier checkpoint is coded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/status.h"

namespace firn {

// How the planes are cut; numbers are pinned (docs/format.md). Sizes: bytes 1, f16 and bf16 2, f32 4, f64 8;
// word16/32/64 are integers.
enum class ElementKind : uint8_t { bytes = 0, f16 = 1, bf16 = 2, f32 = 3, f64 = 4, word16 = 5, word32 = 6, word64 = 7 };
constexpr size_t element_bytes(ElementKind kind) {
  constexpr uint8_t sizes[] = {1, 2, 2, 4, 8, 2, 4, 8};
  return sizes[static_cast<uint8_t>(kind)];
}

// Largest block, in bytes before coding: bounds the scratch memory, which is a small multiple of the block.
inline constexpr size_t kExactBytesMax = size_t{1} << 24;

// Encodes count * element_bytes(kind) bytes, at most kExactBytesMax (invalid_argument). Stores the smallest of raw,
// alone and (with `previous`) difference, by estimate if the block is large; the first byte names the choice. Never
// more than 1 + raw bytes. Floats are treated as bits: NaN payloads, -0 and denormals survive.
Status exact_encode(const void* current, const void* previous, size_t count, ElementKind kind,
                    std::vector<uint8_t>* out);

// Rebuilds the block. `previous` must be non-null when the encoder's was, and hold the same bytes (invalid_argument
// when it is needed and null). corrupt or truncated on any byte sequence no encoder writes.
Status exact_decode(const uint8_t* bytes, size_t size, const void* previous, size_t count, ElementKind kind, void* out);

// True when the payload can be decoded without `previous`, or not at all: its mode is unknown. `size` >= 1.
bool exact_is_standalone(const uint8_t* bytes, size_t size);

}  // namespace firn
