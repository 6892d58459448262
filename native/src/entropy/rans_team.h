// Static rANS of eight lanes (entropy/rans.h) over teams: a stream a team, lanes side by side, the words of a round
// where the lanes above have left off.
#pragma once
#include <cstddef>
#include <cstdint>

#include "team/count_below.h"
#include "team/team.h"

namespace firn {

inline constexpr uint32_t kRansTeamLanes = 8;

// A symbol in what a step needs of it.
struct RansTeamSymbol {
  uint32_t reciprocal;  // 2^32 / frequency, rounded down; 2^32 - 1 for a frequency of 1
  uint16_t frequency;
  uint16_t start;  // sum of the frequencies of lower symbols
};

// A stream to encode with one table. Addresses are of the device.
struct RansTeamStream {
  const uint8_t* symbols;       // each with a frequency
  const RansTeamSymbol* table;  // 256 of them
  uint8_t* end;                 // of the room for words, two bytes a symbol; an even address
  uint32_t count, bits;         // of the frequencies' sum
};

// What rans_encode() writes: the number of words, the states, and the words, which are the last ones of the room.
struct RansTeamResult {
  uint32_t words;
  uint32_t states[kRansTeamLanes];
};

struct RansEncodeTeamKernel {
  static constexpr uint32_t kMembers = 32;
  static constexpr uint32_t kResident = 24;
  static constexpr uint32_t kStaged = 1024;  // symbols at once; a multiple of the lanes
  struct Shared {
    RansTeamSymbol table[256];
    uint8_t symbols[kStaged];
  };
  static constexpr size_t kSharedBytes = sizeof(Shared);

  const RansTeamStream* streams;
  uint32_t count;
  RansTeamResult* results;

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* memory) const {
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    for (uint32_t s = team_index; s < count; s += teams) encode(team, streams[s], shared, &results[s]);
  }

 private:
  static constexpr uint32_t kStateMin = 1u << 16;
#ifdef __CUDACC__
  static constexpr uint32_t kOwn = 1;  // lanes of a member; most members have none
#else
  static constexpr uint32_t kOwn = kRansTeamLanes;
#endif

  template <typename Team>
  FIRN_EACH void encode(const Team& team, const RansTeamStream& stream, Shared& shared,
                        RansTeamResult* result) const {
    team.barrier();
    for_each_element(team, 256, [&](size_t i) { shared.table[i] = stream.table[i]; });
    uint32_t states[kOwn];
    FIRN_UNROLL
    for (uint32_t own = 0; own < kOwn; ++own) states[own] = kStateMin;
    uint16_t* const end = reinterpret_cast<uint16_t*>(stream.end);
    uint16_t* next = end;
    // From the last symbol to the first.
    for (uint32_t left = stream.count; left > 0;) {
      const uint32_t begin = (left - 1) / kStaged * kStaged, staged = left - begin;
      team.barrier();
      for_each_element(team, staged, [&](size_t i) { shared.symbols[i] = stream.symbols[begin + i]; });
      team.barrier();
      for (uint32_t at = staged; at > 0;) {
        const uint32_t part = at % kRansTeamLanes, lanes = part > 0 ? part : kRansTeamLanes;
        at -= lanes;
        encode_round(team, shared, at, lanes, stream.bits, states, next);
      }
      left = begin;
    }
    FIRN_UNROLL
    for (uint32_t own = 0; own < kOwn; ++own) {
      const uint32_t lane = own * team.size() + team.rank();
      if (lane < kRansTeamLanes) result->states[lane] = states[own];
    }
    if (team.rank() == 0) result->words = static_cast<uint32_t>(end - next);
  }

  template <typename Team>
  FIRN_EACH static void encode_round(const Team& team, const Shared& shared, uint32_t at, uint32_t lanes,
                                     uint32_t bits, uint32_t (&states)[kOwn], uint16_t*& next) {
    FIRN_UNROLL
    for (uint32_t own = kOwn; own-- > 0;) {
      if (own * team.size() >= lanes) continue;
      const uint32_t lane = own * team.size() + team.rank();
      const bool mine = lane < lanes;
      const RansTeamSymbol symbol = shared.table[mine ? shared.symbols[at + lane] : 0];
      const uint32_t state = states[own];
      const bool full = mine && state >> (32 - bits) >= symbol.frequency;
      uint32_t words;
      const uint32_t below = count_below(team, full, &words);
      if (full) *(next - (words - below)) = static_cast<uint16_t>(state);
      next -= words;
      if (mine) states[own] = push(full ? state >> 16 : state, symbol, bits);
    }
  }

  FIRN_EACH static uint32_t push(uint32_t state, const RansTeamSymbol& symbol, uint32_t bits) {
    const uint32_t frequency = symbol.frequency;
    auto quotient = static_cast<uint32_t>((uint64_t{state} * symbol.reciprocal) >> 32);  // or one too small
    uint32_t rest = state - quotient * frequency;
    if (rest >= frequency) {
      ++quotient;
      rest -= frequency;
    }
    return (quotient << bits) + rest + symbol.start;
  }
};

}  // namespace firn
