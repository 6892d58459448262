#include "context/blocks/element_tables.h"

#include <algorithm>
#include <bitset>
#include <cstring>

namespace firn {
Status check_layout(const ContextLayout& layout, uint32_t slots) {
  if (layout.count > kBlockElementsMax || layout.segments > kBlockElementsMax) return Status::invalid_argument;
  uint64_t covered = 0;
  for (size_t i = 0; i < layout.segments; ++i) {
    covered += layout.segment_counts[i];
    if (layout.segment_slots[i] >= slots) return Status::invalid_argument;
  }
  return covered == layout.count && element_kernels().unite(layout.contexts, layout.count) < kContextsMax
             ? Status::ok
             : Status::invalid_argument;
}

std::vector<uint8_t> tables_in_slots(const TableSet& set, const uint32_t* counts, const uint32_t* slots,
                                     size_t segments) {
  std::bitset<kContextTablesMax + 1> found;
  for (size_t i = 0; i < segments; ++i) {
    if (counts[i] == 0) continue;
    const uint8_t* const row = &set.map[size_t{slots[i]} * set.contexts];
    for (uint32_t c = 0; c < set.contexts; ++c) found.set(row[c]);
  }
  std::vector<uint8_t> tables;
  for (uint32_t t = 0; t < found.size(); ++t) {
    if (found[t]) tables.push_back(static_cast<uint8_t>(t));
  }
  return tables;
}

ElementTables::ElementTables(const TableSet& set, const ContextLayout& layout)
    : count_(layout.count), indexes_(take_scratch(words_for(layout.count) * kWordElements + 1)) {
  const size_t padded = words_for(count_) * kWordElements;
  std::memset(indexes_.get() + count_, kNone, padded - count_);
  if (set.has_map()) {
    tables_ = tables_in_slots(set, layout.segment_counts, layout.segment_slots, layout.segments);
    look_up(set, layout);
  } else if (set.shapes.empty()) {
    complete_ = count_ == 0;
  } else {
    tables_ = {0};
    std::memset(indexes_.get(), 0, count_);
  }
}

void ElementTables::look_up(const TableSet& set, const ContextLayout& layout) {
  std::array<uint8_t, 256> index_of{};
  for (size_t k = 0; k < tables_.size(); ++k) index_of[tables_[k]] = static_cast<uint8_t>(k);
  const ElementKernels& kernels = element_kernels();
  const uint8_t all = kernels.unite(layout.contexts, layout.count);
  const uint32_t sixteens = all / 16 + 1;
  std::array<uint8_t, kContextsMax> row;
  row.fill(kNone);
  size_t at = 0;
  for (size_t i = 0; i < layout.segments; ++i) {
    const uint8_t* const tables = &set.map[size_t{layout.segment_slots[i]} * set.contexts];
    for (uint32_t c = 0; c < set.contexts; ++c) row[c] = index_of[tables[c]];
    kernels.look_up(layout.contexts + at, layout.segment_counts[i], row.data(), sixteens, indexes_.get() + at);
    at += layout.segment_counts[i];
  }
  complete_ = all < set.contexts || !std::memchr(indexes_.get(), kNone, count_);
}

}  // namespace firn
