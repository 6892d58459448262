// Symbols of a block by table, counted in every eighth element, over teams: what the dense mode's lanes are chosen by.
#pragma once
#include <cstddef>
#include <cstdint>

#include "context/dense/dense_encode_team.h"
#include "team/team.h"

namespace firn {

inline constexpr uint32_t kDenseSampled = 8;  // kSampled of context/blocks/block_modes.h

// Adds to counts[table][symbol].
struct DenseSampleKernel {
  static constexpr uint32_t kMembers = 256, kResident = 8, kElementsOfTeam = 1u << 15;
  static constexpr uint32_t kCells = kDenseTeamTables * kDenseTeamSymbols;
  static constexpr size_t kSharedBytes = kCells * sizeof(uint32_t);

  const uint8_t* indexes;  // for each element, below kDenseTeamTables
  const uint8_t* symbols;  // below kDenseTeamSymbols
  uint32_t count;
  uint32_t* counts;        // kCells

  uint32_t teams(uint32_t) const { return (count + kElementsOfTeam - 1) / kElementsOfTeam; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char* shared) const {
    auto* const own = reinterpret_cast<uint32_t*>(shared);
    for_each_element(team, kCells, [&](size_t i) { own[i] = 0; });
    team.barrier();
    const uint32_t begin = team_index * kElementsOfTeam;
    const uint32_t there = count - begin < kElementsOfTeam ? count - begin : kElementsOfTeam;
    for_each_element(team, (there + kDenseSampled - 1) / kDenseSampled, [&](size_t i) {
      const size_t at = begin + i * kDenseSampled;
      const uint32_t cell = indexes[at] * kDenseTeamSymbols + symbols[at];
      if (cell < kCells) team.add(&own[cell], 1u);
    });
    team.barrier();
    for_each_element(team, kCells, [&](size_t i) {
      if (own[i] > 0) team.add_outside(&counts[i], own[i]);
    });
  }
};

}  // namespace firn
