// Table look-ups in registers. Include in one file per instruction set.
//
// `Words` provides them: kWords words a vector, at most kRegistersMax registers of table, load(), places() of as many
// levels, and find<registers>(), which uses only the low bits of a place.
#pragma once
#include "codebook_quant/assign/look_up.h"
#include "simd/vectors.h"

namespace firn::FIRN_ISA {
namespace {

// Looks up whole groups of kByteLanes levels; `seen` is raised to the largest of them. Returns how many levels were
// done.
template <typename Words, int kRegisters>
size_t look_up_groups(const uint8_t* levels, size_t count, const unsigned char* entries, unsigned char* out,
                      uint8_t& seen) {
  constexpr size_t kWordBytes = kByteLanes / Words::kWords;
  typename Words::Vector table[kRegisters];
  for (size_t r = 0; r < kRegisters; ++r) table[r] = Words::load(entries + kByteLanes * r);
  Bytes most = all_bytes(0);
  size_t i = 0;
  for (; i + kByteLanes <= count; i += kByteLanes) {
    most = larger(most, load_bytes(levels + i));
#pragma GCC unroll 4
    for (size_t k = 0; k < kByteLanes; k += Words::kWords) {
      store(out + (i + k) * kWordBytes, Words::template find<kRegisters>(table, Words::places(levels + i + k)));
    }
  }
  seen = largest(most);
  return i;
}

template <typename Words, int kRegisters = 1>
size_t look_up_table(const uint8_t* levels, size_t count, const unsigned char* entries, uint32_t level_count,
                     unsigned char* out, uint8_t& seen) {
  if (level_count <= kRegisters * Words::kWords)
    return look_up_groups<Words, kRegisters>(levels, count, entries, out, seen);
  if constexpr (kRegisters < Words::kRegistersMax)
    return look_up_table<Words, 2 * kRegisters>(levels, count, entries, level_count, out, seen);
  return 0;
}

// LookUpKernel; `rest` handles the remaining levels, or all of them if the table takes too many registers.
template <typename Words>
uint8_t look_up_words(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out,
                      LookUpKernel* rest) {
  constexpr size_t kWordBytes = kByteLanes / Words::kWords;
  uint8_t seen = 0;
  unsigned char* const to = static_cast<unsigned char*>(out);
  const size_t done =
      look_up_table<Words>(levels, count, static_cast<const unsigned char*>(table), level_count, to, seen);
  const uint8_t last = rest(levels + done, count - done, table, level_count, to + kWordBytes * done);
  return last > seen ? last : seen;
}

}  // namespace
}  // namespace firn::FIRN_ISA
