// The expected level of a second moment: that of its row plus that of its column. Squared gradients of a matrix are
// nearly products of a factor per output and a factor per input, so their logarithms are nearly such sums.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "entropy/exp_golomb.h"
#include "firn/state.h"

namespace firn {

// Parts of a level that fits count in.
inline constexpr int32_t kFitParts = 4;
// A row or a column without any level above 0: whatever it is added to, 0 is expected.
inline constexpr int32_t kFitNothing = -16384;
inline constexpr int32_t kFitMax = 16383;
// Fewer rows than this do not pay for the columns of their own.
inline constexpr size_t kFitRowsMin = 4;

struct LevelFit {
  std::vector<int32_t> rows;
  std::vector<int32_t> columns;  // empty of a vector, and of fewer than kFitRowsMin rows

  // In parts, of an element in `row` and `column`; at least 0.
  int32_t at(size_t row, size_t column) const {
    const int32_t sum = rows[row] + (columns.empty() ? 0 : columns[column]);
    return sum > 0 ? sum : 0;
  }
};

// Fits a segment's levels, each 0..4095. Integers only, so that every machine finds the same.
LevelFit fit_levels(std::span<const int32_t> levels, const StateSegment& segment);

// The fit of one segment after the other, each number as its difference from the one before.
class LevelFitModels {
 public:
  void encode(RangeEncoder& encoder, const LevelFit& fit);
  // False for bytes that no encoder writes.
  bool decode(RangeDecoder& decoder, const StateSegment& segment, LevelFit* fit);

 private:
  ExpGolombModel rows_, columns_;
};

}  // namespace firn
