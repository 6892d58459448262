// The stored form of a package's context tables: the tables, and which row uses which.
#pragma once
#include <cstdint>
#include <vector>

#include "context/tables/table_shape.h"
#include "firn/status.h"

namespace firn {

struct TableSet {
  std::vector<TableShape> shapes;  // at most kContextTablesMax
  uint32_t slots = 0;
  // The map is there only when there are two tables or more; a single one serves every row.
  uint32_t contexts = 0;     // rows of a context at or above this have no table
  std::vector<uint8_t> map;  // slots * contexts table numbers, slot by slot
  std::vector<uint8_t>
      references;  // for each slot, how many slots back the one is whose tables it is described by; 0: none

  bool has_map() const { return shapes.size() > 1; }
};

inline constexpr uint32_t kReferenceMax = 32;  // slots

// Empty for a set without tables.
std::vector<uint8_t> write_table_set(const TableSet& set);
// Reads the tables of `slots` slots. corrupt on anything write_table_set does not write.
Status read_table_set(const uint8_t* bytes, size_t size, uint32_t slots, TableSet* set);

}  // namespace firn
