#include "codebook_quant/partition/partition_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(sketch_quantized, firn::SketchQuantizedTeamKernel)
