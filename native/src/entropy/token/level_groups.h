// Rearrangement by source level (Inshrinkerator section 6, algorithms 5 and 6).
#pragma once
#include <cstddef>
#include <cstdint>

namespace firn {

inline constexpr uint32_t kSourceLevels = 256;

// The target of each element when a block is grouped by previous level, with element order preserved inside a group.
// Counted once per block; `previous` must not change, because it is read again when elements are moved. About 4 KiB.
class LevelGroups {
 public:
  // `previous` may be null: every previous level is 0. count < 2^32.
  LevelGroups(const uint8_t* previous, size_t count);

  // Group of source level l: elements start(l) <= i < start(l + 1) of the rearranged block; l <= kSourceLevels.
  uint32_t start(uint32_t level) const { return starts_[level]; }

  // Algorithm 5: writes (p - c) mod modulus for every element to its place in `differences`. All levels < modulus <=
  // 256.
  void gather(const uint8_t* current, uint32_t modulus, uint8_t* differences) const;

  // Algorithm 6, the inverse: `current` gets `count` levels < modulus. Previous levels and differences < modulus.
  void scatter(const uint8_t* differences, uint32_t modulus, uint8_t* current) const;

 private:
  // A block is walked as four quarters at once, each with its own cursors: neighbours of equal level then do not wait
  // for one another's cursor update.
  static constexpr size_t kQuarters = 4;
  struct Cursors {
    uint32_t at[kQuarters][kSourceLevels];
  };
  template <typename Visit>
  static void for_each_interleaved(size_t count, Visit visit);

  const uint8_t* previous_;
  size_t count_;
  Cursors begin_;  // start of each quarter's share of each group; unused without previous levels
  uint32_t starts_[kSourceLevels + 1];
};

// True when every level is < modulus; 1 <= modulus <= 256.
bool levels_below(const uint8_t* levels, size_t count, uint32_t modulus);

}  // namespace firn
