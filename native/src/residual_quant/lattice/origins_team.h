// The state that a base starts from, over teams: every element of a segment at the segment's origin, not moved.
#pragma once
#include <cstddef>
#include <cstdint>

#include "residual_quant/lattice/activity.h"
#include "team/team.h"

namespace firn {

// Where the elements of a segment start from; segments follow each other in their block.
struct LatticeOrigin {
  uint32_t first, count;
  int32_t value;
};

// A stretch of the block a team.
struct LatticeOriginsTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 8;
  static constexpr size_t kSharedBytes = 0;
  static constexpr uint32_t kStretch = 1u << 13;
  const LatticeOrigin* segments;
  uint32_t segment_count, count;  // elements
  int32_t* values;
  uint8_t* activity;

  uint32_t teams(uint32_t) const { return (count + kStretch - 1) / kStretch; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t stretch, uint32_t, unsigned char*) const {
    const uint32_t begin = stretch * kStretch, end = count - begin < kStretch ? count : begin + kStretch;
    for (uint32_t s = segment_of(begin); s < segment_count && segments[s].first < end; ++s) {
      const LatticeOrigin segment = segments[s];
      const uint32_t last = segment.first + segment.count < end ? segment.first + segment.count : end;
      const uint32_t first = segment.first > begin ? segment.first : begin;
      for (uint32_t i = first + team.rank(); i < last; i += team.size()) {
        values[i] = segment.value;
        activity[i] = kStateAfterBase;
      }
    }
  }

 private:
  // The last one that starts at an element or before it.
  FIRN_EACH uint32_t segment_of(uint32_t element) const {
    uint32_t low = 0, high = segment_count;
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (segments[middle].first <= element) low = middle;
      else high = middle;
    }
    return low;
  }
};

}  // namespace firn
