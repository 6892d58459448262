#include "residual_quant/gptq/gptq_cells_team.h"
#include "residual_quant/gptq/gptq_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(gptq_round, firn::GptqRoundKernel)
FIRN_LAUNCH(gptq_gather, firn::GptqGatherKernel)
FIRN_LAUNCH(gptq_scatter, firn::GptqScatterKernel)
