// Blocks of the lattice along a chain of packages (docs/format-blocks.md, sections 13 and 14): rebuilding one, where
// each link decodes its symbols and changes the state of the link before, and coding the next one. States in between
// never leave the caches of the processor core that works on them.
#pragma once
#include <cstddef>
#include <cstdint>

#include <vector>

#include "firn/context_coder.h"
#include "firn/lattice.h"
#include "firn/status.h"

namespace firn {

inline constexpr uint32_t kJointSymbolWidthMax = 4;  // checkpoints whose symbols one payload may hold

// The joint symbols of `width` checkpoints in one payload (docs/format-blocks.md, section 15): symbols[j * count + t]
// is the symbol of checkpoint j in tuple t. Tuples from kContextEscape on are escaped.
struct JointSymbols {
  const uint8_t* symbols = nullptr;  // each below kContextSymbols; null for a payload of one checkpoint
  size_t count = 0;
  uint32_t width = 0;  // 2..kJointSymbolWidthMax
};

// One package's data of a block. Nothing is owned.
struct ResidualLink {
  const ContextTables* tables = nullptr;
  const uint8_t* payload = nullptr;
  size_t payload_bytes = 0;
  LatticeSegments segments;         // all links of a chain have segments of the same lengths
  const uint32_t* slots = nullptr;  // of the segments, in the tables
  // A payload of several checkpoints stands for as many links, of which the last ones may be missing: each has all that
  // is above, and its own segments.
  JointSymbols tuples{};
  uint32_t position = 0;  // of the checkpoint in the payload: 0, and then one more than that of the link before
};

// The start of a block, and the links that change it. It starts at `previous`, the state before the first link. Without
// one, it starts at an origin for each segment of the first link, in that link's units (docs/format.md, "Payloads"),
// with the activity of a base.
struct ResidualChain {
  const ResidualLink* links = nullptr;  // oldest first
  size_t count = 0;
  LatticeState previous;
  const int32_t* origins = nullptr;
};

// The state after the last link, of which there is at least one. The outputs may not overlap any input. corrupt,
// truncated or unsupported on payloads that no encoder writes, or when a value passes kLatticeValueMax; the written
// outputs are then invalid. invalid_argument when a parameter breaks its range, or links differ in their segments.
Status residual_state(const ResidualChain& chain, int32_t* values, uint8_t* activity);

// The elements that the state after the last link stands for, as lattice_values() gives them. `out` needs no alignment.
// Errors as above.
Status residual_elements(const ResidualChain& chain, Dtype dtype, void* out);

// A block that is being coded behind a chain. Its memory belongs to the thread: a thread has one at a time, used on
// that thread alone, and calls none of the functions above meanwhile. Calls follow each other as they stand here; those
// that return a status refuse as the function they name.
class ResidualCoding {
 public:
  // Rebuilds the state before the block. `segments` are the block's own; without links and `previous`, origins are in
  // their units. Errors as residual_state(). The data that `chain` and `segments` point at must outlive this object.
  Status begin(const ResidualChain& chain, LatticeSegments segments);

  // lattice_quantize() of `weights`. `statistics` receives one entry a segment.
  Status quantize(const void* weights, Dtype dtype, LatticeHysteresis hysteresis, LatticeStatistics* statistics);
  // In place of it: symbols that were found before.
  void use(const uint8_t* symbols, const uint32_t* escapes, size_t escape_count);

  // lattice_error_sums() of the symbols.
  Status error_sums(const void* weights, Dtype dtype, const void* gradients, Dtype gradient_dtype,
                    const float* gradient_scales, LatticeErrorSums* sums) const;
  // The symbols with their contexts; `slots` has one entry a segment.
  ContextBlock context_block(const uint32_t* slots);
  // The elements after applying the symbols, as lattice_values() gives them; corrupt for symbols that no encoder makes.
  Status elements(Dtype dtype, void* out) const;

 private:
  LatticeSegments segments_;
  LatticeState state_;
  const int32_t* origins_ = nullptr;  // where the block starts
  size_t count_ = 0;
  const uint8_t* symbols_ = nullptr;
  const uint32_t* escapes_ = nullptr;
  size_t escape_count_ = 0;
};

}  // namespace firn
