#include "lossless/float/exponent_levels.h"

#include <algorithm>
#include <memory>

#include "common/varint.h"
#include "entropy/exp_golomb.h"
#include "entropy/range_coder.h"

namespace firn {
namespace {

constexpr uint32_t kLevelMax = 255;  // in fractions of an octave below the top; pinned

// Exponents that far above a chunk's mean still have a symbol of their own.
constexpr uint32_t kRoom = 6;

}  // namespace

ExponentLevels find_exponent_levels(const std::vector<ExponentSum>& sums) {
  ExponentLevels found;
  uint32_t most = 0;
  for (const ExponentSum& sum : sums) most = std::max(most, mean_exponent(sum));
  const uint32_t top = most / kExponentPhases + 1;
  found.top = top + kRoom;
  uint32_t last = 0;
  for (const ExponentSum& sum : sums) {
    const uint32_t mean = mean_exponent(sum);
    if (mean != 0) last = std::min(kExponentPhases * top - mean, kLevelMax);
    found.levels.push_back(static_cast<uint8_t>(last));
  }
  return found;
}

void write_exponent_levels(const ExponentLevels& levels, std::vector<uint8_t>* out) {
  std::vector<uint8_t> field;
  RangeEncoder encoder(&field);
  const auto model = std::make_unique<ExpGolombModel>();
  int32_t last = 0;
  for (const uint8_t level : levels.levels) {
    const int32_t step = level - last;
    encode_exp_golomb(encoder, *model, static_cast<uint32_t>(step < 0 ? -2 * step - 1 : 2 * step));
    last = level;
  }
  encoder.finish();
  append_varint(levels.top, out);
  append_varint(static_cast<uint32_t>(field.size()), out);
  out->insert(out->end(), field.begin(), field.end());
}

Status read_exponent_levels(ByteReader& in, size_t chunks, ExponentLevels* levels) {
  uint32_t size = 0;
  if (const Status status = in.varint(&levels->top); status != Status::ok) return status;
  if (const Status status = in.varint(&size); status != Status::ok) return status;
  const uint8_t* const field = in.take(size);
  if (!field) return Status::truncated;
  RangeDecoder decoder(field, size);
  const auto model = std::make_unique<ExpGolombModel>();
  int64_t last = 0;
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    uint32_t coded = 0;
    if (!decode_exp_golomb(decoder, *model, &coded) || decoder.overrun()) return Status::corrupt;
    last += coded % 2 != 0 ? -int64_t{coded / 2} - 1 : int64_t{coded / 2};
    if (last < 0 || last > kLevelMax) return Status::corrupt;
    levels->levels.push_back(static_cast<uint8_t>(last));
  }
  return decoder.finished() ? Status::ok : Status::corrupt;
}

}  // namespace firn
