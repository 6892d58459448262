#include "residual_quant/gptq/gptq_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(gptq_round, firn::GptqRoundKernel)
