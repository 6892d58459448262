// What moves on the lattice cost in bits, by context.
#pragma once
#include <array>
#include <cstdint>

#include "context/tables/row_counts.h"

namespace firn {

// As ContextCounts::move_prices, from the counts of each context.
void find_move_prices(const std::array<RowCounts, kContextsMax>& counts, uint8_t* prices);

}  // namespace firn
