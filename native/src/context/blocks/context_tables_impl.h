// A table set with its derived codes.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "context/blocks/block_modes.h"
#include "context/tables/table_set.h"
#include "firn/context_coder.h"

namespace firn {

struct ContextTables::Impl {
  Impl() = default;
  Impl(TableSet tables, std::vector<uint8_t> bytes, CostBits counted)
      : set(std::move(tables)), stored(std::move(bytes)), counted_bits(counted) {}

  // Made on first use: a search builds many tables only to learn their cost.
  const SetCodes& codes() const {
    std::call_once(codes_made_, [this] { codes_ = std::make_unique<const SetCodes>(set.shapes); });
    return *codes_;
  }

  TableSet set;
  std::vector<uint8_t> stored;  // its one stored form
  CostBits counted_bits = 0;    // counted payload bits, without the tables
  bool of_block = false;        // that was the one block they are for

 private:
  mutable std::once_flag codes_made_;
  mutable std::unique_ptr<const SetCodes> codes_;
};

}  // namespace firn
