// The cells of GptqRoundKernel over teams: from a segment's elements, and back (lattice_targets).
#pragma once
#include "residual_quant/gptq/gptq_kernels.h"
#include "residual_quant/gptq/pulled_zone.h"
#include "residual_quant/lattice/lattice_team.h"

namespace firn {

// Which cells a segment has: those of `inputs` inputs from `input` on, whole blocks of the factor, and of `outputs`
// outputs from `output` on. Cell (i, o) is at i * outputs + o.
struct GptqCells {
  uint64_t first, wide;  // the segment's first element in its tensor; elements of a row of the tensor
  uint64_t input, output;
  uint32_t count;        // elements of the segment
  uint32_t inputs, outputs;
  bool inputs_last;

  constexpr uint64_t cells() const { return uint64_t{inputs} * outputs; }
  // Position of a cell in the segment, or past its end if it is not in it.
  FIRN_EACH uint64_t place(uint64_t cell) const {
    const uint64_t i = input + cell / outputs, o = output + cell % outputs;
    return (inputs_last ? o * wide + i : i * wide + o) - first;  // wraps below the first, which is past the end too
  }
  FIRN_EACH uint64_t cell_of(uint64_t place) const {
    const uint64_t row = (first + place) / wide, column = (first + place) % wide;
    const uint64_t i = (inputs_last ? column : row) - input, o = (inputs_last ? row : column) - output;
    return i * outputs + o;
  }
};

struct GptqGatherKernel {
  static constexpr uint32_t kMembers = 256, kResident = 4, kCellsOfTeam = 8192;
  static constexpr size_t kSharedBytes = kLatticeRates * sizeof(int32_t);
  GptqCells cells;
  LatticeRule rule;  // with the dead zone
  const void* weights;
  Dtype dtype;
  const int32_t* values;    // or null
  const uint8_t* activity;  // read with rates only
  const uint8_t* rates;     // null or kLatticeRates of them
  uint32_t dead_zone;
  const void* before;  // GptqMovement's, or null
  float pull, zone_min;
  float *to_weights, *to_previous, *to_present, *to_dead_up, *to_dead_down;
  uint32_t* failures;  // one is added by a team that finds a weight or a previous value out of range

  uint32_t teams(uint32_t) const { return static_cast<uint32_t>((cells.cells() + kCellsOfTeam - 1) / kCellsOfTeam); }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char* shared) const {
    int32_t* const dead = reinterpret_cast<int32_t*>(shared);
    const bool is_priced = rates && values;
    if (is_priced)
      for_each_element(team, kLatticeRates, [&](size_t i) { dead[i] = team_zone(dead_zone, rates[i], rule.step); });
    team.barrier();
    const uint64_t begin = uint64_t{team_index} * kCellsOfTeam, all = cells.cells();
    const uint64_t there = all - begin < kCellsOfTeam ? all - begin : kCellsOfTeam;
    const float shifted = static_cast<float>(1 << rule.shift), plain = static_cast<float>(rule.dead);
    bool failed = false;
    for_each_element(team, there, [&](size_t i) {
      const uint64_t cell = begin + i, at = cells.place(cell);
      float weight = 0, previous = 0, present = 0, up = plain, down = plain;
      if (at < cells.count) {
        int32_t x;
        with_dtype(dtype, [&](auto tag) { weight = element_of<decltype(tag)::dtype>(weights, at); });
        failed |= !team_weight_units(weight, rule.units, &x);
        weight = static_cast<float>(x);
        const int32_t kept = values ? values[at] : 0;
        failed |= kept > rule.kept_max || kept < -rule.kept_max;
        previous = static_cast<float>(kept) * shifted;
        present = 1;
        if (is_priced) {
          const int32_t* const zones = dead + 2 * team_context(rule, kept, activity[at]);
          up = static_cast<float>(zones[kept < 0]);
          down = static_cast<float>(zones[kept >= 0]);
        }
        if (before) {
          float old_weight = 0;
          int32_t old;
          with_dtype(dtype, [&](auto tag) { old_weight = element_of<decltype(tag)::dtype>(before, at); });
          const float movement = team_weight_units(old_weight, rule.units, &old) ? static_cast<float>(x - old) : 0.0f;
          const float along = pull * movement;
          up = pulled_zone(up, along, zone_min);
          down = pulled_zone(down, -along, zone_min);
        }
      }
      to_weights[cell] = weight;
      to_previous[cell] = previous;
      to_present[cell] = present;
      to_dead_up[cell] = up;
      to_dead_down[cell] = down;
    });
    if (team.any(failed) && team.rank() == 0) team.add_outside(failures, 1u);
  }
};

struct GptqScatterKernel {
  static constexpr uint32_t kMembers = 256, kResident = 8, kElementsOfTeam = 8192;
  static constexpr size_t kSharedBytes = 0;
  GptqCells cells;
  const float* targets;  // of the cells, in units
  float unit;
  float* out;            // of the elements

  uint32_t teams(uint32_t) const { return (cells.count + kElementsOfTeam - 1) / kElementsOfTeam; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char*) const {
    const uint32_t begin = team_index * kElementsOfTeam;
    const uint32_t there = cells.count - begin < kElementsOfTeam ? cells.count - begin : kElementsOfTeam;
    for_each_element(team, there, [&](size_t i) { out[begin + i] = targets[cells.cell_of(begin + i)] * unit; });
  }
};

}  // namespace firn
