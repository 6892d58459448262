// BitSnap's lossless half (section 3.3, "Improved Bitmask Sparsification", and algorithm 1): a packed bit for every
// 16-bit state says whether it changed since the base, and the changed states follow raw. Stored form:
// docs/format-blocks.md, section 19.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/lossless.h"
#include "firn/status.h"

namespace firn {

// The mode of a payload with a mask, beside those of exact blocks.
inline constexpr uint8_t kBitmaskMode = 11;

// The share of changed states, in sixteenths, from which a mask is of no use (equation 2: n / 8 + 2 c < 2 n).
inline constexpr size_t kBitmaskShareSixteenths = 15;

// How many of `count` 16-bit states differ. Any alignment.
size_t bitmask_changed(const void* current, const void* previous, size_t count);

// Appends the payload of `count` states of f16 or bf16: mask and changed states where fewer than 15/16 changed and that
// is not longer than an exact block that stands alone, else that one. `previous` may be null, and then it is that one.
// Never more than 1 + 2 * count bytes. invalid_argument for another kind, or more than kBlockElementsMax states.
Status bitmask_encode(const void* current, const void* previous, size_t count, ElementKind kind,
                      std::vector<uint8_t>* out);

// Rebuilds the states. `previous` must be non-null when bitmask_needs_previous says so (invalid_argument). corrupt,
// truncated or unsupported on bytes no encoder writes.
Status bitmask_decode(const uint8_t* bytes, size_t size, const void* previous, size_t count, ElementKind kind,
                      void* out);

// Whether decoding a payload needs the base's states. `size` >= 1.
bool bitmask_needs_previous(const uint8_t* bytes, size_t size);

}  // namespace firn
