#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <new>

#include "context/blocks/block_check.h"
#include "context/blocks/context_tables_impl.h"
#include "context/blocks/escape_field.h"
#include "context/tables/cluster_rows.h"
#include "context/tables/symbol_rates.h"
#include "context/tables/ordered_tables.h"
#include "context/tables/row_counts.h"
#include "firn/context_coder.h"

namespace firn {
namespace {

using ContextTotals = std::array<uint32_t, kContextsMax>;

// Counts a segment at a time.
class SegmentCounter {
 public:
  SegmentCounter(const uint8_t* symbols, const uint8_t* contexts, size_t count)
      : symbols_(symbols), contexts_(contexts), count_(count) {}

  void add_to(uint32_t slot, ContextStatistics* statistics) {
    if (count_ == 0) return;
    const size_t still = kernels_.count_equal(symbols_, count_, 0);
    if (std::memcmp(contexts_, contexts_ + 1, count_ - 1) == 0) {
      kernels_.count_keys(symbols_, count_, counts_[contexts_[0]].data());
    } else if (still * kStillShare > count_) {
      count_changed();
    } else {
      for (size_t i = 0; i < count_; ++i) ++counts_[contexts_[i]][symbols_[i]];
    }
    for (uint32_t c = 0; c < kContextsMax; ++c) {
      RowCounts counts;
      uint64_t total = 0;
      for (uint32_t s = 0; s < kContextSymbols; ++s) total += counts.of[s] = counts_[c][s];
      if (total > 0) statistics->row(slot, c).add(counts);
    }
  }

 private:
  // If the share of unchanged elements is above one in this many, it pays to visit only the changed ones.
  static constexpr size_t kStillShare = 2;

  void count_changed() {
    ContextTotals totals{};
    kernels_.count_keys(contexts_, count_, totals.data());
    const size_t words = count_ / kWordElements;
    const auto still = std::make_unique_for_overwrite<uint64_t[]>(words + 1);
    kernels_.mask_equal(symbols_, words, 0, still.get());
    for (size_t w = 0; w < words; ++w) {
      for (uint64_t left = ~still[w]; left != 0; left &= left - 1)
        count_one(w * kWordElements + static_cast<size_t>(std::countr_zero(left)), totals);
    }
    for (size_t i = words * kWordElements; i < count_; ++i) {
      if (symbols_[i] != 0) count_one(i, totals);
    }
    for (uint32_t c = 0; c < kContextsMax; ++c) counts_[c][0] = totals[c];
  }
  void count_one(size_t i, ContextTotals& totals) {
    ++counts_[contexts_[i]][symbols_[i]];
    --totals[contexts_[i]];
  }

  const uint8_t* symbols_;
  const uint8_t* contexts_;
  size_t count_;
  const ElementKernels& kernels_ = element_kernels();
  std::array<std::array<uint32_t, 2 * kContextSymbols>, kContextsMax> counts_{};  // count_keys() takes keys below 64
};

}  // namespace

struct ContextCounts::Impl : ContextStatistics {};

ContextCounts::ContextCounts() : impl_(std::make_unique<Impl>()) {}
ContextCounts::~ContextCounts() = default;
ContextCounts::ContextCounts(ContextCounts&&) noexcept = default;
ContextCounts& ContextCounts::operator=(ContextCounts&&) noexcept = default;

Status ContextCounts::add(const ContextBlock& block) try {
  if (!impl_) return Status::invalid_argument;
  const ContextLayout& layout = block.layout;
  if (const Status status = check_block(block, kContextSlotsMax); status != Status::ok) return status;
  if (layout.count > kContextElementsMax - impl_->elements) return Status::invalid_argument;
  size_t at = 0;
  for (size_t i = 0; i < layout.segments; ++i) {
    SegmentCounter(block.symbols + at, layout.contexts + at, layout.segment_counts[i])
        .add_to(layout.segment_slots[i], impl_.get());
    at += layout.segment_counts[i];
  }
  for (size_t i = 0; i < block.escape_count; ++i) impl_->escape_bits += escape_bits(block.escapes[i]);
  impl_->elements += layout.count;
  ++impl_->blocks;
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status ContextCounts::add_counted(const CountedBlock& block) try {
  if (!impl_ || block.count > kContextElementsMax - impl_->elements) return Status::invalid_argument;
  for (size_t i = 0; i < block.segments; ++i) {
    if (block.segment_slots[i] >= kContextSlotsMax) return Status::invalid_argument;
  }
  const uint32_t* row = block.counts;
  for (size_t i = 0; i < block.segments; ++i) {
    for (uint32_t c = 0; c < kContextsMax; ++c, row += kContextSymbols) {
      RowCounts counts;
      std::copy_n(row, kContextSymbols, counts.of.begin());
      if (counts.total() > 0) impl_->row(block.segment_slots[i], c).add(counts);
    }
  }
  for (size_t i = 0; i < block.escape_count; ++i) impl_->escape_bits += escape_bits(block.escapes[i]);
  impl_->elements += block.count;
  ++impl_->blocks;
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status ContextCounts::merge(const ContextCounts& other) try {
  if (!impl_ || !other.impl_) return Status::invalid_argument;
  if (other.impl_->elements > kContextElementsMax - impl_->elements) return Status::invalid_argument;
  for (const Row& row : other.impl_->sorted()) impl_->row(row.slot, row.context).add(row.counts);
  impl_->elements += other.impl_->elements;
  impl_->blocks += other.impl_->blocks;
  impl_->escape_bits += other.impl_->escape_bits;
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status ContextCounts::build(uint32_t slots, ContextTables* out) const try {
  if (!impl_ || slots > kContextSlotsMax) return Status::invalid_argument;
  if (!impl_->slots.empty() && impl_->slots.rbegin()->first >= slots) return Status::invalid_argument;
  ChosenTables chosen = choose_tables(impl_->sorted(), slots);
  const uint64_t other_bits = impl_->escape_bits + 8 * impl_->blocks;
  ContextTables tables;
  tables.impl_ = std::make_unique<ContextTables::Impl>(std::move(chosen.set), std::move(chosen.stored),
                                                       chosen.payload + whole_bits(other_bits));
  *out = std::move(tables);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status ContextCounts::symbol_rates(uint8_t* rates) const {
  if (!impl_) return Status::invalid_argument;
  find_symbol_rates(impl_->by_context(), rates);
  return Status::ok;
}

Status ContextTables::for_block(const BlockCounts& counts, ContextTables* out) try {
  if (counts.contexts > kContextsMax) return Status::invalid_argument;
  std::vector<Row> rows;
  for (uint32_t c = 0; c < counts.contexts; ++c) {
    Row row{0, c, {}};
    std::copy_n(counts.counts + size_t{c} * kContextSymbols, kContextSymbols, row.counts.of.begin());
    if (row.counts.total() > 0) rows.push_back(row);
  }
  ChosenTables chosen = choose_ordered_tables(rows, counts);
  ContextTables tables;
  tables.impl_ = std::make_unique<ContextTables::Impl>(std::move(chosen.set), std::move(chosen.stored), chosen.payload);
  tables.impl_->of_block = true;
  *out = std::move(tables);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
