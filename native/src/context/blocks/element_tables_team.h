// The table that codes each element, over teams (ElementTables, context/blocks/element_tables.h).
#pragma once
#include "context/blocks/context_pieces.h"

namespace firn {

struct ElementTablesKernel {
  static constexpr uint32_t kMembers = 256;
  static constexpr uint32_t kResident = 8;
  static constexpr uint32_t kRow = 64;
  static constexpr uint8_t kNone = 0xFF;
  static constexpr size_t kSharedBytes = kRow * sizeof(uint32_t);

  const uint8_t* contexts;  // of the elements, below kRow; begin at a multiple of 16, as `indexes` does
  const ContextPiece* pieces;
  uint32_t count;           // of pieces
  // index_of[map[slot * width + context]] is the index of a row's table; contexts from `width` on have no table.
  const uint8_t* map;
  const uint8_t* index_of;  // 256 entries
  uint32_t width;
  uint8_t* indexes;         // receives one an element, kNone without a table
  uint32_t* missing;        // one is added for each element without a table

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* shared) const {
    auto* const row = reinterpret_cast<uint32_t*>(shared);
    uint32_t without = 0;
    for (uint32_t p = team_index; p < count; p += teams) {
      const ContextPiece piece = pieces[p];
      for_each_element(team, kRow, [&](size_t c) {
        row[c] = c < width ? index_of[map[size_t{piece.slot} * width + c]] : kNone;
      });
      team.barrier();
      for_each_span(team, piece, [&](uint64_t first, uint32_t elements) {
        if (elements == sizeof(Sixteen)) {
          const Sixteen context = *reinterpret_cast<const Sixteen*>(contexts + first);
          Sixteen found{};
          FIRN_UNROLL
          for (uint32_t i = 0; i < sizeof(Sixteen); ++i) {
            const uint32_t index = row[byte_of(context, i) % kRow];
            without += index == kNone;
            found.words[i / 4] |= index << (i % 4 * 8);
          }
          *reinterpret_cast<Sixteen*>(indexes + first) = found;
        } else {
          for (uint32_t i = 0; i < elements; ++i) {
            const uint32_t index = row[contexts[first + i] % kRow];
            without += index == kNone;
            indexes[first + i] = static_cast<uint8_t>(index);
          }
        }
      });
      team.barrier();
    }
    if (without > 0) team.add_outside(missing, without);
  }
};

}  // namespace firn
