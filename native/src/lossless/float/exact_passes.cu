#include "lossless/float/exact_team.h"
#include "lossless/float/relate_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(exact_planes, firn::ExactPlanesKernel)
FIRN_LAUNCH(exact_cut, firn::ExactCutKernel)
FIRN_LAUNCH(exact_differences, firn::ExactDifferenceKernel)
FIRN_LAUNCH(exact_fields, firn::ExactFieldsKernel)
FIRN_LAUNCH(exact_relate, firn::ExactRelateKernel)
