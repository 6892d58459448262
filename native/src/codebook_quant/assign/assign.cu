#include "codebook_quant/assign/assign_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(assign_levels, firn::AssignLevelsTeamKernel)
FIRN_LAUNCH(count_levels, firn::CountLevelsTeamKernel)
FIRN_LAUNCH(exclusive_sums, firn::ExclusiveSumsTeamKernel)
FIRN_LAUNCH(gather_protected, firn::GatherProtectedTeamKernel)
FIRN_LAUNCH(dequantize, firn::DequantizeTeamKernel)
