// Interleaved rANS streams (Duda, arXiv 1311.2540; Giesen, arXiv 1402.3392), decoding side: docs/format-blocks.md,
// "Lanes".
//
// 32-bit states, 16-bit words, 16-bit probabilities. The last tokens are all lane 0's, and its words there are the
// initial states of the other lanes, so that a lane costs about one byte instead of three.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/bytes.h"
#include "context/lanes/static_code.h"
#include "firn/status.h"

namespace firn {

inline constexpr uint32_t kLanesMax = 64;
inline constexpr std::array<uint32_t, 5> kLaneCounts = {1, 4, 8, 32, kLanesMax};
inline constexpr uint32_t kStateMin = 1u << 16;

// The state before a token was pushed; starts[0] and starts[1] are the token's first slot and the next one's.
inline uint32_t pop_token(uint32_t state, const uint32_t* starts) {
  return (starts[1] - starts[0]) * (state >> kSlotBits) + (state & (kSlots - 1)) - starts[0];
}

class LaneDecoder {
 public:
  // `bytes`, which must outlive the decoder, are the whole stream. With one lane its state has `state_bytes` bytes.
  Status open(const uint8_t* bytes, size_t size, uint32_t lanes, uint32_t state_bytes);

  // The next token, less than the code's number of tokens. After a failure, which status() reports, tokens are
  // meaningless.
  uint32_t take(const SlotFinder& code) {
    if (position_ == main_ && lanes_ > 1) enter_tail();
    const uint32_t lane = position_ < main_ ? position_ & (lanes_ - 1) : 0;
    const uint32_t token = code.find(states_[lane] & (kSlots - 1));
    states_[lane] = pop_token(states_[lane], code.starts.data() + token);
    ++position_;
    if (states_[lane] < kStateMin) refill(lane);
    return token;
  }

  // Reads tokens in whole rounds of all lanes, fast, while the stream allows it and more(n) says that at least n tokens
  // follow. code() gives the code of the next token, emit(token) receives it.
  template <typename More, typename Code, typename Emit>
  void take_rounds(More more, Code code, Emit emit) {
    switch (lanes_) {
      case 1: return rounds_of<1>(more, code, emit);
      case 4: return rounds_of<4>(more, code, emit);
      case 8: return rounds_of<8>(more, code, emit);
      case 32: return rounds_of<32>(more, code, emit);
      default: return rounds_of<kLanesMax>(more, code, emit);
    }
  }

  // Whether the next token is not the first of a round.
  bool inside_round() const { return position_ % lanes_ != 0; }

  // Lanes at the start of a round, for kernels that take rounds in their own way.
  struct Window {
    uint32_t* states;
    const uint8_t* next;  // words not yet read
    const uint8_t* end;
    uint32_t tokens;  // left before the tail
    uint32_t lanes;
  };
  uint32_t lanes() const { return lanes_; }  // one once the tail is reached
  Window window() { return {states_.data(), next_, end_, position_ < main_ ? main_ - position_ : 0, lanes_}; }
  // `tokens` were read, with the words before `next`.
  void advance(uint32_t tokens, const uint8_t* next) {
    position_ += tokens;
    next_ = next;
  }
  void fail(Status status) {
    if (status_ == Status::ok) status_ = status;
  }

  // ok when the stream ends here, as an encoder ends it.
  Status finish() const;
  Status status() const { return status_; }

 private:
  void refill(uint32_t lane) {
    if (end_ - next_ < 2) {
      if (position_ <= main_) fail(Status::truncated);
      return;  // the tail ends below the minimum
    }
    states_[lane] = states_[lane] << 16 | load_le<uint16_t>(next_);
    next_ += 2;
  }
  void enter_tail();
  template <uint32_t kLanes, typename More, typename Code, typename Emit>
  void rounds_of(More more, Code code, Emit emit);

  std::array<uint32_t, kLanesMax> states_{};
  std::array<uint8_t, 2 * kLanesMax> seeds_{};  // words of the tail
  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
  uint32_t lanes_ = 1;
  uint32_t main_ = 0;      // tokens that are dealt out to the lanes
  uint32_t position_ = 0;  // tokens taken
  Status status_ = Status::ok;
};

template <uint32_t kLanes, typename More, typename Code, typename Emit>
void LaneDecoder::rounds_of(More more, Code code, Emit emit) {
  if (position_ % kLanes != 0) return;
  // A single lane is always in its tail, which reads a word as long as there is one.
  const uint32_t rounds = kLanes == 1 ? ~0u : position_ < main_ ? (main_ - position_) / kLanes : 0;
  uint32_t states[kLanes];
  std::copy_n(states_.begin(), kLanes, states);
  const uint8_t* next = next_;
  const uint8_t* const end = end_;
  uint32_t round = 0;
  // Each lane takes at most one word.
  for (; round < rounds && static_cast<size_t>(end - next) >= 2 * kLanes && more(kLanes); ++round) {
#pragma GCC unroll 8
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const SlotFinder& finder = code();
      const uint32_t token = finder.find(states[lane] & (kSlots - 1));
      const uint32_t state = pop_token(states[lane], finder.starts.data() + token);
      const uint32_t low = state < kStateMin;  // arithmetic in place of a branch that could not be predicted
      states[lane] = state << (16 * low) | (load_le<uint16_t>(next) & (0 - low));
      next += 2 * low;
      emit(token);
    }
  }
  std::copy_n(states, kLanes, states_.begin());
  next_ = next;
  position_ += round * kLanes;
}

}  // namespace firn
