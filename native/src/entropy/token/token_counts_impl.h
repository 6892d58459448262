// How often each token of each source level occurred.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "entropy/token/level_groups.h"
#include "entropy/token/tokens.h"
#include "firn/delta.h"

namespace firn {

struct LevelTokenCounts {
  // Runs shorter than this are counted in place (16 KiB a level); longer ones are too rare to matter for speed.
  static constexpr uint32_t kDirectRuns = 2048;

  std::array<uint64_t, kValueTokens> values{};
  std::array<uint64_t, kDirectRuns> runs{};     // by length; entries below kRunMin mean nothing
  std::unordered_map<uint32_t, uint64_t> rare;  // longer runs, by length

  // One run of `run` >= 1 equal values.
  void add(uint8_t value, uint32_t run) {
    ++values[value];
    add_run(run);
  }
  void add_run(uint32_t run) {
    if (run < kDirectRuns) [[likely]]
      ++runs[run];
    else ++rare[run];
  }
  void merge(const LevelTokenCounts& from);

  // Ids of the tokens that occurred, ascending, and how often.
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
