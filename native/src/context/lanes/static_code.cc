#include "context/lanes/static_code.h"

#include <algorithm>

#include "common/invariant.h"

namespace firn {

std::vector<uint32_t> share_slots(const std::vector<TokenWeight>& tokens) {
  uint64_t all = 0;
  uint32_t present = 0;
  for (const TokenWeight& token : tokens) {
    all += token.weight;
    present += token.present;
  }
  FIRN_INVARIANT(all >= 1 && present >= 1 && tokens.size() <= kCodeTokensMax);
  std::vector<uint32_t> starts;
  starts.reserve(tokens.size() + 1);
  uint64_t before = 0;
  uint32_t rank = 0;
  for (const TokenWeight& token : tokens) {
    starts.push_back(static_cast<uint32_t>(before * (kSlots - present) / all) + rank);
    before += token.weight;
    rank += token.present;
  }
  starts.push_back(kSlots);
  return starts;
}

SlotFinder::SlotFinder(std::vector<uint32_t> starts_of_tokens) : starts(std::move(starts_of_tokens)) {
  FIRN_INVARIANT(starts.front() == 0 && starts.back() == kSlots && std::is_sorted(starts.begin(), starts.end()));
  // A coarse step belongs to the token of its lowest slot.
  const auto step = [](uint32_t slot) { return (slot + (1u << kFineBits) - 1) >> kFineBits; };
  for (uint32_t token = 0; token + 1 < starts.size(); ++token) {
    std::fill(first.begin() + step(starts[token]), first.begin() + step(starts[token + 1]),
              static_cast<uint8_t>(token));
  }
}

void append_encoder_tokens(const std::vector<uint32_t>& starts, std::vector<EncoderToken>* out) {
  for (size_t j = 0; j + 1 < starts.size(); ++j) {
    const uint32_t start = starts[j], frequency = starts[j + 1] - start;
    EncoderToken token;
    const uint32_t complement = kSlots - frequency,
                   state_max = (frequency << 16) - 1;  // all ones for a frequency of 2^16
    if (frequency > 1) token = {~uint64_t{0} / frequency + 1, start, complement, state_max};
    // 2^64 does not fit: with 2^64 - 1 the quotient comes out one too small, which the bias makes good.
    if (frequency == 1) token = {~uint64_t{0}, start + kSlots - 1, complement, state_max};
    out->push_back(token);
  }
}

}  // namespace firn
