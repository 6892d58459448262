#include "stats/sketch_reference.h"

#include <cstring>

#include "stats/keys.h"

namespace firn {

void sketch_reference(const void* values, size_t count, Sketch& sketch) {
  const uint8_t* bytes = static_cast<const uint8_t*>(values);
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude == 0) ++sketch.zeros;
    else if (magnitude == 0x7F800000u) ++sketch.infinities;
    else if (magnitude > 0x7F800000u) ++sketch.nans;
    else ++sketch.counts[sketch_key(bits)];
  }
}

}  // namespace firn
