// The dense mode's stream of a block (encode_dense, context/blocks/block_modes.h) over teams: lanes side by side, the
// words of a round where the lanes above have left off.
#pragma once
#include <cstddef>
#include <cstdint>

#include "team/count_below.h"
#include "team/team.h"

namespace firn {

// One token of a code in what a step needs of it.
struct DenseTeamToken {
  static constexpr uint32_t kUncoded = 0xFFFFFFFF;  // a token with all slots starts at 0

  uint32_t reciprocal;  // 2^32 / slots, rounded down; 2^32 - 1 for one slot
  uint32_t slots;       // number of slots less one, and in the lower half the first slot; kUncoded without a code
};

// Most tables of a block; kDenseTeamSymbols tokens each.
inline constexpr uint32_t kDenseTeamTables = 32;
inline constexpr uint32_t kDenseTeamSymbols = 32;
inline constexpr uint32_t kDenseTeamLanes = 64;

// A block to encode. Addresses are of the device.
struct DenseTeamBlock {
  const uint8_t* indexes;  // for each element, below `tables`
  const uint8_t* symbols;  // below kDenseTeamSymbols
  const DenseTeamToken* tokens;
  uint8_t* end;            // of the room for the stream, dense_team_room() bytes; an even address
  uint32_t count, tables;
  uint32_t lanes;          // 32 or 64
};

enum class DenseTeamStatus : uint32_t {
  ok = 0,
  few_words = 1,  // to seed all lanes: the stream has one lane
  uncoded = 2,    // a symbol without a code: there is no stream
};

struct DenseTeamResult {
  DenseTeamStatus status;
  uint32_t bytes;  // of the stream, the last ones of the room
};

// Of a block's room: a word a token, the number of tokens before the tail, and states.
constexpr size_t dense_team_room(size_t count) { return 2 * count + 4 * kDenseTeamLanes + 8; }

struct DenseEncodeTeamKernel {
  static constexpr uint32_t kMembers = 32;
  static constexpr uint32_t kResident = 24;
  static constexpr uint32_t kStaged = 64;  // tokens of the tail at once
  struct Shared {
    DenseTeamToken tokens[kDenseTeamTables * kDenseTeamSymbols];
    DenseTeamToken staged[kStaged];
    uint32_t states[kDenseTeamLanes];
  };
  static constexpr size_t kSharedBytes = sizeof(Shared);

  const DenseTeamBlock* blocks;
  uint32_t count;
  DenseTeamResult* results;

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* memory) const {
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    for (uint32_t b = team_index; b < count; b += teams) {
      const DenseTeamBlock block = blocks[b];
      team.barrier();
      for_each_element(team, block.tables * kDenseTeamSymbols, [&](size_t i) { shared.tokens[i] = block.tokens[i]; });
      if (block.lanes == 32) Encoder<32>{block, shared}.encode(team, &results[b]);
      else Encoder<64>{block, shared}.encode(team, &results[b]);
    }
  }

 private:
  static constexpr uint32_t kStateMin = 1u << 16;

  // `state` after a token that it has room for.
  FIRN_EACH static uint32_t push(uint32_t state, const DenseTeamToken& token) {
    const uint32_t slots = (token.slots >> 16) + 1;
    uint32_t quotient = static_cast<uint32_t>((uint64_t{state} * token.reciprocal) >> 32);  // or one too small
    uint32_t rest = state - quotient * slots;
    if (rest >= slots) {
      ++quotient;
      rest -= slots;
    }
    return (quotient << 16) + rest + (token.slots & 0xFFFF);
  }

  template <uint32_t kLanes>
  struct Encoder {
    const DenseTeamBlock& block;
    Shared& shared;
    uint8_t* next = nullptr;
    uint32_t main = 0;  // tokens before the tail
    bool uncoded = false;

#ifdef __CUDACC__
    static constexpr uint32_t kOwn = kLanes / kMembers;  // lanes of a member
    static constexpr uint32_t kAhead = 4;                // rounds whose elements are on their way
#else
    static constexpr uint32_t kOwn = kLanes;
    static constexpr uint32_t kAhead = 2;
#endif

    FIRN_EACH uint32_t key(uint32_t element) const {
      return block.indexes[element] * kDenseTeamSymbols + block.symbols[element];
    }

    template <typename Team>
    FIRN_EACH void encode(const Team& team, DenseTeamResult* result) {
      team.barrier();
      next = block.end;
      if (!encode_tail(team)) {
        if (team.rank() == 0) *result = {DenseTeamStatus::few_words, 0};
        return;
      }
      uint32_t states[kOwn];
      FIRN_UNROLL
      for (uint32_t own = 0; own < kOwn; ++own) {
        const uint32_t lane = own * team.size() + team.rank();
        states[own] = lane < kLanes ? shared.states[lane] : 0;
      }
      encode_rounds(team, states);
      finish(team, states, result);
    }

    // The last tokens are all lane 0's, until its words have seeded the others. Every member follows the one state.
    // False if there are too few words.
    template <typename Team>
    FIRN_EACH bool encode_tail(const Team& team) {
      uint32_t state = 1, seeded = 1, left = block.count;
      while (seeded < kLanes) {
        if (left == 0) return false;
        const uint32_t staged = left < kStaged ? left : kStaged;
        for_each_element(team, staged,
                         [&](size_t i) { shared.staged[i] = shared.tokens[key(left - 1 - static_cast<uint32_t>(i))]; });
        team.barrier();
        uint32_t taken = 0;
        for (; taken < staged && seeded < kLanes; ++taken) {
          const DenseTeamToken token = shared.staged[taken];
          const bool coded = token.slots != DenseTeamToken::kUncoded;
          uncoded |= !coded;
          if (coded ? state >> 16 > token.slots >> 16 : state > 0) {
            if (team.rank() == 0) shared.states[seeded] = kStateMin | (state & 0xFFFF);
            ++seeded;
            state >>= 16;
          }
          if (coded) state = push(state, token);
        }
        left -= taken;
        team.barrier();
      }
      if (team.rank() == 0) shared.states[0] = state;
      team.barrier();
      main = left;
      return true;
    }

    template <typename Team>
    FIRN_EACH void encode_rounds(const Team& team, uint32_t (&states)[kOwn]) {
      const uint32_t part = main % kLanes;
      uint32_t keys[kAhead][kOwn], ahead[kAhead][kOwn];
      uint32_t left = main - part;
      if (part > 0) {
        load(team, left, part, keys[0]);
        encode_round(team, keys[0], part, states);
      }
      load_ahead(team, left, ahead);
      while (left > 0) {
        FIRN_UNROLL
        for (uint32_t a = 0; a < kAhead; ++a) {
          FIRN_UNROLL
          for (uint32_t own = 0; own < kOwn; ++own) keys[a][own] = ahead[a][own];
        }
        const uint32_t rounds = left / kLanes < kAhead ? left / kLanes : kAhead;
        left -= rounds * kLanes;
        load_ahead(team, left, ahead);
        FIRN_UNROLL
        for (uint32_t a = 0; a < kAhead; ++a) {
          if (a < rounds) encode_round(team, keys[a], kLanes, states);
        }
      }
    }

    // Keys of the rounds that end at element `end`, the last first.
    template <typename Team>
    FIRN_EACH void load_ahead(const Team& team, uint32_t end, uint32_t (&keys)[kAhead][kOwn]) const {
      FIRN_UNROLL
      for (uint32_t a = 0; a < kAhead; ++a) {
        if (end >= (a + 1) * kLanes) load(team, end - (a + 1) * kLanes, kLanes, keys[a]);
      }
    }

    // Keys of this member's lanes among the first `lanes`, from element `begin` on.
    template <typename Team>
    FIRN_EACH void load(const Team& team, uint32_t begin, uint32_t lanes, uint32_t (&keys)[kOwn]) const {
      FIRN_UNROLL
      for (uint32_t own = 0; own < kOwn; ++own) {
        const uint32_t lane = own * team.size() + team.rank();
        keys[own] = lane < lanes ? key(begin + lane) : 0;
      }
    }

    template <typename Team>
    FIRN_EACH void encode_round(const Team& team, const uint32_t (&keys)[kOwn], uint32_t lanes,
                                uint32_t (&states)[kOwn]) {
      FIRN_UNROLL
      for (uint32_t own = kOwn; own-- > 0;) {
        if (own * team.size() >= lanes) continue;
        const bool mine = own * team.size() + team.rank() < lanes;
        const DenseTeamToken token = shared.tokens[keys[own]];
        uncoded |= mine && token.slots == DenseTeamToken::kUncoded;
        const uint32_t state = states[own];
        const bool full = mine && state >> 16 > token.slots >> 16;
        uint32_t words;
        const uint32_t below = count_below(team, full, &words);
        if (full) *(reinterpret_cast<uint16_t*>(next) - (words - below)) = static_cast<uint16_t>(state);
        next -= 2 * size_t{words};
        if (mine) states[own] = push(full ? state >> 16 : state, token);
      }
    }

    template <typename Team>
    FIRN_EACH void finish(const Team& team, const uint32_t (&states)[kOwn], DenseTeamResult* result) {
      FIRN_UNROLL
      for (uint32_t own = 0; own < kOwn; ++own) {
        const uint32_t lane = own * team.size() + team.rank();
        if (lane < kLanes) put(next - 4 * (kLanes - lane), states[own]);
      }
      const bool failed = team.any(uncoded);
      if (team.rank() != 0) return;
      uint32_t length = 1;
      for (uint32_t rest = main >> 7; rest > 0; rest >>= 7) ++length;
      uint8_t* const begin = next - 4 * kLanes - length;
      for (uint32_t i = 0; i < length; ++i)
        begin[i] = static_cast<uint8_t>((main >> (7 * i) & 0x7F) | (i + 1 < length ? 0x80 : 0));
      *result = {failed ? DenseTeamStatus::uncoded : DenseTeamStatus::ok,
                 failed ? 0 : static_cast<uint32_t>(block.end - begin)};
    }

    FIRN_EACH static void put(uint8_t* to, uint32_t word) {
      for (uint32_t b = 0; b < 4; ++b) to[b] = static_cast<uint8_t>(word >> (8 * b));
    }
  };
};

}  // namespace firn
