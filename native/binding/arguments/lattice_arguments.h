// Segments and states of the lattice, as arguments of a call.
#pragma once
#include <algorithm>
#include <vector>

#include "binding/arguments/arguments.h"
#include "firn/delta.h"
#include "firn/residual_quant/lattice.h"

namespace firn::binding {

// Numbers of a segment as it crosses the seam: count, exponent, step, shift, three offsets, gain.
inline constexpr size_t kLatticeSegmentNumbers = 8;

// The segments of a block, copied: their typed array is small and not needed once the job has started.
struct Segments {
  std::vector<LatticeSegment> list;
  size_t count = 0;  // elements of all segments

  static Segments read(Arguments& args, size_t index) {
    const std::vector<int32_t> numbers = args.int32_copy(index);
    Segments segments;
    segments.list.resize(std::min(numbers.size() / kLatticeSegmentNumbers, kBlockElementsMax));
    const int32_t* n = numbers.data();
    for (LatticeSegment& s : segments.list) {
      s.count = n[0] > 0 ? static_cast<uint32_t>(n[0]) : 0;  // 0 is refused by the core
      s.exponent = n[1], s.step = n[2], s.shift = n[3];
      for (size_t j = 0; j < kLatticeOffsets; ++j) s.offsets[j] = n[4 + j];
      s.gain = n[7];
      segments.count += s.count;
      n += kLatticeSegmentNumbers;
    }
    return segments;
  }
  // A job is not queued for more: its output would be as large.
  bool valid() const { return count <= kBlockElementsMax; }
  LatticeSegments view() const { return {list.data(), list.size()}; }
};

// The state before a block, as arguments `first` and `first + 1`.
struct PreviousState {
  Input<int32_t> values;
  InputBytes activity;

  static PreviousState read(Arguments& args, size_t first) {
    return {args.optional_int32s(first), args.optional_bytes(first + 1)};
  }
  bool valid(size_t count) const {
    if (!values.data && !activity.data) return true;
    return values.data && activity.data && values.count == count && activity.count == count;
  }
  LatticeState view() const { return {values.data, activity.data}; }
};

}  // namespace firn::binding
