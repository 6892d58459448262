// Shared by the coders of state blocks (state_block.cc picks one): the encoding of a block, and the modes of payloads.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "common/byte_reader.h"
#include "common/bytes.h"
#include "firn/state.h"

namespace firn {

// The first byte of a payload; pinned (docs/format-blocks.md, section 17).
enum class StateMode : uint8_t {
  exact = 0,  // an exact block follows
  alone = 1,
  with_previous = 2,  // second moments only
};

// Binary32 patterns of a block.
using StateBits = std::vector<uint32_t>;

inline constexpr uint32_t kSignBit = 0x80000000u;
inline constexpr uint32_t kInfinityBits = 0x7F800000u;
constexpr bool is_finite_bits(uint32_t bits) { return (bits & kInfinityBits) != kInfinityBits; }

inline void append_float(float value, std::vector<uint8_t>* out) {
  uint8_t bytes[4];
  store_le(bytes, std::bit_cast<uint32_t>(value));
  out->insert(out->end(), bytes, bytes + sizeof bytes);
}

// Each encoder appends the payload after its mode. It returns false, and its output is useless, if the block has to be
// stored exact. `reference` may be empty for coders that do not need it.
bool encode_second_moments(const StateBits& values, const StateBits& previous, const StateLayout& layout,
                           std::vector<uint8_t>* out);
bool encode_first_moments(const StateBits& values, const StateBits& second, const StateLayout& layout,
                          std::vector<uint8_t>* out);
bool encode_momentum(const StateBits& values, const StateLayout& layout, std::vector<uint8_t>* out);
bool encode_clusters(const StateBits& values, const StateLayout& layout, std::vector<uint8_t>* out);

// Each decoder reads to the end; `out` has layout.count elements.
Status decode_second_moments(ByteReader in, const StateBits& previous, const StateLayout& layout, StateBits* out);
Status decode_first_moments(ByteReader in, const StateBits& second, const StateLayout& layout, StateBits* out);
Status decode_momentum(ByteReader in, const StateLayout& layout, StateBits* out);
Status decode_clusters(ByteReader in, const StateLayout& layout, StateBits* out);

}  // namespace firn
