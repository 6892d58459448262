#include "residual_quant/chain/block_start.h"

#include <algorithm>
#include <cstring>

#include "residual_quant/lattice/activity.h"
#include "residual_quant/lattice/lattice_kernels.h"

namespace firn {

void contexts_at_start(LatticeSegments segments, const int32_t* origins, uint8_t* contexts) {
  const auto kernel = lattice_kernels().contexts;
  for (size_t s = 0; s < segments.count; ++s) {
    uint8_t context;
    kernel(lattice_rule(segments.data[s], 0), &origins[s], &kStateAfterBase, 1, &context);
    std::memset(contexts, context, segments.data[s].count);
    contexts += segments.data[s].count;
  }
}

LatticeState state_at_start(LatticeSegments segments, const int32_t* origins, int32_t* values, uint8_t* activity) {
  if (std::all_of(origins, origins + segments.count, [](int32_t origin) { return origin == 0; })) return {};
  size_t first = 0;
  for (size_t s = 0; s < segments.count; ++s) {
    std::fill_n(values + first, segments.data[s].count, origins[s]);
    first += segments.data[s].count;
  }
  std::fill_n(activity, first, kStateAfterBase);
  return {values, activity};
}

}  // namespace firn
