// Lattice blocks along a chain of packages (docs/format-blocks.md, sections 13 and 14): rebuilding a block, in which
// each link decodes its symbols and moves the state that the previous link left, and coding the next block. An
// intermediate state never leaves the caches of its processor core.
#pragma once
#include <cstddef>
#include <cstdint>

#include <vector>

#include "firn/context_coder.h"
#include "firn/residual_quant/lattice.h"
#include "firn/status.h"

namespace firn {

inline constexpr uint32_t kJointSymbolWidthMax = 4;  // most checkpoints with symbols in one payload

// The meaning of joint symbols in a payload of `width` checkpoints (docs/format-blocks.md, section 15): symbols[j *
// count + t] is the symbol of checkpoint j in joint symbol t. Joint symbols from kContextEscape on are coded as
// escapes.
struct JointSymbols {
  const uint8_t* symbols = nullptr;  // each below kContextSymbols; null for a payload of one checkpoint
  size_t count = 0;
  uint32_t width = 0;  // 2..kJointSymbolWidthMax
};

// One package's data on a block. Nothing is owned.
struct ResidualLink {
  const ContextTables* tables = nullptr;
  const uint8_t* payload = nullptr;
  size_t payload_bytes = 0;
  LatticeSegments segments;         // all links of a chain have segments of the same lengths
  const uint32_t* slots = nullptr;  // slots of the segments in the tables
  // A payload of several checkpoints corresponds to as many links, of which the last ones may be missing: each has all
  // of the above, and its own segments.
  JointSymbols joint{};
  uint32_t position = 0;  // position of the checkpoint in the payload: 0, then one more than that of the previous link
};

// The start of a block and its links: it starts at `previous`, the state before the first link. Without `previous` it
// starts at one value for each segment of the first link, in that link's units (docs/format.md, "Payloads"), with the
// activity of a base.
struct ResidualChain {
  const ResidualLink* links = nullptr;  // oldest first
  size_t count = 0;
  LatticeState previous;
  const int32_t* origins = nullptr;
};

// The state after the last link; there must be at least one. The outputs may not overlap any input. corrupt, truncated
// or unsupported on payloads that no encoder writes, or when a value exceeds kLatticeValueMax: the outputs are then
// invalid. invalid_argument when a parameter violates its range, or the segments of links differ.
Status residual_state(const ResidualChain& chain, int32_t* values, uint8_t* activity);

// The elements of the state after the last link, as lattice_values() computes them. `out` needs no alignment. Errors as
// above.
Status residual_elements(const ResidualChain& chain, Dtype dtype, void* out);

// Both at once, for who goes on from the state later.
Status residual_block(const ResidualChain& chain, int32_t* values, uint8_t* activity, Dtype dtype, void* out);

// A block to be coded at the end of a chain. Its memory belongs to the thread: a thread uses one at a time, on that
// thread only, and calls none of the functions above meanwhile. Calls must come in the order of their declarations;
// those that return a status fail like the function they name.
class ResidualCoding {
 public:
  // Rebuilds the state before the block. `segments` are the block's own; without links and `previous`, origins are in
  // their units. Errors as residual_state(). The data that `chain` and `segments` point at must outlive this object.
  Status begin(const ResidualChain& chain, LatticeSegments segments);

  // The state before the block; null for a base.
  LatticeState state() const { return state_; }

  // lattice_quantize() of `weights`. `statistics` receives one entry per segment.
  Status quantize(const void* weights, Dtype dtype, LatticeHysteresis hysteresis, LatticeStatistics* statistics);
  // Instead of quantize(): uses symbols that were found before.
  void use(const uint8_t* symbols, const uint32_t* escapes, size_t escape_count);

  // lattice_error_sums() of the symbols.
  Status error_sums(const void* weights, Dtype dtype, const void* gradients, Dtype gradient_dtype,
                    const float* gradient_scales, LatticeErrorSums* sums) const;
  // The symbols with their contexts; `slots` has one entry per segment.
  ContextBlock context_block(const uint32_t* slots);
  // The elements rebuilt from the symbols, as lattice_values() computes them; corrupt for symbols that no encoder
  // makes.
  Status elements(Dtype dtype, void* out) const;

 private:
  LatticeSegments segments_;
  LatticeState state_;
  const int32_t* origins_ = nullptr;  // the block's starting values
  size_t count_ = 0;
  const uint8_t* symbols_ = nullptr;
  const uint32_t* escapes_ = nullptr;
  size_t escape_count_ = 0;
};

}  // namespace firn
