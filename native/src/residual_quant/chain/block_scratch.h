// Room for one block.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "firn/delta.h"

namespace firn {

struct BlockScratch {
  int32_t values[kBlockElementsMax];
  uint8_t activity[kBlockElementsMax];
  uint8_t contexts[kBlockElementsMax];
  uint8_t symbols[kBlockElementsMax];
  std::vector<uint32_t> escapes, counts;  // of a link of a chain
  uint8_t joint_symbols[kBlockElementsMax];  // of the links that share a payload
  std::vector<uint32_t> outside;             // escaped joint symbols, packed (residual_quant/chain/joint_payload.h)
  std::vector<uint32_t> outside_places;   // the elements they are of
  std::vector<uint32_t> coded_escapes, coded_counts;  // of the block being coded
};

// The thread's own scratch memory, reused for every block: the system would have to clear newly allocated memory first.
// Throws std::bad_alloc.
inline BlockScratch& block_scratch() {
  thread_local const auto scratch = std::make_unique_for_overwrite<BlockScratch>();
  return *scratch;
}

}  // namespace firn
