#include "codebook_quant/assign/look_up.h"

#include <cstring>

namespace firn::scalar {
namespace {

template <typename Word>
uint8_t look_up(const uint8_t* levels, size_t count, const void* table, void* out) {
  const uint8_t* entries = static_cast<const uint8_t*>(table);
  uint8_t* to = static_cast<uint8_t*>(out);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(to + i * sizeof(Word), entries + levels[i] * sizeof(Word), sizeof(Word));
  uint8_t largest = 0;  // a loop of its own, which compilers vectorise
  for (size_t i = 0; i < count; ++i) largest = levels[i] > largest ? levels[i] : largest;
  return largest;
}

}  // namespace

uint8_t look_up32(const uint8_t* levels, size_t count, const void* table, uint32_t, void* out) {
  return look_up<uint32_t>(levels, count, table, out);
}

uint8_t look_up16(const uint8_t* levels, size_t count, const void* table, uint32_t, void* out) {
  return look_up<uint16_t>(levels, count, table, out);
}

}  // namespace firn::scalar
