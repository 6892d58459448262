// Whether levels can be assigned with a map.
#pragma once
#include "codebook_quant/partition/partition_kernels.h"
#include "firn/codebook_quant/assign.h"

namespace firn {

// False where assign_levels() answers invalid_argument.
bool takes_levels(const LevelMap& map, const PartitionRule& rule);

}  // namespace firn
