#include "state/level_fit.h"

#include <algorithm>

#include "state/segment_rows.h"
#include "state/zigzag.h"

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

// Adds what is left of every level above 0 after the other direction's part of it.
template <typename Place>
void add_up(std::span<const int32_t> levels, const StateSegment& segment, const LevelFit& other, std::vector<Sum>* sums, Place place) {
  SegmentRows(segment).for_each([&](size_t row, size_t element, size_t length, size_t column) {
    for (size_t i = 0; i < length; ++i) {
      const int32_t level = levels[element + i];
      if (level == 0) continue;
      const int32_t known = (other.rows.empty() ? 0 : other.rows[row]) + (other.columns.empty() ? 0 : other.columns[column + i]);
      Sum& sum = (*sums)[place(row, column + i)];
      sum.total += kFitParts * level - known;
      ++sum.count;
    }
  });
}

std::vector<int32_t> means(const std::vector<Sum>& sums) {
  std::vector<int32_t> result(sums.size());
  std::transform(sums.begin(), sums.end(), result.begin(), [](const Sum& sum) { return sum.mean(); });
  return result;
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
  const auto by_row = [&](const LevelFit& other) {
    std::vector<Sum> sums(rows);
    add_up(levels, segment, other, &sums, [](size_t row, size_t) { return row; });
    return means(sums);
  };
  LevelFit fit;
  fit.rows = by_row({});
  if (columns == 0) return fit;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Sum> sums(columns);
    add_up(levels, segment, {fit.rows, {}}, &sums, [](size_t, size_t column) { return column; });
    fit.columns = means(sums);
    fit.rows = by_row({{}, fit.columns});
  }
  return fit;
}

void LevelFitModels::encode(RangeEncoder& encoder, const LevelFit& fit) {
  encode_numbers(encoder, rows_, fit.rows);
  encode_numbers(encoder, columns_, fit.columns);
}

bool LevelFitModels::decode(RangeDecoder& decoder, const StateSegment& segment, LevelFit* fit) {
  const size_t rows = SegmentRows(segment).size();
  return decode_numbers(decoder, rows_, rows, &fit->rows) && decode_numbers(decoder, columns_, column_count(segment, rows), &fit->columns);
}

}  // namespace firn
