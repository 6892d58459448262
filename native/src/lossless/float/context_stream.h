// A context block with tables of its own, as the exact modes store it: varint lengths, tables, block
// (docs/format-blocks.md, sections 11 to 13).
#pragma once
#include <cstdint>
#include <vector>

#include "common/byte_reader.h"
#include "common/varint.h"
#include "firn/context_coder.h"

namespace firn {

// Of a block that has been coded with these tables.
inline void append_context_parts(const ContextTables& tables, const std::vector<uint8_t>& coded,
                                 std::vector<uint8_t>* out) {
  const std::vector<uint8_t> stored = tables.serialize();
  for (const std::vector<uint8_t>* part : {&stored, &coded}) {
    append_varint(static_cast<uint32_t>(part->size()), out);
    out->insert(out->end(), part->begin(), part->end());
  }
}

// `block` has one segment and slot 0. invalid_argument, out_of_memory.
inline Status append_context_stream(const ContextBlock& block, const BlockCounts& counts, std::vector<uint8_t>* out) {
  ContextTables tables;
  if (const Status status = ContextTables::for_block(counts, &tables); status != Status::ok) return status;
  std::vector<uint8_t> coded;
  if (const Status status = tables.encode(block, &coded); status != Status::ok) return status;
  append_context_parts(tables, coded, out);
  return Status::ok;
}

// Reads the output of append_context_stream(); truncated or corrupt on anything else.
inline Status read_context_stream(ByteReader& in, const ContextLayout& layout, uint8_t* symbols,
                                  std::vector<uint32_t>* escapes) {
  const uint8_t* parts[2];
  uint32_t sizes[2];
  for (size_t k = 0; k < 2; ++k) {
    if (const Status status = in.varint(&sizes[k]); status != Status::ok) return status;
    parts[k] = in.take(sizes[k]);
    if (!parts[k]) return Status::truncated;
  }
  ContextTables tables;
  if (const Status status = ContextTables::parse(parts[0], sizes[0], 1, &tables); status != Status::ok) return status;
  return tables.decode(parts[1], sizes[1], layout, symbols, escapes);
}

}  // namespace firn
