// A model's table for rans_team.h.
#pragma once
#include <algorithm>
#include <vector>

#include "entropy/rans.h"
#include "entropy/rans_team.h"

namespace firn {

inline std::vector<RansTeamSymbol> rans_team_symbols(const SymbolFrequencies& frequencies) {
  std::vector<RansTeamSymbol> symbols(frequencies.size());
  uint32_t start = 0;
  for (size_t s = 0; s < symbols.size(); ++s) {
    const uint16_t frequency = frequencies[s];
    if (frequency == 0) continue;
    const uint64_t reciprocal = std::min<uint64_t>((uint64_t{1} << 32) / frequency, ~uint32_t{0});
    symbols[s] = {static_cast<uint32_t>(reciprocal), frequency, static_cast<uint16_t>(start)};
    start += frequency;
  }
  return symbols;
}

}  // namespace firn
