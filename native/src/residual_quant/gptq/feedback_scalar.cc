#include "residual_quant/gptq/feedback_tile.h"
