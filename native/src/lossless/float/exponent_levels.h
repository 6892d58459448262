// Levels of exponents (docs/format-blocks.md, "Exponents"): each chunk's exponents are coded relative to about their
// mean.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/byte_reader.h"
#include "firn/status.h"
#include "lossless/float/float_kernels.h"

namespace firn {

constexpr size_t exponent_chunks(size_t count) { return (count + kExponentChunk - 1) / kExponentChunk; }

// Mean of the exponents of a chunk in fractions of an octave, zeros left out; 0 when there are only zeros.
constexpr uint32_t mean_exponent(const ExponentSum& of) {
  return of.numbers == 0 ? 0 : (kExponentPhases * of.sum + of.numbers / 2) / of.numbers;
}

struct ExponentLevels {
  uint32_t top = 0;             // exponent of symbol 0 in a chunk of level 0
  std::vector<uint8_t> levels;  // of each chunk

  // The exponent of symbol 0.
  uint8_t first_exponent(size_t chunk) const { return static_cast<uint8_t>(top - levels[chunk] / kExponentPhases); }
  uint8_t context(size_t chunk) const { return levels[chunk] % kExponentPhases; }
};

// `sums` of each chunk's exponents; at least one.
ExponentLevels find_exponent_levels(const std::vector<ExponentSum>& sums);
void write_exponent_levels(const ExponentLevels& levels, std::vector<uint8_t>* out);
// corrupt or truncated on anything write_exponent_levels() does not write for so many chunks.
Status read_exponent_levels(ByteReader& in, size_t chunks, ExponentLevels* levels);

}  // namespace firn
