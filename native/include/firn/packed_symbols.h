// Symbols of a block with their contexts, packed to be kept in memory: a fraction of a byte for each element, where
// arrays of both take two. They are never stored, so their form may change at any time.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "firn/context_coder.h"
#include "firn/status.h"

namespace firn {

// Most pairs of a context and a symbol with a number of their own; all others share one number.
inline constexpr size_t kNumberedPairsMax = 255;

class PackedSymbols {
 public:
  // Packs a block; its slots are not kept. A few nanoseconds an element. invalid_argument when a symbol or a context
  // violates its range; out_of_memory.
  Status pack(const ContextBlock& block);

  // Elements of the block; 0 before the first pack().
  size_t count() const { return count_; }
  const std::vector<uint32_t>& escapes() const { return escapes_; }
  // Memory of this object and all that it owns.
  size_t bytes() const;

  // `symbols` and `contexts` receive count() of each. out_of_memory.
  Status unpack(uint8_t* symbols, uint8_t* contexts) const;

 private:
  size_t count_ = 0;
  // A pair is a context * kContextSymbols + a symbol. Its number is its place here; the most frequent come first.
  std::vector<uint16_t> pairs_;
  // The pairs without a number, in element order.
  std::vector<uint16_t> rare_;
  std::vector<uint32_t> escapes_;
  // The numbers under static rANS, and the frequencies of that (entropy/rans.h).
  uint32_t model_bits_ = 0;
  std::array<uint16_t, kNumberedPairsMax + 1> frequencies_{};
  std::unique_ptr<uint8_t[]> coded_;
  size_t coded_bytes_ = 0;
};

}  // namespace firn
