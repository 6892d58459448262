// The lattice (firn/residual_quant/lattice.h) over teams, a block a team. Members take four neighbouring elements at a
// time; escapes find their place through sums over the members before.
//
// Arrays of elements hold those of all blocks: block b has elements first to first + count of each, where first is a
// multiple of 16. Rules come from lattice_rule(), one a segment. `failures` receives 1 for a block for which the
// function of the processor would not answer ok, else 0; its other outputs are then anything.
#pragma once
#ifndef __CUDACC__
#include <cmath>
#endif

#include "residual_quant/lattice/activity.h"
#include "residual_quant/lattice/lattice_kernels.h"
#include "team/elements.h"

namespace firn {

struct LatticeTeamSegment {
  LatticeRule rule;
  uint32_t first, count;  // elements of the block
};

struct LatticeTeamBlock {
  uint64_t first;
  uint32_t count;
  uint32_t segment_first, segment_count;
  uint64_t escape_first;  // in the array of escapes
  uint32_t escape_count;  // that are there to read; quantize has room for one an element
};

inline constexpr uint32_t kLatticeVector = 4;

// Up to four elements of a segment.
struct LatticeFour {
  static constexpr uint32_t kAll = 15, kWhole = 16;
  uint32_t first;  // in the block, a multiple of four
  uint32_t bits;   // bit e: element e is the segment's; kWhole: all four are the block's, and can be read at once

  FIRN_EACH bool has(uint32_t e) const { return bits & 1u << e; }
  FIRN_EACH bool all() const { return (bits & kAll) == kAll; }
  FIRN_EACH bool none() const { return (bits & kAll) == 0; }
  FIRN_EACH bool whole() const { return bits & kWhole; }
};

FIRN_EACH LatticeFour four_at(const LatticeTeamBlock& block, const LatticeTeamSegment& segment, uint32_t number) {
  const uint32_t begin = segment.first, end = segment.first + segment.count, first = number * kLatticeVector;
  LatticeFour four{first, LatticeFour::kAll | LatticeFour::kWhole};
  if (first >= begin && first + kLatticeVector <= end) return four;
  four.bits = first + kLatticeVector <= block.count ? uint32_t{LatticeFour::kWhole} : 0;
  FIRN_UNROLL
  for (uint32_t e = 0; e < kLatticeVector; ++e) four.bits |= uint32_t{first + e >= begin && first + e < end} << e;
  return four;
}

// Calls body(four, what load(four) brought) for the elements of a segment; all members call it the same number of
// times, those without elements of their own with none. The next four are on their way meanwhile.
template <typename Team, typename Load, typename Body>
FIRN_EACH void for_each_four(const Team& team, const LatticeTeamBlock& block, const LatticeTeamSegment& segment,
                             Load load, Body body) {
  const uint32_t last = (segment.first + segment.count + kLatticeVector - 1) / kLatticeVector;
  uint32_t number = segment.first / kLatticeVector + team.rank();
  for (uint32_t base = segment.first / kLatticeVector; base < last; base += team.size()) {
    const LatticeFour four = four_at(block, segment, number);
    body(four, load(four));
    number += team.size();
  }
}

template <typename Team, typename Body>
FIRN_EACH void for_each_four(const Team& team, const LatticeTeamBlock& block, const LatticeTeamSegment& segment,
                             Body body) {
  for_each_four(
      team, block, segment, [](const LatticeFour&) { return 0; }, [&](const LatticeFour& four, int) { body(four); });
}

template <Dtype dtype>
FIRN_EACH void load_four(const void* elements, uint64_t index, const LatticeFour& four, float* to) {
  if (four.whole()) {
    if constexpr (dtype == Dtype::f32) {
      const Sixteen load = static_cast<const Sixteen*>(elements)[index / 4];
      FIRN_UNROLL
      for (uint32_t e = 0; e < 4; ++e) to[e] = float_of(load.words[e]);
    } else {
      const Eight load = static_cast<const Eight*>(elements)[index / 4];
      Sixteen wide;
      wide.words[0] = load.words[0], wide.words[1] = load.words[1], wide.words[2] = wide.words[3] = 0;
      FIRN_UNROLL
      for (uint32_t e = 0; e < 4; ++e) to[e] = element_of<dtype>(wide, e);
    }
  } else {
    FIRN_UNROLL
    for (uint32_t e = 0; e < 4; ++e)
      to[e] = four.has(e) ? element_of<dtype>(elements, index + e) : 0.0f;
  }
}

// Zeros without an array.
FIRN_EACH void load_four(const int32_t* values, uint64_t index, const LatticeFour& four, int32_t* to) {
  if (values && four.whole()) {
    const Sixteen load = reinterpret_cast<const Sixteen*>(values)[index / 4];
    FIRN_UNROLL
    for (uint32_t e = 0; e < 4; ++e) to[e] = static_cast<int32_t>(load.words[e]);
  } else {
    FIRN_UNROLL
    for (uint32_t e = 0; e < 4; ++e) to[e] = values && four.has(e) ? values[index + e] : 0;
  }
}

// As the bytes of a word, the first the lowest.
FIRN_EACH uint32_t load_four(const uint8_t* bytes, uint64_t index, const LatticeFour& four) {
  if (!bytes) return 0;
  if (four.whole()) return reinterpret_cast<const uint32_t*>(bytes)[index / 4];
  uint32_t word = 0;
  FIRN_UNROLL
  for (uint32_t e = 0; e < 4; ++e) {
    if (four.has(e)) word |= uint32_t{bytes[index + e]} << 8 * e;
  }
  return word;
}

FIRN_EACH void store_four(uint8_t* bytes, uint64_t index, const LatticeFour& four, uint32_t word) {
  if (four.all()) {
    reinterpret_cast<uint32_t*>(bytes)[index / 4] = word;
    return;
  }
  FIRN_UNROLL
  for (uint32_t e = 0; e < 4; ++e) {
    if (four.has(e)) bytes[index + e] = static_cast<uint8_t>(word >> 8 * e);
  }
}

FIRN_EACH void store_four(int32_t* values, uint64_t index, const LatticeFour& four, const int32_t* from) {
  if (four.all()) {
    Sixteen store;
    FIRN_UNROLL
    for (uint32_t e = 0; e < 4; ++e) store.words[e] = static_cast<uint32_t>(from[e]);
    reinterpret_cast<Sixteen*>(values)[index / 4] = store;
    return;
  }
  FIRN_UNROLL
  for (uint32_t e = 0; e < 4; ++e) {
    if (four.has(e)) values[index + e] = from[e];
  }
}

template <Dtype dtype>
FIRN_EACH void store_four(void* elements, uint64_t index, const LatticeFour& four, const float* from) {
  uint32_t words[4];
  FIRN_UNROLL
  for (uint32_t e = 0; e < 4; ++e) {
    if constexpr (dtype == Dtype::f32) words[e] = bits_of(from[e]);
    else words[e] = dtype == Dtype::bf16 ? narrow_bf16(from[e]) : narrow_f16(from[e]);
  }
  const bool all = four.all();
  if constexpr (dtype == Dtype::f32) {
    if (all) {
      static_cast<Sixteen*>(elements)[index / 4] = Sixteen{{words[0], words[1], words[2], words[3]}};
      return;
    }
  } else if (all) {
    static_cast<Eight*>(elements)[index / 4] = Eight{{words[0] | words[1] << 16, words[2] | words[3] << 16}};
    return;
  }
  FIRN_UNROLL
  for (uint32_t e = 0; e < 4; ++e) {
    if (!four.has(e)) continue;
    if constexpr (dtype == Dtype::f32) static_cast<uint32_t*>(elements)[index + e] = words[e];
    else static_cast<uint16_t*>(elements)[index + e] = static_cast<uint16_t>(words[e]);
  }
}

// weight_units() of weight_units.h.
FIRN_EACH bool team_weight_units(float weight, float units, int32_t* x) {
  const float scaled = weight * units;
  // From half a unit below the limit on, the tie rounds to even and beyond it.
  const bool in_range = float_of(bits_of(scaled) & 0x7FFFFFFFu) < static_cast<float>(kLatticeWeightMax) + 0.5f;
#ifdef __CUDACC__
  *x = __float2int_rn(in_range ? scaled : 0.0f);
#else
  *x = static_cast<int32_t>(std::lrint(in_range ? scaled : 0.0f));
#endif
  return in_range;
}

// The previous value in units of the segment; 0, and false, when it is out of range.
FIRN_EACH bool team_shifted(const LatticeRule& rule, int32_t kept, int32_t* k) {
  const uint32_t most = static_cast<uint32_t>(rule.kept_max);
  const bool in_range = static_cast<uint32_t>(kept) + most <= 2 * most;
  *k = in_range ? static_cast<int32_t>(static_cast<uint32_t>(kept) << rule.shift) : 0;
  return in_range;
}

// n / divisor for 0 <= n < 2^24 and `reciprocal` the divisor's, rounded: the product is less than one off.
FIRN_EACH int32_t quotient(int32_t n, int32_t divisor, float reciprocal) {
  int32_t q = static_cast<int32_t>(static_cast<float>(n) * reciprocal);
  const int32_t rest = n - q * divisor;
  q -= rest < 0;
  q += rest >= divisor;
  return q;
}

FIRN_EACH uint32_t team_context(const LatticeRule& rule, int32_t value, uint32_t activity) {
  // kActivityClass without a table.
  const uint32_t level = activity >> (kSignBits + 2);
  const uint32_t activity_class = (level >= 3) + (level >= 7) + (level >= 10) + (level >= 12) + (level >= 14);
  const uint32_t sign = activity & ((1u << kSignBits) - 1);
  const uint32_t direction = sign == kSignNone ? 0 : (sign == kSignPlus) == (value >= 0) ? 1 : 2;
  const uint32_t magnitude = value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
  const uint32_t magnitude_class = (magnitude >= static_cast<uint32_t>(rule.class1_from)) +
                                   (magnitude >= static_cast<uint32_t>(rule.class2_from));
  return (activity_class * kDirections + direction) * kMagnitudes + magnitude_class;
}

FIRN_EACH uint32_t team_next_activity(uint32_t state, uint32_t steps, uint32_t sign) {
  constexpr uint64_t kLifts = uint64_t{46} << 8 | uint64_t{54} << 16 | uint64_t{58} << 24 | uint64_t{62} << 32;
  const int32_t kept = static_cast<int32_t>(state >> kSignBits) - kActivityDecay;
  const uint32_t decayed = kept > 0 ? static_cast<uint32_t>(kept) : 0;
  const uint32_t lift = static_cast<uint32_t>(kLifts >> 8 * (steps < kStepsMax ? steps : kStepsMax)) & 0xFFu;
  return (decayed > lift ? decayed : lift) << kSignBits | sign;
}

// LatticeZones(step, hysteresis).dead[i].
FIRN_EACH int32_t team_zone(uint32_t dead_zone, uint32_t rate, int32_t step) {
  constexpr uint32_t kNearest = 128;
  const uint32_t over = dead_zone > kNearest ? dead_zone - kNearest : 0;
  const uint32_t widest = dead_zone > kLatticePricedZoneMax ? dead_zone : kLatticePricedZoneMax;
  const uint32_t priced = kNearest + (over * rate + kLatticeRateUnit / 2) / kLatticeRateUnit;
  const uint32_t zone = over == 0 ? dead_zone : priced < widest ? priced : widest;
  const uint32_t dead = (zone * static_cast<uint32_t>(step) + 255) / 256;
  return dead > 1 ? static_cast<int32_t>(dead) : 1;
}

// lattice_quantize() of every block.
struct LatticeQuantizeTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr size_t kSharedBytes = kLatticeRates * sizeof(int32_t);
  const LatticeTeamBlock* blocks;
  uint32_t block_count;
  const LatticeTeamSegment* segments;  // rules with the dead zone
  const void* weights;
  Dtype dtype;
  const int32_t* values;    // both null for a base
  const uint8_t* activity;
  const uint8_t* rates;     // null or kLatticeRates of them
  uint32_t dead_zone;
  uint8_t* symbols;
  uint32_t* escapes;
  uint32_t* escape_counts;        // a block
  LatticeStatistics* statistics;  // a segment
  uint8_t* failures;              // a block

  struct Loaded {
    float w[4];
    int32_t kept[4];
    uint32_t states;
  };

  uint32_t teams(uint32_t) const { return block_count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char* shared) const {
    with_dtype(dtype, [&](auto tag) {
      if (rates && values) block_of<decltype(tag)::dtype, true>(team, team_index, shared);
      else block_of<decltype(tag)::dtype, false>(team, team_index, shared);
    });
  }

 private:
  template <Dtype kDtype, bool kPriced, typename Team>
  FIRN_EACH void block_of(const Team& team, uint32_t number, unsigned char* shared) const {
    const LatticeTeamBlock block = blocks[number];
    int32_t* const dead = reinterpret_cast<int32_t*>(shared);
    uint32_t escape_count = 0;
    bool failed = false;
    for (uint32_t s = block.segment_first; s < block.segment_first + block.segment_count; ++s) {
      const LatticeTeamSegment segment = segments[s];
      const LatticeRule& rule = segment.rule;
      static_assert(sizeof(LatticeStatistics) == 11 * sizeof(int64_t));
      for_each_element(team, 11, [&](size_t i) { reinterpret_cast<int64_t*>(statistics + s)[i] = 0; });
      if constexpr (kPriced)
        for_each_element(team, kLatticeRates, [&](size_t i) { dead[i] = team_zone(dead_zone, rates[i], rule.step); });
      team.barrier();
      const float reciprocal = 1.0f / static_cast<float>(rule.step);
      const int32_t half = rule.step / 2;
      int64_t squares = 0, products = 0, residuals[3] = {}, signed_sums[3] = {};
      int32_t counts[3] = {};
      const auto load = [&](const LatticeFour& four) {
        Loaded loaded{};
        if (four.none()) return loaded;
        const uint64_t index = block.first + four.first;
        load_four<kDtype>(weights, index, four, loaded.w);
        load_four(values, index, four, loaded.kept);
        if constexpr (kPriced) loaded.states = load_four(activity, index, four);
        return loaded;
      };
      for_each_four(team, block, segment, load, [&](const LatticeFour& four, const Loaded& loaded) {
        const uint64_t index = block.first + four.first;
        uint32_t word = 0, own_escapes = 0, beyond[4] = {};
        if (!four.none()) {
          const auto& [w, kept, states] = loaded;
          int32_t residuals_of_four[3] = {}, signed_of_four[3] = {};
          FIRN_UNROLL
          for (uint32_t e = 0; e < 4; ++e) {
            if (!four.has(e)) continue;
            int32_t x, k;
            failed |= !team_weight_units(w[e], rule.units, &x);
            failed |= !team_shifted(rule, kept[e], &k);
            const bool minus = x < k;
            const int32_t distance = minus ? k - x : x - k;
            const bool against = minus != (k < 0);
            int32_t zone = rule.dead;
            if constexpr (kPriced) zone = dead[2 * team_context(rule, kept[e], states >> 8 * e & 0xFFu) + against];
            int32_t target = k;
            if (distance >= zone) {
              const int32_t nearest = quotient(distance + half, rule.step, reciprocal);
              const int32_t steps = nearest > 1 ? nearest : 1;
              const uint32_t zigzag = static_cast<uint32_t>(2 * steps - against);
              word |= (zigzag < kLatticeEscape ? zigzag : kLatticeEscape) << 8 * e;
              if (zigzag >= kLatticeEscape) {
                beyond[e] = zigzag - kLatticeEscape + 1;
                ++own_escapes;
              }
              const int32_t moved = steps * rule.step, outwards = minus ? -x : x;
              FIRN_UNROLL
              for (int32_t j = 0; j < 3; ++j) {
                if (j < 2 ? steps != j + 1 : steps < 3) continue;
                ++counts[j];
                residuals_of_four[j] += distance - moved;
                signed_of_four[j] += outwards;
              }
              target = minus ? k - moved : k + moved;
            }
            products += int64_t{x} * target;
            squares += int64_t{x} * x;
          }
          FIRN_UNROLL
          for (uint32_t j = 0; j < 3; ++j) {
            residuals[j] += residuals_of_four[j];
            signed_sums[j] += signed_of_four[j];
          }
          store_four(symbols, index, four, word);
        }
        if (team.any(own_escapes > 0)) {
          uint32_t total;
          uint64_t at = block.escape_first + escape_count + team.exclusive_sum(own_escapes, &total);
          FIRN_UNROLL
          for (uint32_t e = 0; e < 4; ++e) {
            if (beyond[e] > 0) escapes[at++] = beyond[e] - 1;
          }
          escape_count += total;
        }
      });
      LatticeStatistics& sums = statistics[s];
      FIRN_UNROLL
      for (uint32_t j = 0; j < 3; ++j) {
        team.add_all(&sums.counts[j], int64_t{counts[j]});
        team.add_all(&sums.residuals[j], residuals[j]);
        team.add_all(&sums.signed_sums[j], signed_sums[j]);
      }
      team.add_all(&sums.squares, squares);
      team.add_all(&sums.products, products);
      team.barrier();  // the zones are of this segment
    }
    const bool any_failed = team.any(failed);
    if (team.rank() == 0) {
      failures[number] = any_failed;
      escape_counts[number] = escape_count;
    }
  }
};

// lattice_contexts() of every block; with `values` null, zeros.
struct LatticeContextsTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr size_t kSharedBytes = 0;
  const LatticeTeamBlock* blocks;
  uint32_t block_count;
  const LatticeTeamSegment* segments;
  const int32_t* values;
  const uint8_t* activity;
  uint8_t* contexts;

  uint32_t teams(uint32_t) const { return block_count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char*) const {
    const LatticeTeamBlock block = blocks[team_index];
    for (uint32_t s = block.segment_first; s < block.segment_first + block.segment_count; ++s) {
      const LatticeTeamSegment segment = segments[s];
      for_each_four(team, block, segment, [&](const LatticeFour& four) {
        if (four.none()) return;
        const uint64_t index = block.first + four.first;
        int32_t kept[4];
        load_four(values, index, four, kept);
        const uint32_t states = load_four(activity, index, four);
        uint32_t word = 0;
        FIRN_UNROLL
        for (uint32_t e = 0; e < 4; ++e)
          word |= team_context(segment.rule, kept[e], states >> 8 * e & 0xFFu) << 8 * e;
        store_four(contexts, index, four, values ? word : 0);
      });
    }
  }
};

// lattice_apply() of every block, and the elements rebuilt from its values, as lattice_values() does it. Outputs may be
// null, and may be the inputs.
struct LatticeRebuildTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr size_t kSharedBytes = 0;
  const LatticeTeamBlock* blocks;
  uint32_t block_count;
  const LatticeTeamSegment* segments;
  const uint8_t* symbols;
  const uint32_t* escapes;
  const int32_t* values;  // both null for a base
  const uint8_t* activity;
  int32_t* new_values;
  uint8_t* new_activity;
  void* elements;
  Dtype dtype;
  uint8_t* failures;
  struct Loaded {
    uint32_t word;
    int32_t kept[4];
    uint32_t states;
  };

  uint32_t teams(uint32_t) const { return block_count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char*) const {
    with_dtype(dtype, [&](auto tag) { block_of<decltype(tag)::dtype>(team, team_index); });
  }

 private:
  template <Dtype kDtype, typename Team>
  FIRN_EACH void block_of(const Team& team, uint32_t number) const {
    const LatticeTeamBlock block = blocks[number];
    uint32_t taken = 0;
    bool failed = false;
    for (uint32_t s = block.segment_first; s < block.segment_first + block.segment_count; ++s) {
      const LatticeTeamSegment segment = segments[s];
      const LatticeRule& rule = segment.rule;
      const auto load = [&](const LatticeFour& four) {
        Loaded loaded{};
        if (four.none()) return loaded;
        const uint64_t index = block.first + four.first;
        loaded.word = load_four(symbols, index, four);
        load_four(values, index, four, loaded.kept);
        loaded.states = load_four(activity, index, four);
        return loaded;
      };
      for_each_four(team, block, segment, load, [&](const LatticeFour& four, const Loaded& loaded) {
        const uint64_t index = block.first + four.first;
        const auto& [word, kept, states] = loaded;
        uint32_t zigzags[4] = {}, own_escapes = 0;
        FIRN_UNROLL
        for (uint32_t e = 0; e < 4; ++e) {
          if (!four.has(e)) continue;
          zigzags[e] = word >> 8 * e & 0xFFu;
          failed |= zigzags[e] > kLatticeEscape;
          own_escapes += zigzags[e] == kLatticeEscape;
        }
        if (team.any(own_escapes > 0)) {
          uint32_t total;
          uint32_t at = taken + team.exclusive_sum(own_escapes, &total);
          FIRN_UNROLL
          for (uint32_t e = 0; e < 4; ++e) {
            if (zigzags[e] != kLatticeEscape) continue;
            const uint32_t escape = at < block.escape_count ? escapes[block.escape_first + at] : ~0u;
            failed |= escape > 0x7FFFFFFFu - kLatticeEscape;  // no value is that far
            zigzags[e] += escape & 0x3FFFFFFFu;
            ++at;
          }
          taken += total;
        }
        if (four.none()) return;
        int32_t next[4] = {};
        uint32_t next_states = 0;
        float rebuilt[4] = {};
        FIRN_UNROLL
        for (uint32_t e = 0; e < 4; ++e) {
          if (!four.has(e)) continue;
          int32_t k;
          failed |= !team_shifted(rule, kept[e], &k);
          const uint32_t steps = (zigzags[e] + 1) / 2;
          const bool minus = (zigzags[e] & 1) != (k < 0);
          int64_t value = k;
          uint32_t sign = kSignNone;
          if (steps > 0) {
            const int32_t offset = steps == 1 ? rule.offsets[0] : steps == 2 ? rule.offsets[1] : rule.offsets[2];
            const int64_t distance = int64_t{static_cast<int32_t>(steps)} * rule.step - offset;
            value += minus ? -distance : distance;
            sign = minus ? kSignMinus : kSignPlus;
          }
          failed |= value > kLatticeValueMax || value < -kLatticeValueMax;
          next[e] = static_cast<int32_t>(value);
          const uint32_t state = states >> 8 * e & 0xFFu;
          next_states |= (activity ? team_next_activity(state, steps, sign) : uint32_t{kStateAfterBase}) << 8 * e;
          rebuilt[e] = static_cast<float>(next[e]) * rule.scale;
        }
        if (new_values) store_four(new_values, index, four, next);
        if (new_activity) store_four(new_activity, index, four, next_states);
        if (elements) store_four<kDtype>(elements, index, four, rebuilt);
      });
      team.barrier();  // in place, the next segment's first load may bring what this one's last store wrote
    }
    const bool any_failed = team.any(failed || taken != block.escape_count);
    if (team.rank() == 0) failures[number] = any_failed;
  }
};

// lattice_values() of every block.
struct LatticeValuesTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr size_t kSharedBytes = 0;
  const LatticeTeamBlock* blocks;
  uint32_t block_count;
  const LatticeTeamSegment* segments;
  const int32_t* values;
  void* elements;
  Dtype dtype;

  uint32_t teams(uint32_t) const { return block_count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char*) const {
    const LatticeTeamBlock block = blocks[team_index];
    with_dtype(dtype, [&](auto tag) {
      for (uint32_t s = block.segment_first; s < block.segment_first + block.segment_count; ++s) {
        const LatticeTeamSegment segment = segments[s];
        for_each_four(team, block, segment, [&](const LatticeFour& four) {
          if (four.none()) return;
          const uint64_t index = block.first + four.first;
          int32_t kept[4];
          float rebuilt[4];
          load_four(values, index, four, kept);
          FIRN_UNROLL
          for (uint32_t e = 0; e < 4; ++e) rebuilt[e] = static_cast<float>(kept[e]) * segment.rule.scale;
          store_four<decltype(tag)::dtype>(elements, index, four, rebuilt);
        });
      }
    });
  }
};

// lattice_error_sums() of every block.
struct LatticeErrorsTeamKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4;
  static constexpr uint32_t kTile = 512, kSums = 13;
  struct Shared {
    double weight[kTile], residual[kTile];
    int32_t x[kTile], fresh[kTile];
    uint8_t move[kTile];  // 0 none, else its class and one, and 4 when minus
    double lanes[kSums][kErrorLanes];
  };
  static constexpr size_t kSharedBytes = sizeof(Shared);
  static_assert(kTile % kErrorLanes == 0 && sizeof(LatticeErrorSums) == kSums * sizeof(double));
  const LatticeTeamBlock* blocks;
  uint32_t block_count;
  const LatticeTeamSegment* segments;
  const void* weights;
  const void* gradients;         // or null
  const float* gradient_scales;  // a segment
  Dtype dtype, gradient_dtype;
  const uint8_t* symbols;
  const uint32_t* escapes;
  const int32_t* values;   // or null
  LatticeErrorSums* sums;  // a segment
  uint8_t* failures;

  uint32_t teams(uint32_t) const { return block_count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char* shared) const {
    const LatticeTeamBlock block = blocks[team_index];
    Shared& own = *reinterpret_cast<Shared*>(shared);
    uint32_t taken = 0;
    bool failed = false;
    for (uint32_t s = block.segment_first; s < block.segment_first + block.segment_count; ++s) {
      const LatticeTeamSegment segment = segments[s];
      const float scale = gradients ? gradient_scales[s] : 0.0f;
      for_each_element(team, kSums * kErrorLanes, [&](size_t i) { own.lanes[i / kErrorLanes][i % kErrorLanes] = 0; });
      for (uint32_t done = 0; done < segment.count; done += kTile) {
        const uint32_t there = segment.count - done < kTile ? segment.count - done : kTile;
        for (uint32_t base = 0; base < there; base += team.size()) {
          const uint32_t i = base + team.rank();
          const uint64_t index = block.first + segment.first + done + i;
          uint32_t zigzag = i < there ? symbols[index] : 0;
          const bool escapes_here = zigzag == kLatticeEscape;
          failed |= zigzag > kLatticeEscape;
          if (team.any(escapes_here)) {
            uint32_t total;
            const uint32_t at = taken + team.exclusive_sum(escapes_here, &total);
            if (escapes_here) {
              const uint32_t escape = at < block.escape_count ? escapes[block.escape_first + at] : ~0u;
              failed |= escape > 2u * kLatticeValueMax - kLatticeEscape;
              zigzag += escape & 0x3FFFFFFFu;
            }
            taken += total;
          }
          if (i < there) failed |= !measure(own, segment.rule, index, i, zigzag, scale);
        }
        team.barrier();
        for_each_element(team, kSums * kErrorLanes, [&](size_t i) {
          double& lane = own.lanes[i / kErrorLanes][i % kErrorLanes];
          lane = added(own, static_cast<uint32_t>(i / kErrorLanes), i % kErrorLanes, there, lane);
        });
        team.barrier();
      }
      for_each_element(team, kSums, [&](size_t i) {
        double sum = 0;
        for (uint32_t lane = 0; lane < kErrorLanes; ++lane) sum += own.lanes[i][lane];
        reinterpret_cast<double*>(sums + s)[i] = sum;
      });
      team.barrier();
    }
    const bool any_failed = team.any(failed || taken != block.escape_count);
    if (team.rank() == 0) failures[team_index] = any_failed;
  }

 private:
  FIRN_EACH bool measure(Shared& own, const LatticeRule& rule, uint64_t index, uint32_t i, uint32_t zigzag,
                         float scale) const {
    float weight = 0, gradient = 0;
    with_dtype(dtype, [&](auto tag) { weight = element_of<decltype(tag)::dtype>(weights, index); });
    int32_t x;
    bool in_range = team_weight_units(weight, rule.units, &x);
    int32_t k;
    in_range &= team_shifted(rule, values ? values[index] : 0, &k);
    const uint32_t steps = (zigzag + 1) / 2;
    in_range &= steps <= static_cast<uint32_t>(kLatticeValueMax);
    const bool minus = (zigzag & 1) != (k < 0);
    const int64_t distance = int64_t{static_cast<int32_t>(steps)} * rule.step;
    const int64_t r = int64_t{x} - k - (minus ? -distance : distance);
    const int32_t over = (x < 0 ? -x : x) % rule.step;
    own.x[i] = x;
    own.fresh[i] = over < rule.step - over ? over : rule.step - over;
    own.residual[i] = static_cast<double>(r);
    own.move[i] = static_cast<uint8_t>(steps == 0 ? 0 : (steps < 3 ? steps : 3) | (minus ? 4 : 0));
    double w = 1;
    if (scale != 0) {
      with_dtype(gradient_dtype, [&](auto tag) { gradient = element_of<decltype(tag)::dtype>(gradients, index); });
      const float h = gradient * scale, square = h * h;
      w = square > 0 ? static_cast<double>(square < kSensitivityMax ? square : kSensitivityMax) : 0.0;
    }
    own.weight[i] = w;
    return in_range;
  }

  // One sum of one lane with the elements of a tile, in order. Sums as LatticeErrorSums has them.
  static FIRN_EACH double added(const Shared& own, uint32_t sum, size_t lane, uint32_t there, double value) {
    const uint32_t kind = sum < 4 ? sum : 4 + (sum - 4) / 3, j = sum < 4 ? 0 : (sum - 4) % 3;
    for (size_t i = lane; i < there; i += kErrorLanes) {
      const double w = own.weight[i], r = own.residual[i], x = own.x[i], f = own.fresh[i];
      if (kind == 0) value += w * x * x;
      else if (kind == 1) value += w * x * r;
      else if (kind == 2) value += w * r * r;
      else if (kind == 3) value += w * f * f;
      else if ((own.move[i] & 3u) == j + 1) {
        const double term = kind == 4 ? w : kind == 5 ? w * r : w * x;
        value += kind != 4 && (own.move[i] & 4u) ? -term : term;
      }
    }
    return value;
  }
};

}  // namespace firn
