#include "residual_quant/gptq/gptq_tile.h"
