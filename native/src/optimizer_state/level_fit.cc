#include "optimizer_state/level_fit.h"

#include <algorithm>

#include "optimizer_state/segment_rows.h"
#include "optimizer_state/zigzag.h"

namespace firn {
namespace {

// Alternations of rows and columns; the second one changes expectations by less than a part.
constexpr int kRounds = 2;

struct Sum {
  int64_t total = 0;
  int64_t count = 0;

  int32_t mean() const {
    if (count == 0) return kFitNothing;
    const int64_t twice = 2 * total + count;
    const int64_t whole = twice >= 0 ? twice / (2 * count) : -((-twice + 2 * count - 1) / (2 * count));
    return static_cast<int32_t>(std::clamp<int64_t>(whole, -kFitMax, kFitMax));
  }
};

// Levels of 0 count in neither direction.
std::vector<int32_t> fit_rows(std::span<const int32_t> levels, const StateSegment& segment, size_t rows,
                              const std::vector<int32_t>& columns) {
  std::vector<int32_t> fitted(rows);
  SegmentRows(segment).for_each([&](size_t row, size_t element, size_t length, size_t column) {
    Sum sum;
    const int32_t* const level = levels.data() + element;
    for (size_t i = 0; i < length; ++i) {
      sum.total += level[i] * kFitParts;
      sum.count += level[i] != 0;
    }
    if (!columns.empty()) {
      for (size_t i = 0; i < length; ++i) sum.total -= level[i] != 0 ? columns[column + i] : 0;
    }
    fitted[row] = sum.mean();
  });
  return fitted;
}

std::vector<int32_t> fit_columns(std::span<const int32_t> levels, const StateSegment& segment, size_t columns,
                                 const std::vector<int32_t>& rows) {
  std::vector<Sum> sums(columns);
  SegmentRows(segment).for_each([&](size_t row, size_t element, size_t length, size_t column) {
    const int32_t* const level = levels.data() + element;
    for (size_t i = 0; i < length; ++i) {
      sums[column + i].total += level[i] != 0 ? level[i] * kFitParts - rows[row] : 0;
      sums[column + i].count += level[i] != 0;
    }
  });
  std::vector<int32_t> fitted(columns);
  std::transform(sums.begin(), sums.end(), fitted.begin(), [](const Sum& sum) { return sum.mean(); });
  return fitted;
}

size_t column_count(const StateSegment& segment, size_t rows) { return rows >= kFitRowsMin ? segment.columns : 0; }

bool decode_numbers(RangeDecoder& decoder, ExpGolombModel& model, size_t count, std::vector<int32_t>* numbers) {
  int32_t last = 0;
  for (size_t i = 0; i < count; ++i) {
    uint32_t value;
    if (!decode_exp_golomb(decoder, model, &value) || decoder.overrun()) return false;
    last += from_zigzag(value);
    if (last < kFitNothing || last > kFitMax) return false;
    numbers->push_back(last);
  }
  return true;
}

void encode_numbers(RangeEncoder& encoder, ExpGolombModel& model, const std::vector<int32_t>& numbers) {
  int32_t last = 0;
  for (const int32_t number : numbers) {
    encode_exp_golomb(encoder, model, to_zigzag(number - last));
    last = number;
  }
}

}  // namespace

LevelFit fit_levels(std::span<const int32_t> levels, const StateSegment& segment) {
  const size_t rows = SegmentRows(segment).size();
  const size_t columns = column_count(segment, rows);
  LevelFit fit;
  fit.rows = fit_rows(levels, segment, rows, {});
  for (int round = 0; round < kRounds && columns > 0; ++round) {
    fit.columns = fit_columns(levels, segment, columns, fit.rows);
    fit.rows = fit_rows(levels, segment, rows, fit.columns);
  }
  return fit;
}

void LevelFitModels::encode(RangeEncoder& encoder, const LevelFit& fit) {
  encode_numbers(encoder, rows_, fit.rows);
  encode_numbers(encoder, columns_, fit.columns);
}

bool LevelFitModels::decode(RangeDecoder& decoder, const StateSegment& segment, LevelFit* fit) {
  const size_t rows = SegmentRows(segment).size();
  return decode_numbers(decoder, rows_, rows, &fit->rows) &&
         decode_numbers(decoder, columns_, column_count(segment, rows), &fit->columns);
}

}  // namespace firn
