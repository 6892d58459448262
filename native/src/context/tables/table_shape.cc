#include "context/tables/table_shape.h"

#include <algorithm>

namespace firn {
namespace {

// 2^31 * 2^(-i/8), rounded to nearest.
constexpr uint32_t kEighthOctaves[8] = {2147483648u, 1969251188u, 1805811301u, 1655936265u,
                                        1518500250u, 1392470869u, 1276901417u, 1170923762u};

// Estimates that only steer choices: a table's fixed part, and a symbol with a code; a bit more for each finer
// precision.
constexpr uint64_t kTableBits = 6, kSymbolBits = 4;

CostBits description_bits(uint32_t symbols, uint32_t precision) {
  return whole_bits(kTableBits + symbols * (kSymbolBits + precision));
}

constexpr uint32_t weight_of(uint32_t eighths) { return kEighthOctaves[eighths % 8] >> (eighths / 8); }

constexpr uint32_t eighths_of(const TableShape& shape, uint32_t symbol) {
  return uint32_t{shape.drops[symbol]} << (kShapePrecisionMax - shape.precision);
}

// cost_log2() of the weight of each drop in eighths of an octave.
constexpr auto kWeightLog2 = [] {
  std::array<CostBits, TableShape::drop_max(kShapePrecisionMax) + 1> logs{};
  for (uint32_t eighths = 0; eighths < logs.size(); ++eighths) logs[eighths] = cost_log2(weight_of(eighths));
  return logs;
}();

// Distance of each symbol's count below the largest, in bits; undefined for symbols that do not occur.
using Depths = std::array<CostBits, kContextSymbols>;

Depths depths_of(const RowCounts& counts) {
  const CostBits top = cost_log2(*std::max_element(counts.of.begin(), counts.of.end()));
  Depths depths{};
  for (uint32_t s = 0; s < kContextSymbols; ++s) {
    if (counts.of[s] != 0) depths[s] = top - cost_log2(counts.of[s]);
  }
  return depths;
}

TableShape shape_at(const RowCounts& counts, const Depths& depths, uint32_t precision) {
  TableShape shape;
  shape.precision = static_cast<uint8_t>(precision);
  const uint32_t shift = kCostFractionBits - precision;
  for (uint32_t s = 0; s < kContextSymbols; ++s) {
    const uint64_t steps = (depths[s] + (uint64_t{1} << (shift - 1))) >> shift;
    const auto drop = static_cast<uint8_t>(std::min<uint64_t>(steps, TableShape::drop_max(precision)));
    shape.drops[s] = counts.of[s] == 0 ? kShapeAbsent : drop;
  }
  return shape;
}

uint32_t symbols_in(const RowCounts& counts) {
  return static_cast<uint32_t>(kContextSymbols - std::count(counts.of.begin(), counts.of.end(), 0u));
}

}  // namespace

std::array<uint32_t, kContextSymbols> shape_weights(const TableShape& shape) {
  std::array<uint32_t, kContextSymbols> weights{};
  for (uint32_t s = 0; s < kContextSymbols; ++s) {
    if (shape.has(s)) weights[s] = weight_of(eighths_of(shape, s));
  }
  return weights;
}

std::array<CostBits, kContextSymbols> shape_costs(const TableShape& shape) {
  const auto weights = shape_weights(shape);
  uint64_t sum = 0;
  for (const uint32_t weight : weights) sum += weight;
  const CostBits whole = cost_log2(sum);
  std::array<CostBits, kContextSymbols> costs{};
  for (uint32_t s = 0; s < kContextSymbols; ++s) {
    if (shape.has(s)) costs[s] = whole - kWeightLog2[eighths_of(shape, s)];
  }
  return costs;
}

TableShape fit_shape(const RowCounts& counts) {
  const uint32_t symbols = symbols_in(counts);
  const Depths depths = depths_of(counts);
  TableShape best;
  CostBits best_cost = ~CostBits{0};
  for (uint32_t precision = 0; precision <= kShapePrecisionMax; ++precision) {
    const TableShape shape = shape_at(counts, depths, precision);
    const auto costs = shape_costs(shape);
    CostBits cost = description_bits(symbols, precision);
    for (uint32_t s = 0; s < kContextSymbols; ++s) cost += counts.of[s] * costs[s];
    if (cost >= best_cost) continue;
    best = shape;
    best_cost = cost;
  }
  return best;
}

CostBits shape_description_bits(const RowCounts& counts) { return description_bits(symbols_in(counts), 1); }

}  // namespace firn
