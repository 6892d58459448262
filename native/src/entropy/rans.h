// Static range asymmetric numeral systems (Duda, arXiv 1311.2540) over bytes, with one frequency table or one for each
// context.
//
// 32-bit states, renormalised by 16-bit words, 12- or 14-bit probabilities, 1 or 8 interleaved lanes
// (docs/format-blocks.md, "rANS").
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/byte_reader.h"
#include "entropy/range_coder.h"
#include "firn/status.h"

namespace firn {

using SymbolCounts = std::array<uint32_t, 256>;
using SymbolFrequencies = std::array<uint16_t, 256>;  // sum 2^bits

// Contexts with tables of their own that one stream may have.
inline constexpr uint32_t kRansTablesMax = 32;

// Streams of that many symbols have eight lanes; below it their states would cost more than the speed is worth.
inline constexpr size_t kRansManyLanesFrom = size_t{1} << 14;

// Frequency tables of a stream, all with the same precision.
struct RansModel {
  uint32_t bits = 12;  // 12, or 14 for very skewed data
  std::vector<SymbolFrequencies> tables;
};

// A model for these counts (1..kRansTablesMax of them; a table without symbols gives all its weight to symbol 0).
// Deterministic.
RansModel rans_model(const std::vector<SymbolCounts>& counts);

void write_rans_model(RangeEncoder& encoder, const RansModel& model);
// False on anything write_rans_model does not write. `tables` of them are read.
bool read_rans_model(RangeDecoder& decoder, uint32_t tables, RansModel* model);

// Appends the coded symbols. `contexts` gives each symbol's table; null means table 0. Every symbol must have a
// frequency in its table.
void rans_encode(const uint8_t* symbols, const uint8_t* contexts, size_t count, const RansModel& model,
                 std::vector<uint8_t>* out);

// Reads the output of rans_encode for `count` symbols. corrupt unless the states end where an encoder starts.
Status rans_decode(ByteReader& in, const uint8_t* contexts, size_t count, const RansModel& model, uint8_t* symbols);

}  // namespace firn
