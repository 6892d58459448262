// Chooses which rows share a table, so that payloads, tables and map together are smallest.
#pragma once
#include <vector>

#include "context/tables/row_counts.h"
#include "context/tables/table_set.h"

namespace firn {

struct ChosenTables {
  TableSet set;
  std::vector<uint8_t> stored;  // write_table_set(set)
  CostBits payload = 0;         // of everything counted, escape values left out
};

// `rows` in order of slot, then context, every slot below `slots`. Greedy and bounded: rows with few counts are first
// merged with those most like them; at most kSeedsMax groups are then merged two at a time; finally every row picks the
// table that suits it.
ChosenTables choose_tables(const std::vector<Row>& rows, uint32_t slots);

// Pairs are compared two by two, 2^13 of them at first: a few milliseconds.
inline constexpr size_t kSeedsMax = 128;

}  // namespace firn
