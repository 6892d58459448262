#include "context/blocks/element_kernels.h"

#include <bit>

#include "simd/cpu_features.h"

namespace firn {
namespace {

void look_up(const uint8_t* keys, size_t count, const uint8_t* row, uint32_t, uint8_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = row[keys[i]];
}

uint8_t unite(const uint8_t* bytes, size_t count) {
  uint8_t all = 0;
  for (size_t i = 0; i < count; ++i) all |= bytes[i];
  return all;
}

size_t count_equal(const uint8_t* bytes, size_t count, uint8_t value) {
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) total += bytes[i] == value;
  return total;
}

// Several counters for each key, because consecutive increments of one counter would wait for each other.
void count_keys(const uint8_t* keys, size_t count, uint32_t* counts) {
  constexpr size_t kParts = 4, kKeys = 64;
  uint32_t parts[kParts][kKeys] = {};
  size_t i = 0;
  for (; i + kParts <= count; i += kParts) {
    for (size_t part = 0; part < kParts; ++part) ++parts[part][keys[i + part]];
  }
  for (; i < count; ++i) ++parts[0][keys[i]];
  for (size_t k = 0; k < kKeys; ++k) counts[k] += parts[0][k] + parts[1][k] + parts[2][k] + parts[3][k];
}

uint32_t mask_equal(const uint8_t* bytes, size_t words, uint8_t value, uint64_t* masks) {
  uint32_t total = 0;
  for (size_t w = 0; w < words; ++w) {
    uint64_t mask = 0;
    for (size_t b = 0; b < kWordElements; ++b) mask |= uint64_t{bytes[w * kWordElements + b] == value} << b;
    masks[w] = mask;
    total += static_cast<uint32_t>(std::popcount(mask));
  }
  return total;
}

size_t rank(const uint64_t* members, const uint64_t* chosen, size_t words, uint32_t* elements, uint32_t* ranks) {
  size_t found = 0;
  uint32_t before = 0;
  for (size_t w = 0; w < words; ++w) {
    for (uint64_t left = members[w] & chosen[w]; left != 0; left &= left - 1) {
      elements[found] = static_cast<uint32_t>(w * kWordElements + static_cast<size_t>(std::countr_zero(left)));
      ranks[found++] = before + static_cast<uint32_t>(std::popcount(members[w] & ((left & (0 - left)) - 1)));
    }
    before += static_cast<uint32_t>(std::popcount(members[w]));
  }
  return found;
}

void place(const uint64_t* masks, size_t, const uint32_t* positions, const uint8_t* values, size_t count,
           uint8_t* symbols) {
  size_t w = 0;
  uint32_t before = 0, in_word = static_cast<uint32_t>(std::popcount(masks[0]));
  for (size_t i = 0; i < count; ++i) {
    for (; positions[i] - before >= in_word; in_word = static_cast<uint32_t>(std::popcount(masks[++w])))
      before += in_word;
    uint64_t left = masks[w];
    for (uint32_t skip = positions[i] - before; skip > 0; --skip) left &= left - 1;
    symbols[w * kWordElements + static_cast<size_t>(std::countr_zero(left))] = values[i];
  }
}

constexpr ElementKernels kScalar{look_up, unite, count_equal, count_keys, mask_equal, rank, place};
#if FIRN_X86
constexpr ElementKernels kAvx2{avx2::look_up,    avx2::unite, avx2::count_equal, count_keys,
                               avx2::mask_equal, avx2::rank,  avx2::place};
constexpr ElementKernels kAvx512{avx2::look_up,      avx2::unite, avx2::count_equal, avx512::count_keys,
                                 avx512::mask_equal, avx2::rank,  avx2::place};
#endif

}  // namespace

const ElementKernels& element_kernels() {
#if FIRN_X86
  const Isa isa = active_isa();
  if (isa >= Isa::avx512) return kAvx512;
  if (isa >= Isa::avx2) return kAvx2;
#endif
  return kScalar;
}

}  // namespace firn
