#include "context/dense/dense_encode_team.h"
#include "context/dense/dense_sample_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(dense_encode, firn::DenseEncodeTeamKernel)
FIRN_LAUNCH(dense_sample, firn::DenseSampleKernel)
