// First moments as whole numbers of steps. With second moments, a step is a share of the denominator that Adam divides
// by, so that the error in the next update is bounded. Without them, it is a share of the row's root mean square.
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "common/bytes.h"
#include "common/varint.h"
#include "entropy/exp_golomb.h"
#include "optimizer_state/segment_rows.h"
#include "optimizer_state/state_coder.h"
#include "optimizer_state/symbol_field.h"
#include "optimizer_state/zigzag.h"

namespace firn {
namespace {

// Beyond this number of steps, binary32 cannot distinguish neighbouring numbers of steps.
constexpr int32_t kStepsMax = 1 << 22;
constexpr int32_t kEnergyClasses = 16;
constexpr uint32_t kEnergyParts = 16;    // of a squared step
constexpr uint32_t kRowScaleShift = 21;  // scales of rows are binary32 patterns a quarter of an octave apart
constexpr uint32_t kRowScaleMax = (kInfinityBits - 1) >> kRowScaleShift;

float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

// The value of one step for an element with this second moment. One that is not a positive number counts as 0.
float unit_of(uint32_t second, float step, float floor) {
  const float root = second > 0 && second < kInfinityBits ? std::sqrt(float_of(second)) : 0.0f;
  return step * (root + floor);
}

uint32_t moved_by(int32_t steps, float unit) {
  return steps == 0 ? 0 : std::bit_cast<uint32_t>(static_cast<float>(steps) * unit);
}

// False if the element is not a number, is beyond kStepsMax, or would be rebuilt as an infinity.
bool steps_of(uint32_t bits, float unit, int32_t* steps) {
  if (!is_finite_bits(bits) || !std::isfinite(unit)) return false;
  const double value = static_cast<double>(float_of(bits));
  if (unit == 0) {
    *steps = 0;
    return value == 0;
  }
  const double exact = value / static_cast<double>(unit);
  if (!(std::fabs(exact) < kStepsMax)) return false;
  *steps = static_cast<int32_t>(std::nearbyint(exact));
  return is_finite_bits(moved_by(*steps, unit));
}

// How far a row's elements are from 0 on average, on a logarithmic scale.
uint32_t energy_class(std::span<const int32_t> steps) {
  uint64_t energy = 0;
  for (const int32_t step : steps) energy += static_cast<uint64_t>(static_cast<int64_t>(step) * step);
  const uint64_t mean = energy > UINT64_MAX / kEnergyParts ? UINT64_MAX : energy * kEnergyParts / steps.size();
  return std::min<uint32_t>(static_cast<uint32_t>(std::bit_width(mean)), kEnergyClasses - 1);
}

// One number a row of each segment, each as its difference from the one before.
class RowNumbers {
 public:
  explicit RowNumbers(std::vector<uint8_t>* out) : out_(out), encoder_(&field_) {}
  void add(uint32_t number) {
    encode_exp_golomb(encoder_, model_, to_zigzag(static_cast<int32_t>(number) - last_));
    last_ = static_cast<int32_t>(number);
  }
  void finish() {
    encoder_.finish();
    append_varint(static_cast<uint32_t>(field_.size()), out_);
    out_->insert(out_->end(), field_.begin(), field_.end());
  }

 private:
  std::vector<uint8_t>* out_;
  std::vector<uint8_t> field_;
  RangeEncoder encoder_;
  ExpGolombModel model_;
  int32_t last_ = 0;
};

// Calls `each(first element of the block, elements, number)` for every row. corrupt for bytes that RowNumbers does not
// write.
template <typename Each>
Status read_row_numbers(ByteReader& in, const StateLayout& layout, uint32_t max, Each each) {
  uint32_t size;
  if (const Status status = in.varint(&size); status != Status::ok) return status;
  const uint8_t* const field = in.take(size);
  if (!field) return Status::truncated;
  RangeDecoder decoder(field, size);
  ExpGolombModel model;
  int32_t last = 0;
  size_t first = 0;
  bool valid = true;
  for (const StateSegment& segment : std::span(layout.segments, layout.segment_count)) {
    SegmentRows(segment).for_each([&](size_t, size_t element, size_t length, size_t) {
      uint32_t value;
      valid = valid && decode_exp_golomb(decoder, model, &value) && !decoder.overrun();
      if (!valid) return;
      last += from_zigzag(value);
      valid = last >= 0 && static_cast<uint32_t>(last) <= max;
      if (valid) each(first + element, length, static_cast<uint32_t>(last));
    });
    if (!valid) return Status::corrupt;
    first += segment.count;
  }
  return decoder.finished() ? Status::ok : Status::corrupt;
}

// Positive, or 0 if allowed, and at most 1.
Status read_share(ByteReader& in, bool zero_allowed, float* value) {
  const uint8_t* const bytes = in.take(4);
  if (!bytes) return Status::truncated;
  const auto bits = load_le<uint32_t>(bytes);
  *value = float_of(bits);
  return bits <= std::bit_cast<uint32_t>(1.0f) && (zero_allowed || bits > 0) ? Status::ok : Status::corrupt;
}

// The pattern of a row's root mean square on the grid of scales; 0 if the row is all zeros.
bool row_scale(std::span<const uint32_t> row, uint32_t* scale) {
  double sum = 0;
  for (const uint32_t bits : row) {
    if (!is_finite_bits(bits)) return false;
    const double value = static_cast<double>(float_of(bits));
    sum += value * value;
  }
  const auto root = static_cast<float>(std::sqrt(sum / static_cast<double>(row.size())));
  const uint32_t rounded = (std::bit_cast<uint32_t>(root) + (1u << (kRowScaleShift - 1))) >> kRowScaleShift;
  *scale = std::min(sum > 0 ? std::max(rounded, 1u) : 0u, kRowScaleMax);
  return true;
}

}  // namespace

bool encode_first_moments(const StateBits& values, const StateBits& second, const StateLayout& layout,
                          std::vector<uint8_t>* out) {
  std::vector<int32_t> steps(layout.count);
  for (size_t i = 0; i < layout.count; ++i) {
    if (!steps_of(values[i], unit_of(second[i], kFirstMomentStep, kFirstMomentFloor), &steps[i])) return false;
  }
  append_float(kFirstMomentStep, out);
  append_float(kFirstMomentFloor, out);
  std::vector<uint8_t> contexts(layout.count);
  RowNumbers classes(out);
  size_t first = 0;
  for (const StateSegment& segment : std::span(layout.segments, layout.segment_count)) {
    SegmentRows(segment).for_each([&](size_t, size_t element, size_t length, size_t) {
      const uint32_t energy = energy_class(std::span(steps).subspan(first + element, length));
      classes.add(energy);
      std::fill_n(contexts.begin() + static_cast<ptrdiff_t>(first + element), length, static_cast<uint8_t>(energy));
    });
    first += segment.count;
  }
  classes.finish();
  append_symbols(layout, contexts, steps, out);
  return true;
}

Status decode_first_moments(ByteReader in, const StateBits& second, const StateLayout& layout, StateBits* out) {
  float step, floor;
  if (const Status status = read_share(in, false, &step); status != Status::ok) return status;
  if (const Status status = read_share(in, true, &floor); status != Status::ok) return status;
  std::vector<uint8_t> contexts(layout.count);
  const Status read =
      read_row_numbers(in, layout, kEnergyClasses - 1, [&](size_t first, size_t length, uint32_t energy) {
        std::fill_n(contexts.begin() + static_cast<ptrdiff_t>(first), length, static_cast<uint8_t>(energy));
      });
  if (read != Status::ok) return read;
  std::vector<int32_t> steps;
  if (const Status status = read_symbols(in, layout, contexts, &steps); status != Status::ok) return status;
  for (size_t i = 0; i < layout.count; ++i) (*out)[i] = moved_by(steps[i], unit_of(second[i], step, floor));
  return Status::ok;
}

bool encode_momentum(const StateBits& values, const StateLayout& layout, std::vector<uint8_t>* out) {
  append_float(kMomentumStep, out);
  std::vector<int32_t> steps(layout.count);
  RowNumbers scales(out);
  size_t first = 0;
  bool valid = true;
  for (const StateSegment& segment : std::span(layout.segments, layout.segment_count)) {
    SegmentRows(segment).for_each([&](size_t, size_t element, size_t length, size_t) {
      uint32_t scale;
      valid = valid && row_scale(std::span(values).subspan(first + element, length), &scale);
      if (!valid) return;
      scales.add(scale);
      const float unit = kMomentumStep * float_of(scale << kRowScaleShift);
      for (size_t i = first + element; i < first + element + length; ++i)
        valid = valid && steps_of(values[i], unit, &steps[i]);
    });
    first += segment.count;
  }
  if (!valid) return false;
  scales.finish();
  append_symbols(layout, std::vector<uint8_t>(layout.count), steps, out);
  return true;
}

Status decode_momentum(ByteReader in, const StateLayout& layout, StateBits* out) {
  float step;
  if (const Status status = read_share(in, false, &step); status != Status::ok) return status;
  std::vector<float> units(layout.count);
  const Status read = read_row_numbers(in, layout, kRowScaleMax, [&](size_t first, size_t length, uint32_t scale) {
    std::fill_n(units.begin() + static_cast<ptrdiff_t>(first), length, step * float_of(scale << kRowScaleShift));
  });
  if (read != Status::ok) return read;
  std::vector<int32_t> steps;
  if (const Status status = read_symbols(in, layout, std::vector<uint8_t>(layout.count), &steps); status != Status::ok)
    return status;
  for (size_t i = 0; i < layout.count; ++i) (*out)[i] = moved_by(steps[i], units[i]);
  return Status::ok;
}

}  // namespace firn
