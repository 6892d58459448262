// A probability table in its stored form: the distance of each symbol below the likeliest one, on a logarithmic scale.
//
// Few bits describe a table trained on little data, and the scale reaches far enough for the rarest symbol of the
// emptiest delta.
#pragma once
#include <array>
#include <cstdint>

#include "context/tables/row_counts.h"

namespace firn {

inline constexpr uint32_t kShapePrecisionMax = 3;  // steps of 1/8 octave
inline constexpr uint32_t kShapeOctavesMax = 24;   // a symbol's weight is at least 2^-24 of the likeliest one's
inline constexpr uint8_t kShapeAbsent = 0xFF;

struct TableShape {
  uint8_t precision = 0;                         // steps are 1 / 2^precision octaves
  std::array<uint8_t, kContextSymbols> drops{};  // in steps; kShapeAbsent for a symbol without a code

  // Largest drop at this precision.
  static constexpr uint32_t drop_max(uint32_t precision) { return kShapeOctavesMax << precision; }
  bool has(uint32_t symbol) const { return drops[symbol] != kShapeAbsent; }
  friend bool operator==(const TableShape&, const TableShape&) = default;
};
static_assert(TableShape::drop_max(kShapePrecisionMax) < kShapeAbsent);

// Weight of each symbol: 2^31 for a drop of 0, 0 for an absent one.
std::array<uint32_t, kContextSymbols> shape_weights(const TableShape& shape);

// Bits of each symbol under the shape's exact weights; unspecified for an absent one.
std::array<CostBits, kContextSymbols> shape_costs(const TableShape& shape);

// The shape for these counts (at least one is not 0) at the precision that costs least, its own description included.
TableShape fit_shape(const RowCounts& counts);

// Estimated bits of the description of a table for these counts.
CostBits shape_description_bits(const RowCounts& counts);

}  // namespace firn
