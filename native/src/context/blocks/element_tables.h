// The table that codes each element of a block.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/scratch.h"
#include "context/blocks/element_kernels.h"
#include "context/tables/table_set.h"
#include "firn/context_coder.h"

namespace firn {

// invalid_argument when the layout breaks a range of ContextLayout, or a slot is not below `slots`.
Status check_layout(const ContextLayout& layout, uint32_t slots);

// The tables that elements of segments in these slots can have, ascending. The set has a map.
std::vector<uint8_t> tables_in_slots(const TableSet& set, const uint32_t* counts, const uint32_t* slots,
                                     size_t segments);

// A table number for each element, dense among the tables that its block can use, so that few tables are read even if a
// package has many.
class ElementTables {
 public:
  // `layout` has been checked against set.slots.
  ElementTables(const TableSet& set, const ContextLayout& layout);

  // False if an element's row has no table; no other member may be called then.
  bool complete() const { return complete_; }

  size_t count() const { return count_; }
  // For each element an index into tables(); kNone up to a whole word.
  const uint8_t* indexes() const { return indexes_.get(); }
  // Table numbers, ascending; some may have no element.
  const std::vector<uint8_t>& tables() const { return tables_; }

  // Whether all elements have the same table; there is at least one.
  bool alike() const { return std::memcmp(indexes_.get(), indexes_.get() + 1, count_ - 1) == 0; }

  static constexpr uint8_t kNone = 0xFF;

 private:
  void look_up(const TableSet& set, const ContextLayout& layout);

  size_t count_;
  bool complete_ = true;
  std::vector<uint8_t> tables_;
  Scratch indexes_;
};

}  // namespace firn
