// Tokens of a block of levels (firn/delta.h) over teams, a block a team: level_keys groups the differences by source
// level, count_tokens counts what encode_tokens codes. A run is a run of equal keys, since a key has its source level.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/delta.h"
#include "team/team.h"

namespace firn {

inline constexpr uint32_t kTokenMembers = 256;

// Runs of at least kShortRuns in a block, at most.
inline constexpr uint32_t long_runs_max(uint32_t count) { return count / kShortRuns; }

// The differences of a block grouped by source level, in element order inside a group: source level << 8 | difference.
struct LevelKeysTeamKernel {
  static constexpr uint32_t kMembers = kTokenMembers, kResident = 4;
  static constexpr size_t kSharedBytes = 0;
  const uint8_t* previous;  // or null: every source level is 0
  const uint8_t* current;
  uint32_t count, modulus;  // the latter 1 to 256
  uint32_t* cursors;        // kMembers a level below the modulus; unused without previous levels
  uint16_t* keys;
  uint32_t* moved;          // receives how many levels differ from the previous ones
  uint8_t* failure;         // receives whether a level is not below the modulus; then all keys are 0

  uint32_t teams(uint32_t) const { return 1; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t, uint32_t, unsigned char*) const {
    if (team.rank() == 0) *moved = 0;
    bool is_bad = false;
    for_each_element(team, count, [&](size_t i) {
      is_bad |= current[i] >= modulus || (previous && previous[i] >= modulus);
    });
    const bool any_bad = team.any(is_bad);
    if (team.rank() == 0) *failure = any_bad;
    if (any_bad) for_each_element(team, count, [&](size_t i) { keys[i] = 0; });
    else if (previous) group(team);
    else for_each_element(team, count, [&](size_t i) { keys[i] = key_of(0, current[i]); });
  }

 private:
  FIRN_EACH uint16_t key_of(uint32_t before, uint32_t level) const {
    const uint32_t difference = before - level + (before < level ? modulus : 0);
    return static_cast<uint16_t>(before << 8 | difference);
  }

  // Each member moves a stretch of the block, behind the stretches before it.
  template <typename Team>
  FIRN_EACH void group(const Team& team) const {
    const uint32_t size = team.size(), rank = team.rank(), cells = modulus * size;
    for_each_element(team, cells, [&](size_t i) { cursors[i] = 0; });
    team.barrier();
    const uint32_t stretch = (count + size - 1) / size;
    const uint32_t begin = rank * stretch < count ? rank * stretch : count;
    const uint32_t end = count - begin < stretch ? count : begin + stretch;
    uint32_t differing = 0;
    for (uint32_t i = begin; i < end; ++i) {
      ++cursors[previous[i] * size + rank];
      differing += previous[i] != current[i];
    }
    team.barrier();
    uint32_t before = 0;
    for (uint32_t base = 0; base < cells; base += size) {
      const uint32_t i = base + rank;
      uint32_t total;
      const uint32_t sum = team.exclusive_sum(cursors[i], &total);
      cursors[i] = before + sum;
      before += total;
    }
    team.barrier();
    for (uint32_t i = begin; i < end; ++i) keys[cursors[previous[i] * size + rank]++] = key_of(previous[i], current[i]);
    team.add_all(moved, differing);
  }
};

// The runs of a block's keys, each the task of the member in whose stretch it starts.
template <typename Team>
class KeyRuns {
 public:
  // `firsts` is a word a member that the team shares.
  FIRN_EACH KeyRuns(const Team& team, const uint16_t* keys, uint32_t count, uint32_t* firsts)
      : team_(team), keys_(keys), count_(count), firsts_(firsts) {
    const uint32_t stretch = (count + team.size() - 1) / team.size();
    const uint32_t begin = team.rank() * stretch < count ? team.rank() * stretch : count;
    end_ = count - begin < stretch ? count : begin + stretch;
    first_ = begin;
    while (first_ < end_ && first_ > 0 && keys[first_] == keys[first_ - 1]) ++first_;
    if (first_ == end_) first_ = count;
    firsts[team.rank()] = first_;
    team.barrier();
  }

  // Calls body(source level, difference, length) for each run of this member.
  template <typename Body>
  FIRN_EACH void for_each(Body body) const {
    for (uint32_t first = first_; first < end_;) {
      const uint16_t key = keys_[first];
      uint32_t next = first + 1;
      while (next < end_ && keys_[next] == key) ++next;
      if (next == end_) next = start_after();
      body(key >> 8, key & 0xFFu, next - first);
      first = next;
    }
  }

 private:
  // Where the first run starts that is the task of a later member.
  FIRN_EACH uint32_t start_after() const {
    for (uint32_t member = team_.rank() + 1; member < team_.size(); ++member) {
      if (firsts_[member] < count_) return firsts_[member];
    }
    return count_;
  }

  const Team& team_;
  const uint16_t* keys_;
  uint32_t count_;
  const uint32_t* firsts_;
  uint32_t first_, end_;
};

// How often each value and each run follows each source level.
struct CountTokensTeamKernel {
  static constexpr uint32_t kMembers = kTokenMembers, kResident = 4;
  static constexpr size_t kSharedBytes = kMembers * sizeof(uint32_t);
  const uint16_t* keys;
  uint32_t count, modulus;
  // Added to: `modulus` a source level, and kShortRuns a source level, by length.
  uint32_t *values, *runs;
  CountedRun* long_runs;    // room for long_runs_max(count)
  uint32_t* long_run_count;

  uint32_t teams(uint32_t) const { return 1; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t, uint32_t, unsigned char* shared) const {
    const KeyRuns<Team> all(team, keys, count, reinterpret_cast<uint32_t*>(shared));
    uint32_t own = 0;
    all.for_each([&](uint32_t level, uint32_t difference, uint32_t length) {
      team.add(&values[level * modulus + difference], 1u);
      if (length < kShortRuns) team.add(&runs[level * kShortRuns + length], 1u);
      else ++own;
    });
    uint32_t total;
    uint32_t at = team.exclusive_sum(own, &total);
    if (team.rank() == 0) *long_run_count = total;
    if (own == 0) return;
    all.for_each([&](uint32_t level, uint32_t, uint32_t length) {
      if (length >= kShortRuns) long_runs[at++] = {level, length};
    });
  }
};

// Codes are bits << kTokenLengthBits | their number.
inline constexpr uint32_t kTokenLengthBits = 5;
inline constexpr uint32_t kTokenLengthMask = (1u << kTokenLengthBits) - 1;
inline constexpr uint32_t kNoTokenCode = ~0u;

// The code of a run of at least kShortRuns.
struct LongRunCode {
  uint32_t place, code;
  static constexpr uint32_t kLengthBits = 18;  // of a run in a block
};
FIRN_EACH uint32_t long_run_place(uint32_t level, uint32_t length) {
  return level << LongRunCode::kLengthBits | length;
}

// The bit stream of a block, most significant bit first.
struct EncodeTokensTeamKernel {
  static constexpr uint32_t kMembers = kTokenMembers, kResident = 4;
  static constexpr size_t kSharedBytes = kMembers * sizeof(uint32_t);
  const uint16_t* keys;
  uint32_t count, modulus;
  const uint32_t *values, *runs;  // as those of count_tokens; a run of one has the code 0
  const LongRunCode* long_runs;   // by place, ascending
  uint32_t long_run_count;
  uint32_t* words;   // cleared; room for the longest code of every element, and a word
  uint32_t* bits;    // receives how many there are
  uint8_t* failure;  // receives whether a token has no code; then the words are anything

  uint32_t teams(uint32_t) const { return 1; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t, uint32_t, unsigned char* shared) const {
    const KeyRuns<Team> all(team, keys, count, reinterpret_cast<uint32_t*>(shared));
    uint32_t own = 0;
    bool is_bad = false;
    all.for_each([&](uint32_t level, uint32_t difference, uint32_t length) {
      const uint32_t value = values[level * modulus + difference], run = code_of_run(level, length);
      is_bad |= value == kNoTokenCode || run == kNoTokenCode;
      own += (value & kTokenLengthMask) + (run & kTokenLengthMask);
    });
    const bool any_bad = team.any(is_bad);
    if (team.rank() == 0) *failure = any_bad;
    if (any_bad) return;
    uint32_t total;
    const uint32_t at = team.exclusive_sum(own, &total);
    if (team.rank() == 0) *bits = total;
    if (own == 0) return;
    Stream<Team> stream{team, words + at / 32, 0, at % 32};
    all.for_each([&](uint32_t level, uint32_t difference, uint32_t length) {
      stream.put(values[level * modulus + difference]);
      stream.put(code_of_run(level, length));
    });
    stream.flush();
  }

 private:
  FIRN_EACH uint32_t code_of_run(uint32_t level, uint32_t length) const {
    if (length < kShortRuns) return runs[level * kShortRuns + length];
    const uint32_t place = long_run_place(level, length);
    uint32_t low = 0, high = long_run_count;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (long_runs[middle].place < place) low = middle + 1;
      else high = middle;
    }
    return low < long_run_count && long_runs[low].place == place ? long_runs[low].code : kNoTokenCode;
  }

  // Neighbours may share the first and the last word of a member.
  template <typename Team>
  struct Stream {
    const Team& team;
    uint32_t* word;
    uint32_t pending, used;  // bits of the word, from its most significant one; fewer than 32

    FIRN_EACH void put(uint32_t code) {
      const uint32_t length = code & kTokenLengthMask;
      const uint64_t window = (uint64_t{code >> kTokenLengthBits} << 32) >> length << (32 - used);
      pending |= static_cast<uint32_t>(window >> 32);
      used += length;
      if (used < 32) return;
      flush();
      ++word;
      pending = static_cast<uint32_t>(window);
      used -= 32;
    }
    FIRN_EACH void flush() const {
      const uint32_t p = pending;
      if (p != 0) team.add(word, p >> 24 | (p >> 8 & 0xFF00u) | (p << 8 & 0xFF0000u) | p << 24);
    }
  };
};

}  // namespace firn
