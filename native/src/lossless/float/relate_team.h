// Symbols of exponents (lossless/float/exponents.cc) over teams: a team takes a block at a time.
#pragma once
#include <cstddef>
#include <cstdint>

#include "lossless/float/exact_team.h"
#include "lossless/float/pair_counts_team.h"

namespace firn {

// What a pass found of a block's symbols.
struct ExactTeamRelated {
  uint32_t changed;    // elements whose symbol is not 0
  uint32_t occurring;  // bit s is set where symbol s occurs
};

// Symbols of exponents relative to the level of their chunk, and their counts.
struct ExactRelateKernel {
  static constexpr uint32_t kMembers = kExactTeamMembers, kResident = 8;
  static constexpr uint32_t kChunksMax = ExactCutKernel::kChunksMax;
  static constexpr uint32_t kKeys = kExponentPhases * 32;
  struct Shared {
    uint32_t counts[kKeys];
    uint32_t occurring[32];
    uint32_t changed;
  };
  static constexpr size_t kSharedBytes = sizeof(Shared);

  const uint8_t* exponents;  // one an element
  const ExactTeamBlock* blocks;
  uint32_t count;
  const uint8_t* firsts;  // [block][kChunksMax]: the exponent of symbol 0 in each chunk
  const uint8_t* phases;  // [block][kChunksMax]: the context of each chunk, below kExponentPhases
  uint8_t* contexts;      // one an element, as the symbols
  uint8_t* symbols;
  uint32_t* counts;         // [block][kKeys], as encode_exponents() counts them
  ExactTeamRelated* found;  // [block]

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* memory) const {
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    for (uint32_t b = team_index; b < count; b += teams) run(team, b, shared);
  }

 private:
  template <typename Team>
  FIRN_EACH void run(const Team& team, uint32_t b, Shared& shared) const {
    const ExactTeamBlock block = blocks[b];
    for_each_element(team, kKeys, [&](size_t i) { shared.counts[i] = 0; });
    for_each_element(team, 32, [&](size_t i) { shared.occurring[i] = 0; });
    if (team.rank() == 0) shared.changed = 0;
    team.barrier();
    const uint8_t* const of_block = exponents + block.first;
    uint8_t* const to = symbols + block.first;
    uint8_t* const contexts_to = contexts + block.first;
    uint32_t changed = 0, occurring = 0;
    for_each_element(team, block.count, [&](size_t i) {
      const size_t chunk = size_t{b} * kChunksMax + i / kExponentChunk;
      const auto below = static_cast<uint8_t>(firsts[chunk] - of_block[i]);
      const uint8_t symbol = of_block[i] == 0 ? uint8_t{kSymbolOfZero} : below < kSymbolOfZero ? below : uint8_t{31};
      to[i] = symbol;
      contexts_to[i] = phases[chunk];
      changed += symbol != 0;
      occurring |= 1u << symbol;
    });
    for (uint32_t s = 0; s < 32; ++s) {
      if (occurring >> s & 1) team.add(&shared.occurring[s], 1u);
    }
    team.add_all(&shared.changed, changed);
    team.barrier();
    const auto stride = static_cast<uint32_t>(block.count > kCountedWholeMax ? kCountedStride : 1);
    count_pairs_team(team, to, contexts_to, block.count, stride, shared.counts);
    if (team.rank() == 0) {
      ExactTeamRelated all{shared.changed, 0};
      for (uint32_t s = 0; s < 32; ++s) all.occurring |= static_cast<uint32_t>(shared.occurring[s] != 0) << s;
      found[b] = all;
    }
    for_each_element(team, kKeys, [&](size_t i) { counts[size_t{b} * kKeys + i] = shared.counts[i]; });
    team.barrier();
  }
};

}  // namespace firn
