// Payloads with the joint symbols of several checkpoints (docs/format-blocks.md, section 15). Each is decoded once and
// then split, one checkpoint at a time.
#pragma once
#include "firn/residual_quant/residual.h"
#include "residual_quant/chain/block_scratch.h"

namespace firn {

// Whether the links of a chain that share payloads obey the rules of ResidualLink.
bool valid_joint_symbols(const ResidualChain& chain);

// Decodes the payload of `link` into the joint symbols, those outside the list and the escapes of `scratch`. Errors as
// ContextTables::decode().
Status decode_joint_symbols(const ResidualLink& link, const ContextLayout& layout, BlockScratch* scratch);

// Extracts the symbols of the link's own checkpoint from the output of decode_joint_symbols(); invalid ones are above
// kLatticeEscape.
void take_symbols(const ResidualLink& link, size_t count, BlockScratch* scratch);

}  // namespace firn
