// The codes of a table set.
#pragma once
#include <array>
#include <memory>

#include "entropy/token/level_code.h"
#include "entropy/token/level_groups.h"
#include "firn/delta.h"

namespace firn {

struct TokenTables::Impl {
  std::array<std::unique_ptr<const LevelCode>, kSourceLevels> levels;  // null: the level has no code
};

}  // namespace firn
