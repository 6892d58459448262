// Lossy coding of optimizer state, a block at a time: what Adam and SGD with momentum keep beside each weight. What is
// lost is bounded by what the optimizer's next steps would do with it. Stored form: docs/format-blocks.md, section 17.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/status.h"

namespace firn {

// Numbers are pinned (docs/format.md).
enum class StateKind : uint8_t {
  second_moment = 0,  // averages of squared gradients: levels evenly spaced in their logarithm
  first_moment = 1,   // averages of gradients: whole numbers of a share of the root of the second moment beside them
  momentum =
      2,  // averages of gradients with nothing beside them: whole numbers of a share of their row's root mean square
  clusters = 3,  // BitSnap, section 3.4, algorithm 2: 16 clusters of each tensor, 8 bits in a cluster
};

// A run of one tensor's elements. The tensor is a matrix of rows of `columns` elements, or a vector, one row alone:
// columns 0.
struct StateSegment {
  uint32_t count = 0;
  uint32_t columns = 0;
  uint32_t column = 0;  // of the first element, below `columns`; 0 of a vector
};

// Nothing is owned. Segments follow each other and cover the block.
struct StateLayout {
  const StateSegment* segments = nullptr;
  size_t segment_count = 0;
  size_t count = 0;  // elements, at most kBlockElementsMax; the sum of the segments' counts
};

// Levels of second moments are 2^kSecondMomentShift apart as binary32 patterns: an octave, of which the root in the
// update's denominator leaves half.
inline constexpr uint32_t kSecondMomentShift = 23;
// What a level stands for lies this much of a level above it, in 1/65536: 0.06, the mean logarithm of what is rounded
// to a power of two.
inline constexpr uint32_t kSecondMomentLift = 3932;
// Steps of first moments in units of the denominator of Adam's update: no element of the next update moves by more than
// half of it times the learning rate, what the denominator's own error does aside.
inline constexpr float kFirstMomentStep = 0.2f;
// Added to the root, as Adam's epsilon is.
inline constexpr float kFirstMomentFloor = 1e-8f;
// Steps of momentum in root mean squares of a row.
inline constexpr float kMomentumStep = 0.4f;

// Appends the payload of a block of binary32 elements, little-endian, any alignment. `reference`: as many elements of the
// same layout; of a second moment those of the same block of an earlier checkpoint as it comes back, or null; of a
// first moment the second moments as they come back; else null. What the payload decodes to does not depend on an
// earlier checkpoint. A block with an element that has no place among the levels (negative second moments, NaN,
// infinities, first moments 2^22 steps from zero) is stored exact. Deterministic on every machine. invalid_argument
// when the layout or `reference` breaks what is said above.
Status state_encode(StateKind kind, const void* values, const void* reference, const StateLayout& layout,
                    std::vector<uint8_t>* out);

// Rebuilds the block from the same `reference`. corrupt, truncated or unsupported on bytes no encoder writes;
// invalid_argument as above, and when a payload that needs it is given none.
Status state_decode(StateKind kind, const uint8_t* bytes, size_t size, const void* reference, const StateLayout& layout,
                    void* out);

// Whether a payload of second moments needs those of the earlier checkpoint. `size` >= 1.
bool state_needs_previous(const uint8_t* bytes, size_t size);

}  // namespace firn
