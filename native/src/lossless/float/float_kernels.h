// Passes over a block of floats behind the context modes (exponents.cc, context_difference.cc); one set per instruction
// set, identical results.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/lossless.h"

namespace firn {

// Bits that exponents.cc stores apart from the exponents: bf16 has 8 bits more, f32 24, as planes of whole words.
//   high: the sign and the seven mantissa bits at the top, a byte each
//   low:  f32 alone, the other 16 mantissa bits, little-endian
struct FloatRest {
  uint8_t* low;  // null for bf16
  uint8_t* high;
};
struct ConstFloatRest {
  const uint8_t* low;
  const uint8_t* high;
};

// Sum over biased exponents that are not 0.
struct ExponentSum {
  uint32_t numbers, sum;
};

// Statistics of the symbols of differences.
struct SymbolsFound {
  uint64_t changed = 0;     // elements whose symbol is not 0
  uint64_t field_bits = 0;  // that the symbols leave open
  uint32_t occurring = 0;   // bit s is set where symbol s occurs
};

struct FloatKernels {
  // Cuts words into biased exponents and the rest; bf16 and f32.
  void (*cut)(const uint8_t* words, size_t count, uint8_t* exponents, const FloatRest& rest);
  void (*join)(const uint8_t* exponents, const ConstFloatRest& rest, size_t count, uint8_t* words);

  // The sum that a chunk's level is computed from; at most 2^24 exponents.
  ExponentSum (*sum_exponents)(const uint8_t* exponents, size_t count);
  // Symbols of a chunk (exponents.cc): `first` minus the exponent, kSymbolOfZero for 0, kContextEscape if that gives no
  // symbol.
  void (*relate)(const uint8_t* exponents, size_t count, uint8_t first, uint8_t* symbols);

  // Adds to counts[kContextSymbols * contexts[i] + symbols[i]], which begin at 0; contexts < kDifferenceContexts, count
  // <= kBlockElementsMax. Counts one run of kCountedRun consecutive elements in `stride`, the first among them,
  // `stride` times each.
  void (*count_symbols)(const uint8_t* symbols, const uint8_t* contexts, size_t count, size_t stride, uint32_t* counts);

  // Contexts of the elements of the previous block (difference_symbol.h), and symbols of the differences to it
  // (difference_fields.h).
  void (*contexts)(const uint8_t* previous, size_t count, uint32_t reference, uint8_t* contexts);
  SymbolsFound (*symbols)(const uint8_t* current, const uint8_t* previous, size_t count, uint8_t* symbols);
  // Writes the fields that complete the symbols, the first in the lowest bits, and zeros up to a byte. `out` has room
  // for them and kFieldSlackBytes. `field_bytes` is an estimate of their size; the written bytes do not depend on it.
  // Returns the number of bytes.
  size_t (*put_fields)(const uint8_t* current, const uint8_t* previous, const uint8_t* symbols, size_t count,
                       size_t field_bytes, uint8_t* out);
  // Rebuilds the block from previous words, symbols and fields; missing fields are read as zeros. Returns the bits that
  // the symbols call for.
  uint64_t (*apply_fields)(const uint8_t* previous, const uint8_t* symbols, const uint8_t* fields, size_t size,
                           size_t count, uint8_t* current);
};

inline constexpr size_t kFieldSlackBytes = 16;
inline constexpr size_t kCountedRun = 32;  // short, so that small tensors that share a block are met
inline constexpr size_t kCountedStride =
    4;  // of large blocks: tables are hardly worse, and counting takes a quarter of the time
inline constexpr size_t kCountedWholeMax = size_t{1} << 15;  // elements of blocks that are counted whole
inline constexpr uint8_t kSymbolOfZero =
    30;  // exponent 0: zeros and subnormals; pinned (docs/format-blocks.md, "Exponents")

// Pinned (docs/format-blocks.md, "Exponents").
inline constexpr uint32_t kExponentChunk = 256;  // elements
inline constexpr uint32_t kExponentPhases = 4;   // levels to the octave: contexts

// The set for active_isa(); f16, bf16 or f32. f16 has neither `cut` nor `join`.
const FloatKernels& float_kernels(ElementKind kind);

namespace avx2 {
const FloatKernels& float_kernels(ElementKind kind);
}
namespace avx512 {
const FloatKernels& float_kernels(ElementKind kind);
}
namespace vbmi2 {
const FloatKernels& float_kernels(ElementKind kind);
}

}  // namespace firn
