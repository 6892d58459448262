// The stored form of a set of token tables (docs/format-blocks.md, "Token tables").
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "entropy/token/level_code.h"
#include "entropy/token/level_groups.h"
#include "firn/status.h"

namespace firn {

using LevelCodeSet = std::array<LevelCodeLengths, kSourceLevels>;  // empty entries: no block has such a source level

// No bytes at all when every entry is empty.
std::vector<uint8_t> write_token_tables(const LevelCodeSet& set);

// corrupt unless write_token_tables gives back exactly these bytes. Codes are complete, within kCodeLengthMax, and have
// a value token.
Status read_token_tables(const uint8_t* bytes, size_t size, LevelCodeSet* set);

}  // namespace firn
