// Counts of symbols in contexts over a team: FloatKernels::count_symbols.
#pragma once
#include <cstddef>
#include <cstdint>

#include "lossless/float/float_kernels.h"
#include "team/team.h"

namespace firn {

// Adds to counts[32 * contexts[i] + symbols[i]], memory of the team. Counts one run of kCountedRun elements in
// `stride`, the first among them, `stride` times each. A barrier at the end.
template <typename Team>
FIRN_EACH void count_pairs_team(const Team& team, const uint8_t* symbols, const uint8_t* contexts, uint32_t count,
                                uint32_t stride, uint32_t* counts) {
  constexpr auto kRun = static_cast<uint32_t>(kCountedRun);
  // Elements past the last whole run are counted one by one where a run would begin.
  const uint32_t runs = (count + kRun * stride - 1) / (kRun * stride);
  for_each_element(team, size_t{runs} * kRun, [&](size_t i) {
    const size_t at = i / kRun * kRun * stride + i % kRun;
    if (at < count) team.add(&counts[contexts[at] * 32u + symbols[at]], stride);
  });
  team.barrier();
}

}  // namespace firn
