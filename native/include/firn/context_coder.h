// Context coder: codes small symbols with static probabilities that depend on data known to both encoder and decoder (a
// weight's tensor and its bin in earlier checkpoints), so decoding has no serial dependency.
//
// A block is up to kBlockElementsMax elements, each with a symbol 0..31 and a context 0..63, cut into segments that
// belong to slots (a slot numbers a tensor). Symbol 0 means "unchanged" and is by far the likeliest in a late delta;
// symbol 31 announces an escape value, stored separately from the symbols. A row is a slot and a context. Rows share
// probability tables; rows are assigned to tables so that the whole cost, including tables, is least. Stored form:
// docs/format-blocks.md, sections 11 to 13.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "firn/delta.h"
#include "firn/status.h"

namespace firn {

inline constexpr uint32_t kContextSymbols = 32;
inline constexpr uint8_t kContextEscape = 31;
inline constexpr uint32_t kContextsMax = 64;
inline constexpr uint32_t kContextSlotsMax = 1u << 16;
inline constexpr uint32_t kContextTablesMax = 255;
// Most elements that one ContextCounts may count: costs are 64-bit numbers of 1/65536 bit.
inline constexpr uint64_t kContextElementsMax = uint64_t{1} << 40;

// Data of a block that both encoder and decoder have. Nothing is owned. Segments follow each other and cover the block.
struct ContextLayout {
  const uint8_t* contexts = nullptr;         // `count` of them, each < kContextsMax
  size_t count = 0;                          // elements, at most kBlockElementsMax
  const uint32_t* segment_counts = nullptr;  // elements of each segment; their sum is `count`
  const uint32_t* segment_slots = nullptr;   // each < kContextSlotsMax
  size_t segments = 0;                       // at most kBlockElementsMax; empty ones are allowed
};

struct ContextBlock {
  ContextLayout layout;
  const uint8_t* symbols = nullptr;   // layout.count of them, each < kContextSymbols
  const uint32_t* escapes = nullptr;  // one for each symbol kContextEscape, in element order
  size_t escape_count = 0;
};

class ContextTables;

// A block whose symbols somebody else has counted.
struct CountedBlock {
  // A row of kContextsMax * kContextSymbols counts for each segment: counts[context * kContextSymbols + symbol].
  const uint32_t* counts = nullptr;
  const uint32_t* segment_slots = nullptr;  // each < kContextSlotsMax
  size_t segments = 0;
  size_t count = 0;  // elements, the sum of all counts
  const uint32_t* escapes = nullptr;
  size_t escape_count = 0;
};

// Counts of a block with one slot.
struct BlockCounts {
  const uint32_t* counts;  // indexed by context * kContextSymbols + symbol
  uint32_t contexts;
  // Bit s is set if symbol s may occur although it was not counted, because counts may cover only a part of the block.
  // 0: all symbols that occur were counted.
  uint32_t occurring = 0;
};

// Symbol frequencies of every row: integers, so that blocks and parts may be added in any order.
class ContextCounts {
 public:
  ContextCounts();
  ~ContextCounts();
  ContextCounts(ContextCounts&&) noexcept;
  ContextCounts& operator=(ContextCounts&&) noexcept;

  // invalid_argument when the block violates a range stated above, or more than kContextElementsMax elements would be
  // counted.
  Status add(const ContextBlock& block);
  // What add() does with the block that was counted. invalid_argument as there.
  Status add_counted(const CountedBlock& block);
  // invalid_argument beyond kContextElementsMax.
  Status merge(const ContextCounts& other);
  // Tables for exactly these counts; the same counts give the same tables on every machine. `slots` must exceed every
  // slot that was added (invalid_argument otherwise); parse() needs the same number. A few milliseconds for thousands
  // of rows.
  Status build(uint32_t slots, ContextTables* out) const;
  // The additional cost of a move over staying put, for symbols of lattice_quantize in contexts of lattice_contexts. It
  // follows from the counts of symbols 1 (inwards), 2 (outwards) and 0 in a context, over all slots. The unit is
  // 1/kLatticeRateUnit of the mean over all such moves; at most 255, and kLatticeRateUnit if nothing was counted; in
  // the order of LatticeHysteresis::rates. Integers only. invalid_argument after a move from this object.
  Status symbol_rates(uint8_t* rates) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Immutable; may be used by many threads at once.
class ContextTables {
 public:
  ContextTables();
  ~ContextTables();
  ContextTables(ContextTables&&) noexcept;
  ContextTables& operator=(ContextTables&&) noexcept;

  // Tables for a single block. Meant for ordered contexts: consecutive contexts share a table if that pays. A few tens
  // of microseconds. invalid_argument when contexts > kContextsMax.
  static Status for_block(const BlockCounts& counts, ContextTables* out);

  // Compact stored form; empty when nothing was counted.
  std::vector<uint8_t> serialize() const;
  // Reads hostile bytes; corrupt on anything serialize() does not write, invalid_argument when slots >
  // kContextSlotsMax.
  static Status parse(const uint8_t* bytes, size_t size, uint32_t slots, ContextTables* out);

  // Bits of all blocks counted before build(): payloads and the serialized tables, and 8 bits for each block's mode.
  // Lane states and padding, up to about 1 % of a payload, are not included. For parsed tables: the serialized tables
  // alone.
  double total_bits() const;

  // Appends the block's payload. invalid_argument when the block violates a range of ContextBlock or a slot is not
  // below `slots`. Symbols without a code are stored raw, so any valid block can be encoded with any tables.
  // Deterministic.
  Status encode(const ContextBlock& block, std::vector<uint8_t>* out) const;
  // Rebuilds layout.count symbols, each < kContextSymbols, and the escape values. corrupt or truncated on bytes no
  // encoder writes, trailing bytes included; invalid_argument as for encode.
  Status decode(const uint8_t* bytes, size_t size, const ContextLayout& layout, uint8_t* symbols,
                std::vector<uint32_t>* escapes) const;

 private:
  friend class ContextCounts;
  friend class DeviceCoding;  // encodes with them on a device
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firn
