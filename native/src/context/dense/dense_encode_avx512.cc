#include "context/dense/dense_encode_512.h"

namespace firn {

uint8_t* dense_encode_avx512(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes, uint32_t* states,
                            uint8_t* next) {
  return dense_encode_512(tokens, indexes, symbols, count, lanes, states, next);
}

}  // namespace firn
