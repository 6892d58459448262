#include "stats/moments_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(weight_moments, firn::MomentsKernel)
