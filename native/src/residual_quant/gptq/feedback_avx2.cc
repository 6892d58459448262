#include "simd/cpu_features.h"
#define FIRN_VECTOR_LANES 8
#include "residual_quant/gptq/feedback_tile.h"

#if FIRN_X86
namespace firn {

void feedback_avx2(const float* factor, size_t size, const FeedbackRule& rule, const FeedbackTile& tile) {
  feedback_tile(factor, size, rule, tile);
}

}  // namespace firn
#endif
