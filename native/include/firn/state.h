// Lossy coding of optimizer state, block by block: the state of Adam and SGD with momentum for each weight. The loss is
// bounded by its effect on the optimizer's next steps. Stored form: docs/format-blocks.md, section 17.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/status.h"

namespace firn {

// Numbers are pinned (docs/format.md).
enum class StateKind : uint8_t {
  second_moment = 0,  // averages of squared gradients: levels evenly spaced in their logarithm
  first_moment = 1,   // averages of gradients: integer multiples of a share of the root of their second moment
  momentum =
      2,  // averages of gradients without second moments: integer multiples of a share of their row's root mean square
  clusters = 3,  // BitSnap, section 3.4, algorithm 2: 16 clusters of each tensor, 8 bits in a cluster
};

// A run of one tensor's elements. The tensor is a matrix with rows of `columns` elements, or a vector, which is one
// row: columns 0.
struct StateSegment {
  uint32_t count = 0;
  uint32_t columns = 0;
  uint32_t column = 0;  // of the first element, below `columns`; 0 for a vector
};

// Nothing is owned. Segments follow each other and cover the block.
struct StateLayout {
  const StateSegment* segments = nullptr;
  size_t segment_count = 0;
  size_t count = 0;  // elements, at most kBlockElementsMax; the sum of the segments' counts
};

// Levels of second moments are 2^kSecondMomentShift apart as binary32 patterns: an octave, which becomes half an octave
// by the root in the update's denominator.
inline constexpr uint32_t kSecondMomentShift = 23;
// The value of a level is this share of a level above it, in 1/65536: 0.06, the mean logarithm of values rounded to a
// power of two.
inline constexpr uint32_t kSecondMomentLift = 3932;
// Steps of first moments in units of the denominator of Adam's update: no element of the next update changes by more
// than half of this times the learning rate, apart from the effect of the denominator's own error.
inline constexpr float kFirstMomentStep = 0.2f;
// Added to the root, like Adam's epsilon.
inline constexpr float kFirstMomentFloor = 1e-8f;
// Steps of momentum in root mean squares of a row.
inline constexpr float kMomentumStep = 0.4f;

// Appends the payload of a block of binary32 elements, little-endian, any alignment. `reference`: as many elements in
// the same layout. For a second moment they are the same block of an earlier checkpoint as rebuilt, or null; for a
// first moment the rebuilt second moments; else null. The decoded values do not depend on an earlier checkpoint. A
// block with an element that the levels cannot represent (negative second moments, NaN, infinities, first moments 2^22
// steps from zero) is stored exact. Deterministic on every machine. invalid_argument when the layout or `reference`
// violates the rules above.
Status state_encode(StateKind kind, const void* values, const void* reference, const StateLayout& layout,
                    std::vector<uint8_t>* out);

// Rebuilds the block from the same `reference`. corrupt, truncated or unsupported on bytes that no encoder writes;
// invalid_argument as above, and when a payload needs `reference` and it is null.
Status state_decode(StateKind kind, const uint8_t* bytes, size_t size, const void* reference, const StateLayout& layout,
                    void* out);

// Whether decoding a payload of second moments needs those of the earlier checkpoint. `size` >= 1.
bool state_needs_previous(const uint8_t* bytes, size_t size);

}  // namespace firn
