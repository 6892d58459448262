// Pieces of a block's segments, for kernels over teams: a team takes a piece at a time.
#pragma once
#include <cstddef>
#include <cstdint>

#include "team/elements.h"
#include "team/team.h"

namespace firn {

// Consecutive elements of one slot.
struct ContextPiece {
  uint64_t first;  // element
  uint32_t count;
  uint32_t slot;
};

// What a team is given at once: enough that its own tables are filled for many elements.
inline constexpr uint32_t kContextPieceMax = 1u << 15;  // elements

// Calls bytes(first, count) for spans of at most sixteen elements of a piece, all of it: whole ones begin at a multiple
// of sixteen.
template <typename Team, typename Span>
FIRN_EACH void for_each_span(const Team& team, const ContextPiece& piece, Span span) {
  constexpr uint32_t kSpan = sizeof(Sixteen);
  const uint64_t end = piece.first + piece.count;
  const uint64_t begin = piece.first / kSpan, spans = (end + kSpan - 1) / kSpan - begin;
  for_each_element(team, spans, [&](size_t i) {
    const uint64_t whole = (begin + i) * kSpan;
    const uint64_t from = whole < piece.first ? piece.first : whole, to = whole + kSpan < end ? whole + kSpan : end;
    span(from, static_cast<uint32_t>(to - from));
  });
}

FIRN_EACH uint32_t byte_of(const Sixteen& load, uint32_t index) {
  return load.words[index / 4] >> (index % 4 * 8) & 0xFF;
}

}  // namespace firn
