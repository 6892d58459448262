// What moves on the lattice cost in bits, by context.
#pragma once
#include <array>
#include <cstdint>

#include "context/tables/row_counts.h"

namespace firn {

// As ContextCounts::symbol_rates, from the counts of each context.
void find_symbol_rates(const std::array<RowCounts, kContextsMax>& counts, uint8_t* rates);

}  // namespace firn
