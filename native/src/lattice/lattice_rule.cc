#include <cmath>

#include "firn/delta.h"
#include "lattice/lattice_kernels.h"

namespace firn {
namespace {

bool in_range(int32_t value, int32_t minimum, int32_t maximum) { return value >= minimum && value <= maximum; }

bool valid(const LatticeSegment& s) {
  const bool in_ranges = s.count >= 1 && in_range(s.exponent, kLatticeExponentMin, kLatticeExponentMax) &&
                         in_range(s.step, 1, kLatticeStepMax) && in_range(s.shift, 0, kLatticeShiftMax) &&
                         in_range(s.gain, 0, kLatticeGainMax);
  if (!in_ranges) return false;
  // Ranges of a step that is none would not fit a number.
  for (const int32_t offset : s.offsets) {
    if (!in_range(offset, 1 - s.step, s.step - 1)) return false;
  }
  return true;
}

// The smallest |k| with 2 * (|k| << shift) >= limit.
int32_t class_from(int32_t limit, int32_t shift) { return (limit + (2 << shift) - 1) >> (shift + 1); }

}  // namespace

bool valid_segments(LatticeSegments segments, size_t* count) {
  *count = 0;
  if (segments.count > kBlockElementsMax) return false;
  for (size_t i = 0; i < segments.count; ++i) {
    if (!valid(segments.data[i])) return false;
    *count += segments.data[i].count;
  }
  return *count <= kBlockElementsMax;
}

LatticeRule lattice_rule(const LatticeSegment& segment, uint32_t dead_zone) {
  LatticeRule rule;
  rule.units = std::ldexp(1.0f, -segment.exponent);
  rule.gain = 768 + segment.gain;
  rule.scale = std::ldexp(static_cast<float>(rule.gain), segment.exponent - 10);
  rule.step = segment.step;
  rule.shift = segment.shift;
  // |r| * 256 < dead_zone * step, for whole |r|; a difference of 0 never moves.
  const auto dead = static_cast<int32_t>((dead_zone * static_cast<uint32_t>(segment.step) + 255) / 256);
  rule.dead = dead > 1 ? dead : 1;
  rule.kept_max = kLatticeValueMax >> segment.shift;
  rule.class1_from = class_from(segment.step, segment.shift);
  rule.class2_from = class_from(3 * segment.step, segment.shift);
  for (size_t j = 0; j < kLatticeOffsets; ++j) rule.offsets[j] = segment.offsets[j];
  return rule;
}

}  // namespace firn
