// How often each symbol occurred in a row or in a set of rows.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "context/tables/cost_bits.h"
#include "firn/context_coder.h"

namespace firn {

struct RowCounts {
  std::array<uint64_t, kContextSymbols> of{};

  uint64_t total() const {
    uint64_t sum = 0;
    for (const uint64_t count : of) sum += count;
    return sum;
  }
  void add(const RowCounts& other) {
    for (uint32_t s = 0; s < kContextSymbols; ++s) of[s] += other.of[s];
  }
  // Size under an ideal order-0 coder.
  CostBits entropy() const {
    CostBits spent = 0;
    uint64_t sum = 0;
    for (const uint64_t count : of) {
      if (count == 0) continue;
      sum += count;
      spent += count * cost_log2(count);
    }
    const CostBits whole = sum == 0 ? 0 : sum * cost_log2(sum);
    return whole > spent ? whole - spent : 0;  // rounding can leave a single symbol a little below zero
  }
};

struct Row {
  uint32_t slot;
  uint32_t context;
  RowCounts counts;
};

// Everything a table set is built from.
struct ContextStatistics {
  using SlotRows = std::array<uint32_t, kContextsMax>;  // one more than the index into `rows`; 0: the row did not occur
  std::map<uint32_t, SlotRows> slots;
  std::vector<RowCounts> rows;
  uint64_t elements = 0;
  uint64_t blocks = 0;
  uint64_t escape_bits = 0;

  RowCounts& row(uint32_t slot, uint32_t context) {
    uint32_t& index = slots[slot][context];
    if (index == 0) {
      rows.emplace_back();
      index = static_cast<uint32_t>(rows.size());
    }
    return rows[index - 1];
  }
  // Counts of each context over all slots.
  std::array<RowCounts, kContextsMax> by_context() const {
    std::array<RowCounts, kContextsMax> sums{};
    for (const auto& [slot, contexts] : slots) {
      for (uint32_t c = 0; c < kContextsMax; ++c) {
        if (contexts[c] != 0) sums[c].add(rows[contexts[c] - 1]);
      }
    }
    return sums;
  }
  // In order of slot, then context.
  std::vector<Row> sorted() const {
    std::vector<Row> list;
    list.reserve(rows.size());
    for (const auto& [slot, contexts] : slots) {
      for (uint32_t c = 0; c < kContextsMax; ++c) {
        if (contexts[c] != 0) list.push_back({slot, c, rows[contexts[c] - 1]});
      }
    }
    return list;
  }
};

}  // namespace firn
