// Second moments. Levels are numbers of binary32 patterns 2^shift apart, which are nearly evenly spaced in the
// logarithm. The coded value is the distance of a level from the one expected of its row and column. Its context is the
// same distance in the earlier checkpoint.
#include <algorithm>
#include <span>

#include "common/bytes.h"
#include "common/varint.h"
#include "optimizer_state/level_fit.h"
#include "optimizer_state/segment_rows.h"
#include "optimizer_state/state_coder.h"
#include "optimizer_state/symbol_field.h"

namespace firn {
namespace {

// 19: levels stay below 4096, and expected levels inside kFitMax; 23: with any lift they stay finite.
constexpr uint32_t kShiftMin = 19, kShiftMax = 23;
constexpr uint32_t kLiftBits = 16;
constexpr int32_t kDistanceClasses = 16;  // of the earlier checkpoint's: -8 and below, ..., 7 and above

// Level of a pattern, ignoring its sign bit; NaN and infinities give the highest levels.
int32_t level_of(uint32_t bits, uint32_t shift) {
  const uint32_t magnitude = std::min(bits & ~kSignBit, kInfinityBits - 1);
  return static_cast<int32_t>(std::min((magnitude + (1u << shift >> 1)) >> shift, (kInfinityBits - 1) >> shift));
}

std::vector<int32_t> levels_of(const StateBits& values, uint32_t shift) {
  std::vector<int32_t> levels(values.size());
  std::transform(values.begin(), values.end(), levels.begin(), [&](uint32_t bits) { return level_of(bits, shift); });
  return levels;
}

// Classes of the earlier checkpoint's distances between levels and their expectation in a segment; empty without an
// earlier checkpoint.
std::vector<int32_t> distance_classes(std::span<const int32_t> levels, const StateSegment& segment) {
  if (levels.empty()) return {};
  const LevelFit fit = fit_levels(levels, segment);
  std::vector<int32_t> classes(levels.size());
  SegmentRows(segment).for_each([&](size_t row, size_t element, size_t length, size_t column) {
    for (size_t i = 0; i < length; ++i) {
      const int32_t expected = (fit.at(row, column + i) + kFitParts / 2) / kFitParts;
      classes[element + i] =
          std::clamp(levels[element + i] - expected, -kDistanceClasses / 2, kDistanceClasses / 2 - 1) +
          kDistanceClasses / 2;
    }
  });
  return classes;
}

// Calls `each(element of the block, expected level)` for a segment that begins at `first`, and fills in the contexts.
template <typename Each>
void expect(const LevelFit& fit, const StateSegment& segment, std::span<const int32_t> before, size_t first,
            std::vector<uint8_t>* contexts, Each each) {
  const std::vector<int32_t> classes = distance_classes(before, segment);
  SegmentRows(segment).for_each([&](size_t row, size_t element, size_t length, size_t column) {
    for (size_t i = 0; i < length; ++i) {
      const int32_t parts = fit.at(row, column + i) + kFitParts / 2;
      const int32_t distance = classes.empty() ? 0 : classes[element + i];
      (*contexts)[first + element + i] = static_cast<uint8_t>(distance * kFitParts + parts % kFitParts);
      each(first + element + i, parts / kFitParts);
    }
  });
}

std::span<const int32_t> part_of(const std::vector<int32_t>& levels, size_t first, size_t count) {
  return levels.empty() ? std::span<const int32_t>() : std::span(levels).subspan(first, count);
}

}  // namespace

bool encode_second_moments(const StateBits& values, const StateBits& previous, const StateLayout& layout,
                           std::vector<uint8_t>* out) {
  if (std::any_of(values.begin(), values.end(),
                  [](uint32_t bits) { return bits >= kInfinityBits && bits != kSignBit; }))
    return false;
  const std::vector<int32_t> levels = levels_of(values, kSecondMomentShift),
                             before = levels_of(previous, kSecondMomentShift);
  std::vector<uint8_t> contexts(layout.count), fits;
  std::vector<int32_t> distances(layout.count);
  RangeEncoder encoder(&fits);
  LevelFitModels models;
  size_t first = 0;
  for (const StateSegment& segment : std::span(layout.segments, layout.segment_count)) {
    const LevelFit fit = fit_levels(part_of(levels, first, segment.count), segment);
    models.encode(encoder, fit);
    expect(fit, segment, part_of(before, first, segment.count), first, &contexts,
           [&](size_t i, int32_t level) { distances[i] = levels[i] - level; });
    first += segment.count;
  }
  encoder.finish();
  out->push_back(static_cast<uint8_t>(kSecondMomentShift));
  out->push_back(static_cast<uint8_t>(kSecondMomentLift & 0xFF));
  out->push_back(static_cast<uint8_t>(kSecondMomentLift >> 8));
  append_varint(static_cast<uint32_t>(fits.size()), out);
  out->insert(out->end(), fits.begin(), fits.end());
  append_symbols(layout, contexts, distances, out);
  return true;
}

Status decode_second_moments(ByteReader in, const StateBits& previous, const StateLayout& layout, StateBits* out) {
  const uint8_t* const head = in.take(3);
  if (!head) return Status::truncated;
  const uint32_t shift = head[0];
  const uint32_t lift = load_le<uint16_t>(head + 1);
  // Half a level up is the next level's.
  if (shift < kShiftMin || shift > kShiftMax || lift >= 1u << (kLiftBits - 1)) return Status::corrupt;
  uint32_t size;
  if (const Status status = in.varint(&size); status != Status::ok) return status;
  const uint8_t* const fits = in.take(size);
  if (!fits) return Status::truncated;
  const std::vector<int32_t> before = levels_of(previous, shift);
  std::vector<uint8_t> contexts(layout.count);
  std::vector<int32_t> expected(layout.count), distances;
  RangeDecoder decoder(fits, size);
  LevelFitModels models;
  size_t first = 0;
  for (const StateSegment& segment : std::span(layout.segments, layout.segment_count)) {
    LevelFit fit;
    if (!models.decode(decoder, segment, &fit)) return Status::corrupt;
    expect(fit, segment, part_of(before, first, segment.count), first, &contexts,
           [&](size_t i, int32_t level) { expected[i] = level; });
    first += segment.count;
  }
  if (!decoder.finished()) return Status::corrupt;
  if (const Status status = read_symbols(in, layout, contexts, &distances); status != Status::ok) return status;
  for (size_t i = 0; i < layout.count; ++i) {
    const int32_t level = expected[i] + distances[i];
    if (level < 0 || static_cast<uint32_t>(level) > (kInfinityBits - 1) >> shift) return Status::corrupt;
    (*out)[i] = level == 0 ? 0
                           : (static_cast<uint32_t>(level) << shift) +
                                 static_cast<uint32_t>(uint64_t{lift} << shift >> kLiftBits);
  }
  return Status::ok;
}

}  // namespace firn
