// The symbol codes of the tables a block meets, laid out for the vector kernels of the dense mode; and those kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "context/lanes/lane_decoder.h"
#include "context/lanes/table_codes.h"

namespace firn {

// The kernels need at least this many lanes, in multiples of it.
inline constexpr uint32_t kDenseLanesMin = 32;

// Tables whose thresholds fit the registers of the kernels.
inline constexpr uint32_t kDenseTablesMax = 32;

// Leading symbols without slots are left out: rank r is symbol first[t] + r. So every threshold, the first slot of a
// rank from 1 on, is above 0, and d = slot - threshold modulo 2^16 is below the slot exactly if the slot has reached
// the threshold. The least d is the slot's place in its share, and the least minus the largest is the share.
struct DenseThresholds {
  // Fills all `tables` tables; each entry of `starts_of_symbols` is as in SlotFinder::starts.
  void fill(const std::vector<const uint32_t*>& starts_of_symbols);

  uint32_t tables;
  uint32_t last_rank[kDenseTablesMax];
  alignas(64) uint16_t first[kDenseTablesMax];
  // By rank, then table.
  alignas(64) uint16_t thresholds[kContextSymbols + 1][kDenseTablesMax];  // modulo 2^16: 0 past the last rank
  // By table, then rank; shares are numbers of slots modulo 2^16.
  alignas(64) uint16_t starts[kDenseTablesMax][kContextSymbols];
  alignas(64) uint16_t shares[kDenseTablesMax][kContextSymbols];
  // The slot before the first one of a rank from 1 on, which has reached the rank when it is larger; a slot that none
  // is above past the last rank.
  alignas(64) uint16_t before[kDenseTablesMax][kContextSymbols];
};

// Decodes whole rounds of one symbol per lane, as many as `count` allows, while two bytes per lane can be read at
// lanes->next. There are 32 or 64 lanes; indexes[i] < thresholds.tables, or `indexes` is null if all elements have
// table 0. Returns the number of symbols; advances states and lanes->next.
using DenseKernel = size_t(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count,
                           LaneDecoder::Window* lanes, uint8_t* symbols);

// Ranks are found in steps of this many, and then inside of one.
inline constexpr uint32_t kRankStep = 4;

namespace avx2 {
DenseKernel dense_rounds;
}
namespace avx512 {
DenseKernel dense_rounds;
}
namespace vbmi2 {
DenseKernel dense_rounds;
}

}  // namespace firn
