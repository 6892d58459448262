#include "context/blocks/context_counts_team.h"
#include "context/blocks/element_tables_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(context_counts, firn::ContextCountsKernel)
FIRN_LAUNCH(element_tables, firn::ElementTablesKernel)
