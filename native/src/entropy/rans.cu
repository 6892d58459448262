#include "entropy/rans_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(rans_encode, firn::RansEncodeTeamKernel)
