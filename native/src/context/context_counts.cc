#include <memory>
#include <new>

#include "context/block_check.h"
#include "context/cluster_rows.h"
#include "context/context_tables_impl.h"
#include "context/escape_field.h"
#include "context/row_counts.h"
#include "firn/context_coder.h"

namespace firn {
namespace {

// Counters of one segment: several for each symbol, since neighbours of one kind would wait for each other's.
class SegmentCounters {
 public:
  static constexpr size_t kParts = 4;

  void add(const uint8_t* symbols, const uint8_t* contexts, size_t count, uint32_t slot, ContextStatistics* statistics) {
    size_t i = 0;
    for (; i + kParts <= count; i += kParts) {
      for (size_t part = 0; part < kParts; ++part) ++counts_[part][index(symbols[i + part], contexts[i + part])];
    }
    for (; i < count; ++i) ++counts_[0][index(symbols[i], contexts[i])];
    for (uint32_t c = 0; c < kContextsMax; ++c) drain(c, slot, statistics);
  }

 private:
  static size_t index(uint8_t symbol, uint8_t context) { return size_t{context} * kContextSymbols + symbol; }

  // Moves a context's counters to its row.
  void drain(uint32_t context, uint32_t slot, ContextStatistics* statistics) {
    RowCounts counts;
    uint64_t total = 0;
    for (auto& part : counts_) {
      for (uint32_t s = 0; s < kContextSymbols; ++s) {
        uint32_t& count = part[context * kContextSymbols + s];
        counts.of[s] += count;
        total += count;
        count = 0;
      }
    }
    if (total > 0) statistics->row(slot, context).add(counts);
  }

  uint32_t counts_[kParts][kContextsMax * kContextSymbols] = {};  // 32 KiB
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
  const auto counters = std::make_unique<SegmentCounters>();
  size_t at = 0;
  for (size_t i = 0; i < layout.segments; ++i) {
    counters->add(block.symbols + at, layout.contexts + at, layout.segment_counts[i], layout.segment_slots[i], impl_.get());
    at += layout.segment_counts[i];
  }
  for (size_t i = 0; i < block.escape_count; ++i) impl_->escape_bits += escape_bits(block.escapes[i]);
  impl_->elements += layout.count;
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
  tables.impl_ = std::make_unique<ContextTables::Impl>(std::move(chosen.set), std::move(chosen.stored), chosen.payload + whole_bits(other_bits));
  *out = std::move(tables);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
