// How often each token of each source level occurred.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "entropy/level_groups.h"
#include "entropy/tokens.h"
#include "firn/delta.h"

namespace firn {

struct LevelTokenCounts {
  // Values and runs shorter than 1794, counted in place (16 KiB a level); longer runs are too rare to matter for speed.
  static constexpr uint32_t kDirectIds = 2048;

  std::array<uint64_t, kDirectIds> direct{};
  std::unordered_map<uint32_t, uint64_t> rare;  // by token id >= kDirectIds

  void add(uint32_t id, uint64_t times) {
    if (id < kDirectIds) direct[id] += times;
    else rare[id] += times;
  }

  // Ids with a count, ascending, and their counts.
  void list(std::vector<uint32_t>* ids, std::vector<uint64_t>* counts) const;
};

struct TokenCounts::Impl {
  std::array<std::unique_ptr<LevelTokenCounts>, kSourceLevels> levels;  // null: no element had this source level

  LevelTokenCounts& level(uint32_t index) {
    if (!levels[index]) levels[index] = std::make_unique<LevelTokenCounts>();
    return *levels[index];
  }
};

}  // namespace firn
