// Interleaved rANS streams, encoding side (context/lane_decoder.h).
#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/bytes.h"
#include "common/varint.h"
#include "context/lane_decoder.h"
#include "context/static_code.h"

namespace firn {

// A finished stream. state_bytes is 0 with more than one lane.
struct LaneStream {
  std::vector<uint8_t> bytes;
  uint32_t lanes = 1;
  uint32_t state_bytes = 0;
};

// Encodes `count` tokens; token(i) gives the EncoderToken of the i-th one as a decoder meets them, frequency at least 1.
// False when so few words come out that the lanes cannot all be seeded.
template <uint32_t kLanes, typename TokenAt>
bool encode_lanes(size_t count, TokenAt token, LaneStream* stream) {
  // Filled from the end: a decoder reads words in the opposite order. At most one word a token.
  const auto words = std::make_unique_for_overwrite<uint8_t[]>(2 * count + 2);
  uint8_t* const end = words.get() + 2 * count + 2;
  uint8_t* next = end;
  uint32_t states[kLanes];
  states[0] = 1;
  size_t i = count;
  for (uint32_t seeded = 1; seeded < kLanes;) {
    if (i == 0) return false;
    const EncoderToken& t = token(--i);
    if (t.overflows(states[0])) {
      states[seeded++] = kStateMin | (states[0] & 0xFFFF);
      states[0] >>= 16;
    }
    states[0] = t.push(states[0]);
  }
  const size_t main = i;
  const auto step = [&](const EncoderToken& t, uint32_t state) {
    const bool full = t.overflows(state);
    store_le(next - 2, static_cast<uint16_t>(state));
    next -= 2 * static_cast<size_t>(full);
    return t.push(full ? state >> 16 : state);
  };
  for (; i % kLanes != 0; --i) states[(i - 1) % kLanes] = step(token(i - 1), states[(i - 1) % kLanes]);
  for (; i > 0; i -= kLanes) {
    for (uint32_t lane = kLanes; lane-- > 0;) states[lane] = step(token(i - kLanes + lane), states[lane]);
  }
  stream->lanes = kLanes;
  if constexpr (kLanes > 1) append_varint(static_cast<uint32_t>(main), &stream->bytes);
  stream->state_bytes = kLanes > 1 ? 0 : (static_cast<uint32_t>(std::bit_width(states[0])) + 7) / 8;
  for (const uint32_t state : states) {
    for (uint32_t b = 0; b < (kLanes > 1 ? 4 : stream->state_bytes); ++b) stream->bytes.push_back(static_cast<uint8_t>(state >> (8 * b)));
  }
  stream->bytes.insert(stream->bytes.end(), next, end);
  return true;
}

}  // namespace firn
