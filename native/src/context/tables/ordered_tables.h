// Tables for one block with ordered contexts: consecutive contexts may share one.
#pragma once
#include <vector>

#include "context/tables/cluster_rows.h"

namespace firn {

// `rows` of the block's counts in order of context, all of slot 0. Neighbours are merged, the pair that saves most
// first, for as long as that saves anything: about a hundredth of the time choose_tables() takes.
ChosenTables choose_ordered_tables(const std::vector<Row>& rows, const BlockCounts& block);

}  // namespace firn
