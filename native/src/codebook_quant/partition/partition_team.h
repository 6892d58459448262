// The partition of weights (firn/codebook_quant/partition.h) over teams.
#pragma once
#include "codebook_quant/partition/partition_kernels.h"
#include "stats/sketch_team.h"

namespace firn {

enum class Fate : uint8_t { quantized, pruned, protect };

FIRN_EACH Fate team_fate(const PartitionRule& rule, float weight, float gradient) {
  const float m = float_of(bits_of(weight) & 0x7FFFFFFFu), s = float_of(bits_of(gradient * weight) & 0x7FFFFFFFu);
  if (m >= rule.protect_magnitude_min || s >= rule.protect_sensitivity_min) return Fate::protect;
  if (m < rule.prune_magnitude_below || s < rule.prune_sensitivity_below) return Fate::pruned;
  return Fate::quantized;
}

// sketch_quantized().
struct SketchQuantizedTeamKernel {
  static constexpr uint32_t kMembers = 1024, kResident = 1;
  static constexpr size_t kSharedBytes = kSketchBuckets * sizeof(uint32_t);
  const void* weights;
  const void* gradients;  // or null
  Dtype dtype, gradient_dtype;
  uint64_t count;
  PartitionRule rule;
  Sketch* sketch;

  uint32_t teams(uint32_t processors) const { return sketch_teams(count, processors); }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* shared) const {
    sketch_team(team, shared, sketch, [&](auto add) {
      with_dtype(dtype, [&](auto tag) {
        constexpr Dtype kDtype = decltype(tag)::dtype;
        for_each_sixteen<kDtype>(
            team, team_index, teams, weights, count, [&](const Sixteen& load, uint64_t first, uint32_t there) {
              FIRN_UNROLL
              for (uint32_t e = 0; e < kPerSixteen<kDtype>; ++e) {
                if (e >= there) continue;
                const float weight = element_of<kDtype>(load, e);
                float gradient = 0;
                if (gradients) {
                  with_dtype(gradient_dtype, [&](auto other) {
                    gradient = element_of<decltype(other)::dtype>(gradients, first + e);
                  });
                }
                if (team_fate(rule, weight, gradient) == Fate::quantized) add(bits_of(weight));
              }
            });
      });
    });
  }
};

}  // namespace firn
