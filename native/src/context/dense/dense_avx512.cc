#include "context/dense/dense_512.h"

namespace firn {

size_t dense_rounds_avx512(const DenseThresholds& thresholds, const uint8_t* indexes, size_t count, LaneDecoder::Window* lanes, uint8_t* symbols) {
  return dense_rounds_512(thresholds, indexes, count, lanes, symbols);
}

}  // namespace firn
