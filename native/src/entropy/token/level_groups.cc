#include "entropy/token/level_groups.h"

#include <cstring>

#include "common/invariant.h"

namespace firn {
namespace {

// (a - b) mod modulus for a, b < modulus.
uint8_t cyclic_difference(uint32_t a, uint32_t b, uint32_t modulus) {
  FIRN_INNER_INVARIANT(a < modulus && b < modulus);
  const uint32_t difference = a - b;
  return static_cast<uint8_t>(difference + (a < b ? modulus : 0));
}

}  // namespace

// Calls visit(quarter, index) for every element, quarters interleaved.
template <typename Visit>
inline void LevelGroups::for_each_interleaved(size_t count, Visit visit) {
  const size_t step = count / kQuarters;
  for (size_t i = 0; i < step; ++i) {
    for (size_t q = 0; q < kQuarters; ++q) visit(q, q * step + i);
  }
  for (size_t i = kQuarters * step; i < count; ++i) visit(kQuarters - 1, i);
}

LevelGroups::LevelGroups(const uint8_t* previous, size_t count) : previous_(previous), count_(count) {
  FIRN_INVARIANT(count >> 32 == 0);
  if (!previous) {
    starts_[0] = 0;
    for (uint32_t level = 1; level <= kSourceLevels; ++level) starts_[level] = static_cast<uint32_t>(count);
    return;
  }
  std::memset(&begin_, 0, sizeof begin_);
  for_each_interleaved(count, [&](size_t q, size_t i) { ++begin_.at[q][previous[i]]; });
  uint32_t start = 0;
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    starts_[level] = start;
    for (size_t q = 0; q < kQuarters; ++q) {
      const uint32_t size = begin_.at[q][level];
      begin_.at[q][level] = start;
      start += size;
    }
  }
  starts_[kSourceLevels] = start;
}

void LevelGroups::gather(const uint8_t* current, uint32_t modulus, uint8_t* differences) const {
  FIRN_INVARIANT(modulus >= 1 && modulus <= kSourceLevels);
  if (!previous_) {
    for (size_t i = 0; i < count_; ++i) differences[i] = cyclic_difference(0, current[i], modulus);
    return;
  }
  const uint8_t* const previous = previous_;  // a local: stores of bytes may alias any member
  Cursors cursors = begin_;
  for_each_interleaved(count_, [&](size_t q, size_t i) {
    const uint8_t level = previous[i];
    differences[cursors.at[q][level]++] = cyclic_difference(level, current[i], modulus);
  });
}

void LevelGroups::scatter(const uint8_t* differences, uint32_t modulus, uint8_t* current) const {
  if (!previous_) {
    for (size_t i = 0; i < count_; ++i) current[i] = cyclic_difference(0, differences[i], modulus);
    return;
  }
  const uint8_t* const previous = previous_;  // a local: stores of bytes may alias any member
  Cursors cursors = begin_;
  for_each_interleaved(count_, [&](size_t q, size_t i) {
    const uint8_t level = previous[i];
    current[i] = cyclic_difference(level, differences[cursors.at[q][level]++], modulus);
  });
}

bool levels_below(const uint8_t* levels, size_t count, uint32_t modulus) {
  uint8_t highest = 0;
  for (size_t i = 0; i < count; ++i) highest = levels[i] > highest ? levels[i] : highest;
  return highest < modulus;
}

}  // namespace firn
