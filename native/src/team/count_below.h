// Counts of flags over a team that is one warp on a device.
#pragma once
#include <cstdint>

#include "team/team.h"

namespace firn {

// Of the members below this one, how many have a flag, and how many in all. A barrier.
template <typename Team>
FIRN_EACH uint32_t count_below(const Team& team, bool flag, uint32_t* total) {
#ifdef __CUDACC__
  const uint32_t flags = __ballot_sync(0xFFFFFFFFu, flag);
  *total = static_cast<uint32_t>(__popc(flags));
  return static_cast<uint32_t>(__popc(flags & ((1u << team.rank()) - 1)));
#else
  return team.exclusive_sum(flag, total);
#endif
}

}  // namespace firn
