// Checks that a block keeps the ranges of ContextBlock.
#pragma once
#include "context/blocks/element_tables.h"
#include "firn/context_coder.h"

namespace firn {

inline Status check_block(const ContextBlock& block, uint32_t slots) {
  if (const Status status = check_layout(block.layout, slots); status != Status::ok) return status;
  const ElementKernels& kernels = element_kernels();
  if (kernels.unite(block.symbols, block.layout.count) >= kContextSymbols) return Status::invalid_argument;
  const size_t announced = kernels.count_equal(block.symbols, block.layout.count, kContextEscape);
  return announced == block.escape_count ? Status::ok : Status::invalid_argument;
}

}  // namespace firn
