// A static code over a few tokens: shares of 2^16 slots, and the tables for rANS in either direction.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace firn {

inline constexpr uint32_t kSlotBits = 16;
inline constexpr uint32_t kSlots = 1u << kSlotBits;
inline constexpr uint32_t kCodeTokensMax = 256;

struct TokenWeight {
  uint64_t weight;  // at most 2^32
  bool present;     // a present token gets a slot whatever its weight
};

// First slot of each token and, at the end, kSlots. Token j has starts[j + 1] - starts[j] slots; an absent one none. At
// least one is present. starts[j] = floor(weights before j * (kSlots - present tokens) / all weights) + present tokens
// before j.
std::vector<uint32_t> share_slots(const std::vector<TokenWeight>& tokens);

// Finds the token of a slot.
struct SlotFinder {
  static constexpr uint32_t kCoarseBits = 11;
  static constexpr uint32_t kFineBits = kSlotBits - kCoarseBits;

  SlotFinder() = default;
  explicit SlotFinder(std::vector<uint32_t> starts_of_tokens);

  // slot < kSlots.
  uint32_t find(uint32_t slot) const {
    uint32_t token = first[slot >> kFineBits];
    token += slot >= starts[token + 1];  // most tokens need no more than this, and no branch
    while (slot >= starts[token + 1]) [[unlikely]]++ token;
    return token;
  }

  std::vector<uint32_t> starts;
  std::array<uint8_t, 1u << kCoarseBits> first{};  // the token of the lowest slot with these leading bits
};

// One encoding step, state -> state / frequency * 2^16 + state % frequency + start, without a division:
// state + bias + quotient * (2^16 - frequency), the quotient being the high half of state * reciprocal (exact, since
// state < 2^32).
struct EncoderToken {
  uint64_t reciprocal = 0;  // 2^64 / frequency, rounded up
  uint32_t bias = 0;
  uint32_t complement = kSlots;  // 2^16 - frequency; kSlots: the token has no code
  uint32_t state_max = 0;        // below frequency * 2^16: the low half of larger states must be moved out first

  bool coded() const { return complement < kSlots; }
  uint32_t frequency() const { return kSlots - complement; }
  uint32_t start() const { return frequency() == 1 ? bias - (kSlots - 1) : bias; }
  uint32_t push(uint32_t state) const {
    const auto quotient = static_cast<uint32_t>((static_cast<unsigned __int128>(state) * reciprocal) >> 64);
    return state + bias + quotient * complement;
  }
};

// Appends one entry a token.
void append_encoder_tokens(const std::vector<uint32_t>& starts, std::vector<EncoderToken>* out);

}  // namespace firn
