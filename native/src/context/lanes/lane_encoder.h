// Interleaved rANS streams, encoding side (context/lanes/lane_decoder.h).
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/bytes.h"
#include "common/scratch.h"
#include "common/varint.h"
#include "context/lanes/lane_decoder.h"
#include "context/lanes/static_code.h"

namespace firn {

// A finished stream. state_bytes is 1 with more than one lane.
struct LaneStream {
  std::vector<uint8_t> bytes;
  uint32_t lanes = 1;
  uint32_t state_bytes = 1;
};

// For encode_lanes() without a kernel.
inline constexpr auto kNoRounds = nullptr;

// Encodes `count` tokens; token(i) gives the EncoderToken of the i-th one in the decoder's order. False, and nothing
// done, if there are too few words to seed all lanes. A stream without bytes if a token has no code. `rounds`, if it is
// not kNoRounds, encodes the first tokens, whole rounds of all lanes: rounds(count, states, next) returns the new
// beginning of the words, or null if a token has no code.
template <uint32_t kLanes, typename TokenAt, typename Rounds>
bool encode_lanes(size_t count, TokenAt token, Rounds rounds, LaneStream* stream) {
  // Filled from the end: a decoder reads words in the opposite order. At most one word a token.
  const auto words = take_scratch(2 * count + 2);
  uint8_t* const end = words.get() + 2 * count + 2;
  uint8_t* next = end;
  uint32_t states[kLanes];
  states[0] = 1;
  size_t i = count;
  uint32_t complements = 0;  // of all tokens: one without a code shows as kSlots
  for (uint32_t seeded = 1; seeded < kLanes;) {
    if (i == 0) return false;
    const EncoderToken& t = token(--i);
    complements |= t.complement;
    if (states[0] > t.state_max) {
      states[seeded++] = kStateMin | (states[0] & 0xFFFF);
      states[0] >>= 16;
    }
    states[0] = t.push(states[0]);
  }
  const size_t main = i;
  const auto step = [&](const EncoderToken& t, uint32_t state) {
    complements |= t.complement;
    const bool full = state > t.state_max;
    store_le(next - 2, static_cast<uint16_t>(state));
    next -= 2 * static_cast<size_t>(full);
    return t.push(full ? state >> 16 : state);
  };
  for (; i % kLanes != 0; --i) states[(i - 1) % kLanes] = step(token(i - 1), states[(i - 1) % kLanes]);
  if constexpr (std::is_null_pointer_v<Rounds>) {
    for (; i > 0; i -= kLanes) {
      for (uint32_t lane = kLanes; lane-- > 0;) states[lane] = step(token(i - kLanes + lane), states[lane]);
    }
  } else if (uint8_t* const begin = rounds(i, states, next)) {
    next = begin;
  } else {
    complements = kSlots;
  }
  stream->lanes = kLanes;
  if (complements >= kSlots) return true;
  if constexpr (kLanes > 1) append_varint(static_cast<uint32_t>(main), &stream->bytes);
  stream->state_bytes = kLanes > 1 ? 1 : (static_cast<uint32_t>(std::bit_width(states[0])) + 7) / 8;
  for (const uint32_t state : states) {
    for (uint32_t b = 0; b < (kLanes > 1 ? 4 : stream->state_bytes); ++b)
      stream->bytes.push_back(static_cast<uint8_t>(state >> (8 * b)));
  }
  stream->bytes.insert(stream->bytes.end(), next, end);
  return true;
}

}  // namespace firn
