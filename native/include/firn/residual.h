// Rebuilding a block of the lattice along a chain of packages (docs/format-blocks.md, sections 13 and 14): each link decodes its symbols and moves
// the state that the link before left. A state in between never leaves the caches of the core that works on it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/context_coder.h"
#include "firn/lattice.h"
#include "firn/status.h"

namespace firn {

// What one package says of a block. Nothing is owned.
struct ResidualLink {
  const ContextTables* tables = nullptr;
  const uint8_t* payload = nullptr;
  size_t payload_bytes = 0;
  LatticeSegments segments;         // all links of a chain have segments of the same lengths
  const uint32_t* slots = nullptr;  // of the segments, in the tables
};

// Where a block starts: at `previous`, the state before the first link, or without one at a value for each segment of the first link, in that
// link's units (docs/format.md, "Payloads"), with the activity of a base.
struct ResidualChain {
  const ResidualLink* links = nullptr;  // oldest first, at least one
  size_t count = 0;
  LatticeState previous;
  const int32_t* origins = nullptr;
};

// The state after the last link. The outputs may not overlap any input.
// corrupt, truncated or unsupported on payloads that no encoder writes, or when a value passes kLatticeValueMax: what was written is then of no use.
// invalid_argument when a parameter breaks its range, or links differ in their segments.
Status residual_state(const ResidualChain& chain, int32_t* values, uint8_t* activity);

// The elements that the state after the last link stands for, as lattice_values() gives them. `out` needs no alignment. Errors as above.
Status residual_elements(const ResidualChain& chain, Dtype dtype, void* out);

}  // namespace firn
