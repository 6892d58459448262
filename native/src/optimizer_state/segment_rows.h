// The rows of a segment: a part of a tensor may begin and end inside one.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "firn/state.h"

namespace firn {

class SegmentRows {
 public:
  explicit SegmentRows(const StateSegment& segment) : segment_(segment) {}

  // 0 of an empty segment.
  size_t size() const {
    if (segment_.count == 0) return 0;
    if (segment_.columns == 0) return 1;
    return (uint64_t{segment_.column} + segment_.count + segment_.columns - 1) / segment_.columns;
  }

  // Calls `each(row, first element of the segment, elements, column of the first one)` for all rows in order.
  template <typename Each>
  void for_each(Each each) const {
    size_t element = 0, column = segment_.column;
    for (size_t row = 0; element < segment_.count; ++row) {
      const size_t left = segment_.count - element;
      const size_t length = segment_.columns == 0 ? left : std::min<size_t>(left, segment_.columns - column);
      each(row, element, length, column);
      element += length;
      column = 0;
    }
  }

 private:
  const StateSegment& segment_;
};

}  // namespace firn
