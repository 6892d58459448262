// Weights to levels of a codebook and back (firn/codebook_quant/assign.h), over teams: a chunk of kCodebookChunk
// elements a team. Protected weights find their place through the counts of the chunks before: count_levels,
// exclusive_sums, then gather_protected or dequantize.
#pragma once
#include "codebook_quant/assign/bin_search.h"
#include "codebook_quant/partition/partition_team.h"
#include "team/elements.h"

namespace firn {

inline constexpr uint64_t kCodebookChunk = 1u << 14;

inline uint32_t codebook_chunks(uint64_t count) {
  return static_cast<uint32_t>((count + kCodebookChunk - 1) / kCodebookChunk);
}

// Elements of a chunk.
FIRN_EACH uint32_t chunk_size(uint64_t count, uint32_t chunk) {
  const uint64_t left = count - chunk * kCodebookChunk;
  return static_cast<uint32_t>(left < kCodebookChunk ? left : kCodebookChunk);
}

// assign_levels() for arguments it accepts. `search` is that of the map, on the device.
struct AssignLevelsTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr size_t kSharedBytes = (kBoundariesMax + 1) * sizeof(float);
  const void* weights;
  const void* gradients;  // or null
  Dtype dtype, gradient_dtype;
  uint64_t count;
  PartitionRule rule;
  const BinSearch* search;
  uint8_t pruned, protect;
  uint8_t* levels;
  uint32_t* protected_counts;  // a chunk

  uint32_t teams(uint32_t) const { return codebook_chunks(count); }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t chunk, uint32_t, unsigned char* shared) const {
    float* const tree = reinterpret_cast<float*>(shared);
    for_each_element(team, kBoundariesMax + 1, [&](size_t i) { tree[i] = search->tree[i]; });
    if (team.rank() == 0) protected_counts[chunk] = 0;
    team.barrier();
    const uint32_t depth = search->depth;
    uint32_t protected_count = 0;
    with_dtype(dtype, [&](auto tag) {
      constexpr Dtype kDtype = decltype(tag)::dtype;
      constexpr uint32_t kPer = kPerSixteen<kDtype>, kBytes = kDtype == Dtype::f32 ? 4 : 2;
      const uint64_t start = chunk * kCodebookChunk;
      const void* const own = static_cast<const unsigned char*>(weights) + start * kBytes;
      for_each_sixteen<kDtype>(team, 0, 1, own, chunk_size(count, chunk),
                               [&](const Sixteen& load, uint64_t first, uint32_t there) {
        uint32_t words[2] = {};
        FIRN_UNROLL
        for (uint32_t e = 0; e < kPer; ++e) {
          if (e >= there) continue;
          const float weight = element_of<kDtype>(load, e);
          uint32_t path = 0;
          for (uint32_t step = 0; step < depth; ++step)
            path = 2 * path + (weight >= tree[(1u << step) - 1 + path] ? 1 : 0);
          float gradient = 0;
          if (gradients) {
            with_dtype(gradient_dtype, [&](auto other) {
              gradient = element_of<decltype(other)::dtype>(gradients, start + first + e);
            });
          }
          const Fate fate = team_fate(rule, weight, gradient);
          protected_count += fate == Fate::protect;
          const uint32_t level = fate == Fate::protect ? protect : fate == Fate::pruned ? pruned : path;
          words[e / 4] |= level << e % 4 * 8;
        }
        uint8_t* const to = levels + start + first;
        if (there == kPer) {
          if constexpr (kPer == 4) *reinterpret_cast<uint32_t*>(to) = words[0];
          else *reinterpret_cast<Eight*>(to) = Eight{{words[0], words[1]}};
        } else {
          FIRN_UNROLL
          for (uint32_t e = 0; e < kPer; ++e) {
            if (e < there) to[e] = static_cast<uint8_t>(words[e / 4] >> e % 4 * 8);
          }
        }
      });
    });
    team.add_all(&protected_counts[chunk], protected_count);
  }
};

// How many elements of every chunk have `level`.
struct CountLevelsTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr size_t kSharedBytes = 0;
  const uint8_t* levels;
  uint64_t count;
  uint8_t level;
  uint32_t* counts;

  uint32_t teams(uint32_t) const { return codebook_chunks(count); }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t chunk, uint32_t, unsigned char*) const {
    if (team.rank() == 0) counts[chunk] = 0;
    team.barrier();
    const uint8_t* const own = levels + chunk * kCodebookChunk;
    const uint32_t size = chunk_size(count, chunk), whole = size / 16;
    uint32_t found = 0;
    for_each_element(team, whole, [&](size_t i) {
      const Sixteen load = reinterpret_cast<const Sixteen*>(own)[i];
      FIRN_UNROLL
      for (uint32_t e = 0; e < 16; ++e) found += (load.words[e / 4] >> e % 4 * 8 & 0xFFu) == level;
    });
    for_each_element(team, size % 16, [&](size_t i) { found += own[whole * 16 + i] == level; });
    team.add_all(&counts[chunk], found);
  }
};

// sums[i] is the sum of the counts before i, and sums[count] that of all. One team.
struct ExclusiveSumsTeamKernel {
  static constexpr uint32_t kMembers = 1024, kResident = 1;
  static constexpr size_t kSharedBytes = 0;
  const uint32_t* counts;
  uint32_t count;
  uint64_t* sums;

  uint32_t teams(uint32_t) const { return 1; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t, uint32_t, unsigned char*) const {
    uint64_t before = 0;
    for (uint32_t base = 0; base < count; base += team.size()) {
      const uint32_t i = base + team.rank();
      uint32_t total;
      const uint32_t sum = team.exclusive_sum(i < count ? counts[i] : 0, &total);
      if (i < count) sums[i] = before + sum;
      before += total;
    }
    if (team.rank() == 0) sums[count] = before;
  }
};

// Calls body(element of the chunk, place) for every element, place being the next of the protected words where the
// level is `level`, else anything.
template <typename Team, typename Body>
FIRN_EACH void for_each_place(const Team& team, const uint8_t* own, uint32_t size, int32_t level, uint64_t place,
                              Body body) {
  for (uint32_t base = 0; base < size; base += team.size()) {
    const uint32_t i = base + team.rank();
    const bool is_protected = i < size && own[i] == level;
    uint64_t at = place;
    if (team.any(is_protected)) {
      uint32_t total;
      at += team.exclusive_sum(is_protected, &total);
      place += total;
    }
    if (i < size) body(i, at);
  }
}

// gather_protected(). `places` is the exclusive sums of the chunks' counts.
struct GatherProtectedTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr size_t kSharedBytes = 0;
  const void* weights;
  Dtype dtype;
  const uint8_t* levels;
  uint64_t count;
  uint8_t protected_level;
  const uint64_t* places;
  uint16_t* words;

  uint32_t teams(uint32_t) const { return codebook_chunks(count); }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t chunk, uint32_t, unsigned char*) const {
    const uint64_t start = chunk * kCodebookChunk;
    for_each_place(team, levels + start, chunk_size(count, chunk), protected_level, places[chunk],
                   [&](uint32_t i, uint64_t at) {
                     if (levels[start + i] != protected_level) return;
                     words[at] = dtype == Dtype::f32 ? narrow_bf16(static_cast<const float*>(weights)[start + i])
                                                     : static_cast<const uint16_t*>(weights)[start + i];
                   });
  }
};

// dequantize() for arguments it accepts. `failures` receives 1 for a chunk with a level that is none, or without enough
// words; whether words are left over shows in the last of `places`.
struct DequantizeTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr size_t kSharedBytes = 256 * sizeof(uint32_t);
  const uint8_t* levels;
  uint64_t count;
  Dtype dtype;
  const void* table;
  uint32_t level_count;
  int32_t protected_level;  // or kNoLevel, and then no places
  const uint64_t* places;
  const uint16_t* words;
  uint64_t word_count;
  void* elements;
  uint8_t* failures;  // a chunk

  uint32_t teams(uint32_t) const { return codebook_chunks(count); }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t chunk, uint32_t, unsigned char* shared) const {
    if (dtype == Dtype::f32) chunk_of<uint32_t>(team, chunk, shared);
    else chunk_of<uint16_t>(team, chunk, shared);
  }

 private:
  template <typename Word, typename Team>
  FIRN_EACH void chunk_of(const Team& team, uint32_t chunk, unsigned char* shared) const {
    Word* const own_table = reinterpret_cast<Word*>(shared);
    for_each_element(team, 256, [&](size_t i) {
      own_table[i] = i < level_count ? static_cast<const Word*>(table)[i] : Word{0};
    });
    team.barrier();
    const uint64_t start = chunk * kCodebookChunk;
    const uint8_t* const own = levels + start;
    Word* const to = static_cast<Word*>(elements) + start;
    const uint32_t size = chunk_size(count, chunk), whole = size / 4;
    bool failed = false;
    for_each_element(team, whole, [&](size_t i) {
      const uint32_t four = reinterpret_cast<const uint32_t*>(own)[i];
      Word found[4];
      FIRN_UNROLL
      for (uint32_t e = 0; e < 4; ++e) {
        failed |= (four >> 8 * e & 0xFFu) >= level_count;
        found[e] = own_table[four >> 8 * e & 0xFFu];
      }
      if constexpr (sizeof(Word) == 4)
        reinterpret_cast<Sixteen*>(to)[i] = Sixteen{{found[0], found[1], found[2], found[3]}};
      else
        reinterpret_cast<Eight*>(to)[i] =
            Eight{{found[0] | uint32_t{found[1]} << 16, found[2] | uint32_t{found[3]} << 16}};
    });
    for_each_element(team, size % 4, [&](size_t e) {
      failed |= own[whole * 4 + e] >= level_count;
      to[whole * 4 + e] = own_table[own[whole * 4 + e]];
    });
    team.barrier();
    const bool has_protected = protected_level >= 0 && places[chunk + 1] > places[chunk];
    if (has_protected) {
      for_each_place(team, own, size, protected_level, places[chunk], [&](uint32_t i, uint64_t at) {
        if (own[i] != protected_level) return;
        failed |= at >= word_count;
        if (at >= word_count) return;
        to[i] = sizeof(Word) == 4 ? static_cast<Word>(uint32_t{words[at]} << 16) : words[at];
      });
    }
    const bool any_failed = team.any(failed);
    if (team.rank() == 0) failures[chunk] = any_failed;
  }
};

}  // namespace firn
