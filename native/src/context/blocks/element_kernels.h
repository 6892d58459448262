// Passes over a block's bytes behind element_tables.h and the block modes; one set per instruction set, identical
// results.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/delta.h"

namespace firn {

// Elements are looked at in words of this many.
inline constexpr size_t kWordElements = 64;
inline constexpr size_t words_for(size_t count) { return (count + kWordElements - 1) / kWordElements; }
inline constexpr size_t kWordsMax = words_for(kBlockElementsMax);

struct ElementKernels {
  // out[i] = row[keys[i]]; every key < 64, and < 16 * `sixteens`. `row` has 64 entries.
  void (*look_up)(const uint8_t* keys, size_t count, const uint8_t* row, uint32_t sixteens, uint8_t* out);

  // The union of the bits of all bytes: at least as large as each of them.
  uint8_t (*unite)(const uint8_t* bytes, size_t count);

  // How often `value` stands among the bytes.
  size_t (*count_equal)(const uint8_t* bytes, size_t count, uint8_t value);

  // Adds to counts[k] how many keys are k, for keys below 64.
  void (*count_keys)(const uint8_t* keys, size_t count, uint32_t* counts);

  // masks[w] has bit b set when bytes[64 w + b] == value; `words` whole words are read. Returns how many bits are set.
  uint32_t (*mask_equal)(const uint8_t* bytes, size_t words, uint8_t value, uint64_t* masks);

  // For each bit e of `chosen` that is also set in `members`, in order: elements[i] = e, and ranks[i] is the number of
  // set bits of `members` before it. Returns the number of such bits.
  size_t (*rank)(const uint64_t* members, const uint64_t* chosen, size_t words, uint32_t* elements, uint32_t* ranks);

  // symbols[e] = values[i], where e is the element of the set bit number positions[i] of all masks. Positions ascend
  // and exist, and there is at least one. words <= kWordsMax.
  void (*place)(const uint64_t* masks, size_t words, const uint32_t* positions, const uint8_t* values, size_t count,
                uint8_t* symbols);
};

// The set for active_isa().
const ElementKernels& element_kernels();

namespace avx2 {
void look_up(const uint8_t* keys, size_t count, const uint8_t* row, uint32_t sixteens, uint8_t* out);
uint8_t unite(const uint8_t* bytes, size_t count);
size_t count_equal(const uint8_t* bytes, size_t count, uint8_t value);
uint32_t mask_equal(const uint8_t* bytes, size_t words, uint8_t value, uint64_t* masks);
size_t rank(const uint64_t* members, const uint64_t* chosen, size_t words, uint32_t* elements, uint32_t* ranks);
void place(const uint64_t* masks, size_t words, const uint32_t* positions, const uint8_t* values, size_t count,
           uint8_t* symbols);
}  // namespace avx2
namespace avx512 {
void count_keys(const uint8_t* keys, size_t count, uint32_t* counts);
uint32_t mask_equal(const uint8_t* bytes, size_t words, uint8_t value, uint64_t* masks);
}  // namespace avx512

}  // namespace firn
