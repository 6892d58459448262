#include "context/dense/dense_thresholds.h"

#include <algorithm>

#include "common/invariant.h"

namespace firn {

void DenseThresholds::fill(const std::vector<const uint32_t*>& starts_of_symbols) {
  FIRN_INVARIANT(starts_of_symbols.size() <= kDenseTablesMax);
  tables = static_cast<uint32_t>(starts_of_symbols.size());
  std::fill(&thresholds[0][0], &thresholds[0][0] + sizeof thresholds / sizeof thresholds[0][0], uint16_t{0});
  std::fill(std::begin(first), std::end(first), uint16_t{0});
  for (uint32_t t = 0; t < tables; ++t) {
    const uint32_t* const from = starts_of_symbols[t];
    while (from[first[t] + 1] == 0) ++first[t];
    const uint32_t ranks = kContextSymbols - first[t];
    last_rank[t] = 0;
    std::fill(std::begin(before[t]), std::end(before[t]), uint16_t{0xFFFF});
    for (uint32_t r = 0; r < ranks; ++r) {
      const uint32_t start = from[first[t] + r], end = from[first[t] + r + 1];
      starts[t][r] = static_cast<uint16_t>(start);
      shares[t][r] = static_cast<uint16_t>(end - start);
      thresholds[r + 1][t] = static_cast<uint16_t>(end);
      before[t][r] = static_cast<uint16_t>(start - 1);
      if (end > start) last_rank[t] = r;
    }
  }
}

}  // namespace firn
