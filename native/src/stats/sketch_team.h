// Sketches (firn/sketch.h) over teams: each counts its share of the values in a table of its own, then adds the table
// to the sketch.
#pragma once
#include "firn/sketch.h"
#include "stats/keys.h"
#include "team/elements.h"

namespace firn {

// The three counters beside the buckets, of one member.
struct OddValues {
  uint64_t zeros, nans, infinities;
};

template <typename Team>
FIRN_EACH void count_value(const Team& team, uint32_t bits, uint32_t* counts, OddValues& odd) {
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude - 1 < 0x7F800000u - 1) {
    team.add(counts + sketch_key(bits), 1u);
  } else {
    odd.zeros += magnitude == 0;
    odd.infinities += magnitude == 0x7F800000u;
    odd.nans += magnitude > 0x7F800000u;
  }
}

// As many teams as are resident, each with enough to do: a table costs 2^15 counters to clear and to add.
inline uint32_t sketch_teams(uint64_t count, uint32_t processors) {
  constexpr uint64_t kValuesPerTeam = 1u << 15;
  const uint64_t useful = (count + kValuesPerTeam - 1) / kValuesPerTeam;
  return static_cast<uint32_t>(useful < processors ? useful : processors);
}

// Counts values with `each(add)`, which calls add(bits, odd counters) for every value of this member.
template <typename Team, typename Each>
FIRN_EACH void sketch_team(const Team& team, unsigned char* shared, Sketch* sketch, Each each) {
  uint32_t* const counts = reinterpret_cast<uint32_t*>(shared);
  for_each_element(team, kSketchBuckets, [&](size_t key) { counts[key] = 0; });
  team.barrier();
  OddValues odd{};
  each([&](uint32_t bits) { count_value(team, bits, counts, odd); });
  team.barrier();
  for_each_element(team, kSketchBuckets, [&](size_t key) {
    if (counts[key] != 0) team.add_outside(&sketch->counts[key], uint64_t{counts[key]});
  });
  team.add_all(&sketch->zeros, odd.zeros);
  team.add_all(&sketch->nans, odd.nans);
  team.add_all(&sketch->infinities, odd.infinities);
}

// sketch_values(): adds `count` values to `sketch`. Fewer than 2^32 values a multiprocessor.
struct SketchValuesKernel {
  static constexpr uint32_t kMembers = 1024, kResident = 1;
  static constexpr size_t kSharedBytes = kSketchBuckets * sizeof(uint32_t);
  const void* values;
  Dtype dtype;
  uint64_t count;
  Sketch* sketch;

  uint32_t teams(uint32_t processors) const { return sketch_teams(count, processors); }
  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* shared) const {
    sketch_team(team, shared, sketch, [&](auto add) {
      with_dtype(dtype, [&](auto tag) {
        constexpr Dtype kDtype = decltype(tag)::dtype;
        for_each_sixteen<kDtype>(team, team_index, teams, values, count,
                                 [&](const Sixteen& load, uint64_t, uint32_t there) {
                                   FIRN_UNROLL
                                   for (uint32_t e = 0; e < kPerSixteen<kDtype>; ++e) {
                                     if (e < there) add(bits_of(element_of<kDtype>(load, e)));
                                   }
                                 });
      });
    });
  }
};

// sketch_sensitivity(): adds |g * w| for `count` pairs to `sketch`.
struct SketchSensitivityKernel {
  static constexpr uint32_t kMembers = 1024, kResident = 1;
  static constexpr size_t kSharedBytes = kSketchBuckets * sizeof(uint32_t);
  const void* weights;
  const void* gradients;
  Dtype dtype, gradient_dtype;
  uint64_t count;
  Sketch* sketch;

  uint32_t teams(uint32_t processors) const { return sketch_teams(count, processors); }
  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* shared) const {
    sketch_team(team, shared, sketch, [&](auto add) {
      with_dtype(dtype, [&](auto weight_tag) {
        with_dtype(gradient_dtype, [&](auto gradient_tag) {
          constexpr Dtype kWeights = decltype(weight_tag)::dtype, kGradients = decltype(gradient_tag)::dtype;
          for_each_sixteen<kWeights>(
              team, team_index, teams, weights, count, [&](const Sixteen& load, uint64_t first, uint32_t there) {
                FIRN_UNROLL
                for (uint32_t e = 0; e < kPerSixteen<kWeights>; ++e) {
                  if (e >= there) break;
                  const float product = element_of<kGradients>(gradients, first + e) * element_of<kWeights>(load, e);
                  add(bits_of(product) & 0x7FFFFFFFu);
                }
              });
        });
      });
    });
  }
};

// A bucket of a sketch that is not empty.
struct SketchEntry {
  uint32_t key, count;
};
// The rest of a sketch, and how many entries there are.
struct SketchRest {
  uint64_t zeros, nans, infinities;
  uint64_t entries;
};

// The buckets of a sketch that are not empty, by their keys: there are few, and less to bring back. Fewer than 2^32
// values in one. One team.
struct SketchPackKernel {
  static constexpr uint32_t kMembers = 1024, kResident = 1;
  static constexpr size_t kSharedBytes = 0;
  const Sketch* sketch;
  SketchRest* rest;
  SketchEntry* entries;  // room for kSketchBuckets

  uint32_t teams(uint32_t) const { return 1; }
  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t, uint32_t, unsigned char*) const {
    uint32_t before = 0;
    for (uint32_t base = 0; base < kSketchBuckets; base += team.size()) {
      const uint32_t key = base + team.rank();
      const auto count = key < kSketchBuckets ? static_cast<uint32_t>(sketch->counts[key]) : 0;
      uint32_t total;
      const uint32_t at = before + team.exclusive_sum(count != 0, &total);
      if (count != 0) entries[at] = {key, count};
      before += total;
    }
    if (team.rank() == 0) *rest = {sketch->zeros, sketch->nans, sketch->infinities, before};
  }
};

}  // namespace firn
