// The symbol codes of the tables a block meets, laid out for the vector kernels of the dense mode; and those kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "context/element_tables.h"
#include "context/lane_decoder.h"
#include "context/table_codes.h"

namespace firn {

// Tables that fit the registers of the kernels.
inline constexpr uint32_t kDenseTablesMax = 32;

struct DenseThresholds {
  // starts[k][t]: the first slot of symbol k of table t, kSlots for k = kContextSymbols and for unused tables.
  alignas(64) uint32_t starts[kContextSymbols + 1][kDenseTablesMax];
  uint32_t tables;  // in use
};

// Takes whole rounds of kLanesMax symbols, as many as `count` allows, while at least kDenseWordsBytes can be read at lanes->next.
// indexes[i] < kDenseTablesMax. Returns the number of symbols; moves states and lanes->next.
using DenseKernel = size_t (*)(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes,
                               uint8_t* symbols);
inline constexpr size_t kDenseWordsBytes = 2 * kLanesMax;

size_t dense_rounds_avx2(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes, uint8_t* symbols);
size_t dense_rounds_avx512(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes, uint8_t* symbols);

}  // namespace firn
