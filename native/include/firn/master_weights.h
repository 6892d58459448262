// Exact coding of binary32 elements beside 16-bit ones that were rounded from them: what mixed-precision training keeps
// as master weights takes no more than what rounding cut. Lossless whatever the elements are. Stored form:
// docs/format-blocks.md, section 18.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/status.h"

namespace firn {

// What lies beside a segment. Numbers are those of the seam, not of the format.
enum class MasterKind : uint8_t { nothing = 0, bf16 = 1, f16 = 2 };

// A run of one tensor's elements.
struct MasterSegment {
  uint32_t count = 0;
  MasterKind kind = MasterKind::nothing;
};

// Nothing is owned. Segments follow each other and cover the block; `count` is the sum of their counts, at most
// kBlockElementsMax.
struct MasterLayout {
  const MasterSegment* segments = nullptr;
  size_t segment_count = 0;
  size_t count = 0;
};

// The mode of these payloads, beside those of exact blocks.
inline constexpr uint8_t kMasterMode = 10;

// Elements that lie beside a block: those of its segments that have any.
size_t master_reference_count(const MasterLayout& layout);

// Appends the payload of binary32 elements, little-endian, any alignment. `reference`: the 16-bit elements of the segments
// that have some, one after another. Never more than a few bytes above an exact block where nothing was rounded.
// invalid_argument for a layout that breaks what is said above.
Status master_encode(const void* values, const void* reference, const MasterLayout& layout, std::vector<uint8_t>* out);

// Rebuilds the elements from the same `reference`. corrupt, truncated or unsupported on bytes no encoder writes;
// invalid_argument as above.
Status master_decode(const uint8_t* bytes, size_t size, const void* reference, const MasterLayout& layout, void* out);

}  // namespace firn
