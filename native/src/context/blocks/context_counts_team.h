// Counts of the symbols of each context over teams (ContextCounts::add, firn/context_coder.h).
#pragma once
#include "context/blocks/context_pieces.h"

namespace firn {

inline constexpr uint32_t kCountsContexts = 64, kCountsSymbols = 32;
inline constexpr uint32_t kCountsRow = kCountsContexts * kCountsSymbols;  // of a slot

// Adds to counts[slot][context][symbol]. The elements of a slot in all launches that add to the same counts are fewer
// than 2^32. Arrays of elements begin at a multiple of 16.
struct ContextCountsKernel {
  static constexpr uint32_t kMembers = 256;
  static constexpr uint32_t kResident = 8;
  static constexpr size_t kSharedBytes = kCountsRow * sizeof(uint32_t);

  const uint8_t* symbols;
  const uint8_t* contexts;
  const ContextPiece* pieces;
  uint32_t count;  // of pieces
  uint32_t* counts;

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* shared) const {
    auto* const own = reinterpret_cast<uint32_t*>(shared);
    for (uint32_t p = team_index; p < count; p += teams) {
      const ContextPiece piece = pieces[p];
      for_each_element(team, kCountsRow, [&](size_t key) { own[key] = 0; });
      team.barrier();
      for_each_span(team, piece, [&](uint64_t first, uint32_t elements) {
        if (elements == sizeof(Sixteen)) {
          const Sixteen symbol = *reinterpret_cast<const Sixteen*>(symbols + first);
          const Sixteen context = *reinterpret_cast<const Sixteen*>(contexts + first);
          FIRN_UNROLL
          for (uint32_t i = 0; i < sizeof(Sixteen); ++i)
            team.add(&own[place(byte_of(context, i), byte_of(symbol, i))], 1u);
        } else {
          for (uint32_t i = 0; i < elements; ++i) team.add(&own[place(contexts[first + i], symbols[first + i])], 1u);
        }
      });
      team.barrier();
      for_each_element(team, kCountsRow, [&](size_t key) {
        const uint32_t context = static_cast<uint32_t>(key) / kCountsSymbols;
        const uint32_t counted = own[place(context, static_cast<uint32_t>(key) % kCountsSymbols)];
        if (counted > 0) team.add_outside(&counts[size_t{piece.slot} * kCountsRow + key], counted);
      });
      team.barrier();
    }
  }

 private:
  // In the shared memory: the likeliest symbol of each context is in another bank. Bits beyond the ranges are ignored.
  FIRN_EACH static uint32_t place(uint32_t context, uint32_t symbol) {
    context %= kCountsContexts;
    return context * kCountsSymbols + (symbol + context) % kCountsSymbols;
  }
};

}  // namespace firn
