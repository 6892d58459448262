#include <algorithm>
#include <cmath>

#include "common/invariant.h"
#include "firn/delta.h"
#include "residual_quant/lattice/lattice_kernels.h"

namespace firn {
namespace {

constexpr uint32_t kNearest = 128;  // half a step: weights move to the nearest point

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

// The smallest whole |r| with |r| * 256 >= zone * step; a difference of 0 never moves.
int32_t dead_units(uint32_t zone, int32_t step) {
  const auto dead = static_cast<int32_t>((zone * static_cast<uint32_t>(step) + 255) / 256);
  return std::max(dead, 1);
}

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

LatticeZones::LatticeZones(int32_t step, LatticeHysteresis hysteresis) {
  const uint32_t zone = hysteresis.dead_zone, over = zone > kNearest ? zone - kNearest : 0,
                 widest = std::max(zone, kLatticePricedZoneMax);
  for (size_t i = 0; i < kLatticeRates; ++i) {
    const uint32_t rate = (over * hysteresis.rates[i] + kLatticeRateUnit / 2) / kLatticeRateUnit;
    dead[i] = dead_units(over == 0 ? zone : std::min(kNearest + rate, widest), step);
  }
}

LatticeRule lattice_rule(const LatticeSegment& segment, uint32_t dead_zone) {
  FIRN_INVARIANT(valid(segment));
  LatticeRule rule;
  rule.units = std::ldexp(1.0f, -segment.exponent);
  rule.gain = 768 + segment.gain;
  rule.scale = std::ldexp(static_cast<float>(rule.gain), segment.exponent - 10);
  rule.step = segment.step;
  rule.shift = segment.shift;
  rule.dead = dead_units(dead_zone, segment.step);
  rule.kept_max = kLatticeValueMax >> segment.shift;
  rule.class1_from = class_from(segment.step, segment.shift);
  rule.class2_from = class_from(3 * segment.step, segment.shift);
  for (size_t j = 0; j < kLatticeOffsets; ++j) rule.offsets[j] = segment.offsets[j];
  return rule;
}

}  // namespace firn
