#define FIRN_VECTOR_LANES 4
#include "residual_quant/gptq/feedback_tile.h"

namespace firn {

void feedback_scalar(const float* factor, size_t size, const FeedbackRule& rule, const FeedbackTile& tile) {
  feedback_tile(factor, size, rule, tile);
}

}  // namespace firn
