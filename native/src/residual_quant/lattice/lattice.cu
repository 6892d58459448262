#include "residual_quant/lattice/lattice_team.h"
#include "residual_quant/lattice/origins_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(lattice_quantize, firn::LatticeQuantizeTeamKernel)
FIRN_LAUNCH(lattice_contexts, firn::LatticeContextsTeamKernel)
FIRN_LAUNCH(lattice_rebuild, firn::LatticeRebuildTeamKernel)
FIRN_LAUNCH(lattice_values, firn::LatticeValuesTeamKernel)
FIRN_LAUNCH(lattice_errors, firn::LatticeErrorsTeamKernel)
FIRN_LAUNCH(lattice_origins, firn::LatticeOriginsTeamKernel)
