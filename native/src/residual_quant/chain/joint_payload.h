// Payloads that hold the symbols of several checkpoints (docs/format-blocks.md, section 15), decoded once and then taken
// apart a checkpoint at a time.
#pragma once
#include "firn/residual.h"
#include "residual_quant/chain/block_scratch.h"

namespace firn {

// Whether the parts of a chain that share payloads are such as ResidualLink says.
bool valid_tuples(const ResidualChain& chain);

// Decodes the payload of `link` into the tuples, the tuples outside and the escapes of `scratch`. Errors as
// ContextTables::decode().
Status decode_tuples(const ResidualLink& link, const ContextLayout& layout, BlockScratch* scratch);

// The symbols of the link's own checkpoint, from what decode_tuples() left; those that do not exist are above
// kLatticeEscape.
void take_symbols(const ResidualLink& link, size_t count, BlockScratch* scratch);

}  // namespace firn
