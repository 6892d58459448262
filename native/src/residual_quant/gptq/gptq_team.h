// GPTQ rounding over teams: gptq_tile (gptq_kernels.h) for any number of outputs and blocks of the factor.
//
// A team has some outputs and goes through the inputs in tiles of columns. What earlier inputs hand on to a tile is
// summed chunk by chunk of inputs, in ascending order and in one number for each column and output, as the scalar sums
// it. A chunk inside of the tile is rounded first, output by output, and then handed on to the rest of the tile. So a
// member has several columns and outputs in registers, and each number that it reads of the shared memory counts four
// times.
#pragma once
#include <cstddef>
#include <cstdint>

#include "residual_quant/gptq/gptq_kernels.h"
#include "team/team.h"

namespace firn {

inline constexpr uint32_t kGptqTeamOutputs = 32;   // of a team
inline constexpr uint32_t kGptqTeamChunk = 32;     // inputs that are rounded or handed on at once
inline constexpr uint32_t kGptqTeamRows = 4;       // columns of a tile that are one chunk apart have the same owner
inline constexpr uint32_t kGptqTeamColumns = kGptqTeamRows * kGptqTeamChunk;  // of a tile
inline constexpr uint32_t kGptqTeamWidth = 4;      // outputs of an owner
// Owners of the sums of a tile: on a device each is a member.
inline constexpr uint32_t kGptqOwners = kGptqTeamChunk * kGptqTeamOutputs / kGptqTeamWidth;
#ifdef __CUDACC__
inline constexpr uint32_t kGptqOwnersOfMember = 1;
#else
inline constexpr uint32_t kGptqOwnersOfMember = kGptqOwners;
#endif

struct alignas(16) GptqFour {
  float of[4];
};

struct GptqSums {
  float of[kGptqTeamRows][kGptqTeamWidth];
};

// Rounds `blocks` x `size` inputs of `outputs` outputs. The arrays of `tile` are blocks x size x outputs, input by
// input; all but `errors` and `targets` are read only. `factor` is that of gram_factor.
struct GptqRoundKernel {
  static constexpr uint32_t kMembers = kGptqOwners;
  // Rows of the factor are one vector further apart than they are long, so that members read different banks.
  static constexpr uint32_t kFactorRow = kGptqTeamChunk + 4;
  static constexpr uint32_t kFactorFloats = kGptqTeamColumns * kFactorRow;
  static constexpr uint32_t kChunkFloats = kGptqTeamChunk * kGptqTeamOutputs;
  static constexpr uint32_t kCellArrays = 5;
  static constexpr size_t kSharedBytes = sizeof(float) * (kFactorFloats + (2 + kCellArrays) * size_t{kChunkFloats});
  static constexpr uint32_t kResident = 1;

  const float* factor;
  uint32_t size, blocks, outputs;
  GptqRule rule;
  GptqTile tile;

  constexpr uint32_t groups() const { return (outputs + kGptqTeamOutputs - 1) / kGptqTeamOutputs; }
  uint32_t teams(uint32_t) const { return size == 0 ? 0 : blocks * groups(); }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* shared) const {
    for (uint32_t work = team_index; work < blocks * groups(); work += teams)
      round_block(team, work / groups(), work % groups() * kGptqTeamOutputs, reinterpret_cast<float*>(shared));
  }

 private:
  // A chunk of inputs before or inside of a tile of columns. All numbers of inputs count from the block's first.
  struct Chunk {
    uint32_t block, output;      // first output
    uint32_t column, columns;    // the tile
    uint32_t input, inputs;
    // Shared: rows of the factor, one a column; errors of the chunk, and sums for it, input by input.
    float *factor, *errors, *handed_on;
    float* cells;  // of the chunk, for each array that round_cell reads

    FIRN_EACH bool inside() const { return input >= column; }
    FIRN_EACH uint32_t part() const { return (input - column) / kGptqTeamChunk; }  // of the tile, if it is inside
  };

  template <typename Team, typename Body>
  FIRN_EACH static void for_each_owner(const Team& team, Body body) {
    uint32_t own = 0;
    for (uint32_t owner = team.rank(); owner < kGptqOwners; owner += team.size(), ++own) {
      body(owner, own);
      if constexpr (kGptqOwnersOfMember == 1) break;
    }
  }

  template <typename Team>
  FIRN_EACH void round_block(const Team& team, uint32_t block, uint32_t output, float* shared) const {
    float* const floats = shared + kFactorFloats;
    Chunk chunk{block, output, 0, 0, 0, 0, shared, floats, floats + kChunkFloats, floats + 2 * kChunkFloats};
    GptqSums sums[kGptqOwnersOfMember];
    for (chunk.column = 0; chunk.column < size; chunk.column += kGptqTeamColumns) {
      chunk.columns = size - chunk.column < kGptqTeamColumns ? size - chunk.column : kGptqTeamColumns;
      const uint32_t end = chunk.column + chunk.columns;
      for_each_owner(team, [&](uint32_t, uint32_t own) { sums[own] = {}; });
      Ahead ahead;
      // What a tile before this one rounded, other members read.
      team.barrier();
      set_input(&chunk, 0);
      load(team, chunk, &ahead);
      for (uint32_t input = 0; input < end; input += kGptqTeamChunk) {
        set_input(&chunk, input);
        team.barrier();
        keep(team, chunk, ahead);
        if (input + kGptqTeamChunk < end) {
          Chunk next = chunk;
          set_input(&next, input + kGptqTeamChunk);
          load(team, next, &ahead);
        }
        if (chunk.inside()) {
          for_each_owner(team, [&](uint32_t owner, uint32_t own) { show(chunk, owner, sums[own]); });
          load_cells(team, chunk);
          team.barrier();
          for (uint32_t lane = team.rank(); lane < kGptqTeamOutputs; lane += team.size()) round_chunk(chunk, lane);
        }
        team.barrier();
        for_each_owner(team, [&](uint32_t owner, uint32_t own) {
          if (chunk.inside()) hand_on_inside(chunk, owner, &sums[own]);
          else hand_on(chunk, owner, &sums[own]);
        });
      }
    }
  }

  FIRN_EACH static void set_input(Chunk* chunk, uint32_t input) {
    const uint32_t left = chunk->column + chunk->columns - input;
    chunk->input = input;
    chunk->inputs = left < kGptqTeamChunk ? left : kGptqTeamChunk;
  }

  FIRN_EACH size_t cell(const Chunk& chunk, uint32_t input, uint32_t lane) const {
    return (size_t{chunk.block} * size + chunk.input + input) * outputs + chunk.output + lane;
  }

  // What a member brings of a chunk: its share of the rows of the factor, and of the errors. All loads are under way
  // at once, those of the next chunk while this one is worked on.
  static constexpr uint32_t kSharesOfMember = kGptqTeamColumns * kGptqTeamChunk / kGptqOwners * kGptqOwnersOfMember;
  static constexpr uint32_t kErrorsOfMember = kChunkFloats / kGptqOwners * kGptqOwnersOfMember;
  struct Ahead {
    float shares[kSharesOfMember], errors[kErrorsOfMember];
  };

  // Calls body(i, own) for every i below `count` that is this member's; `own` counts them.
  template <uint32_t kOwn, typename Team, typename Body>
  FIRN_EACH static void for_each_own(const Team& team, uint32_t count, Body body) {
    FIRN_UNROLL
    for (uint32_t own = 0; own < kOwn; ++own) {
      const uint32_t i = own * team.size() + team.rank();
      if (i < count) body(i, own);
    }
  }

  template <typename Team>
  FIRN_EACH void load(const Team& team, const Chunk& chunk, Ahead* ahead) const {
    const float* const from = factor + (size_t{chunk.block} * size + chunk.column) * size + chunk.input;
    for_each_own<kSharesOfMember>(team, kGptqTeamColumns * kGptqTeamChunk, [&](uint32_t i, uint32_t own) {
      const uint32_t row = i / kGptqTeamChunk, k = i % kGptqTeamChunk;
      ahead->shares[own] = row < chunk.columns && k < chunk.inputs ? from[size_t{row} * size + k] : 0.0f;
    });
    if (chunk.inside()) return;
    for_each_own<kErrorsOfMember>(team, kChunkFloats, [&](uint32_t i, uint32_t own) {
      const uint32_t k = i / kGptqTeamOutputs, lane = i % kGptqTeamOutputs;
      ahead->errors[own] = chunk.output + lane < outputs ? tile.errors[cell(chunk, k, lane)] : 0.0f;
    });
  }

  template <typename Team>
  FIRN_EACH static void keep(const Team& team, const Chunk& chunk, const Ahead& ahead) {
    for_each_own<kSharesOfMember>(team, kGptqTeamColumns * kGptqTeamChunk, [&](uint32_t i, uint32_t own) {
      chunk.factor[i / kGptqTeamChunk * kFactorRow + i % kGptqTeamChunk] = ahead.shares[own];
    });
    if (chunk.inside()) return;
    for_each_own<kErrorsOfMember>(team, kChunkFloats,
                                  [&](uint32_t i, uint32_t own) { chunk.errors[i] = ahead.errors[own]; });
  }

  // What the rounding of a chunk reads: no member waits for it one input after the other.
  template <typename Team>
  FIRN_EACH void load_cells(const Team& team, const Chunk& chunk) const {
    const float* const arrays[kCellArrays] = {tile.weights, tile.previous, tile.present, tile.dead_up, tile.dead_down};
    for_each_own<kErrorsOfMember>(team, kChunkFloats, [&](uint32_t i, uint32_t) {
      const uint32_t k = i / kGptqTeamOutputs, lane = i % kGptqTeamOutputs;
      if (k >= chunk.inputs || chunk.output + lane >= outputs) return;
      FIRN_UNROLL
      for (uint32_t a = 0; a < kCellArrays; ++a) chunk.cells[a * kChunkFloats + i] = arrays[a][cell(chunk, k, lane)];
    });
  }

  // Where an owner's outputs are in a row of the chunk's outputs; its first column is `owner` / kOwnersOfRow.
  static constexpr uint32_t kOwnersOfRow = kGptqTeamOutputs / kGptqTeamWidth;

  // The sums for the chunk, complete now.
  FIRN_EACH static void show(const Chunk& chunk, uint32_t owner, const GptqSums& sums) {
    float* const to = chunk.handed_on + owner * kGptqTeamWidth;
    FIRN_UNROLL
    for (uint32_t r = 0; r < kGptqTeamRows; ++r) {
      if (r != chunk.part()) continue;
      FIRN_UNROLL
      for (uint32_t w = 0; w < kGptqTeamWidth; ++w) to[w] = sums.of[r][w];
    }
  }

  FIRN_EACH void round_chunk(const Chunk& chunk, uint32_t lane) const {
    const float* const shares = chunk.factor + chunk.part() * kGptqTeamChunk * kFactorRow;
    for (uint32_t j = 0; j < kGptqTeamChunk; ++j) {
      float error = 0;
      if (j < chunk.inputs && chunk.output + lane < outputs) {
        float handed_on = chunk.handed_on[j * kGptqTeamOutputs + lane];
        for (uint32_t k = 0; k < j; ++k)
          handed_on += chunk.errors[k * kGptqTeamOutputs + lane] * shares[j * kFactorRow + k];
        error = round_cell(handed_on, chunk.cells + j * kGptqTeamOutputs + lane, cell(chunk, j, lane));
      }
      chunk.errors[j * kGptqTeamOutputs + lane] = error;
    }
  }

  FIRN_EACH static float larger(float a, float b) { return a > b ? a : b; }
  FIRN_EACH static float smaller(float a, float b) { return a < b ? a : b; }

  // round_column of gptq_tile.h, one output.
  FIRN_EACH float round_cell(float handed_on, const float* cells, size_t at) const {
    const float x = cells[0], k = cells[kChunkFloats], present = cells[2 * kChunkFloats];
    const float dead_up = cells[3 * kChunkFloats], dead_down = cells[4 * kChunkFloats];
    const float wanted = smaller(larger(x + handed_on * rule.strength, 0.0f - rule.value_max), rule.value_max);
    const float difference = wanted - k, distance = larger(difference, -difference);
    const auto whole = static_cast<int32_t>((distance + rule.half) / rule.step);
    const float steps = larger(static_cast<float>(whole), 1.0f);
    const float dead = difference < 0 ? dead_down : dead_up;
    const float moved = distance >= dead ? steps * rule.step : 0.0f;
    const float target = difference < 0 ? k - moved : k + moved;
    tile.targets[at] = target;
    const float error = (x - target) * present;
    tile.errors[at] = error;
    return error;
  }

  // Adds what the chunk hands on to all columns of the tile.
  FIRN_EACH static void hand_on(const Chunk& chunk, uint32_t owner, GptqSums* sums) {
    const float* const shares = chunk.factor + owner / kOwnersOfRow * kFactorRow;
    const float* const errors = chunk.errors + owner % kOwnersOfRow * kGptqTeamWidth;
    for (uint32_t k = 0; k < kGptqTeamChunk; k += 4) {
      GptqFour share[kGptqTeamRows];
      FIRN_UNROLL
      for (uint32_t r = 0; r < kGptqTeamRows; ++r)
        share[r] = *reinterpret_cast<const GptqFour*>(shares + r * kGptqTeamChunk * kFactorRow + k);
      FIRN_UNROLL
      for (uint32_t i = 0; i < 4; ++i) {
        const GptqFour error = *reinterpret_cast<const GptqFour*>(errors + (k + i) * kGptqTeamOutputs);
        FIRN_UNROLL
        for (uint32_t r = 0; r < kGptqTeamRows; ++r) {
          FIRN_UNROLL
          for (uint32_t w = 0; w < kGptqTeamWidth; ++w) sums->of[r][w] += error.of[w] * share[r].of[i];
        }
      }
    }
  }

  // The same to the columns of the tile that come after the chunk.
  FIRN_EACH static void hand_on_inside(const Chunk& chunk, uint32_t owner, GptqSums* sums) {
    const float* const shares = chunk.factor + owner / kOwnersOfRow * kFactorRow;
    const float* const errors = chunk.errors + owner % kOwnersOfRow * kGptqTeamWidth;
    FIRN_UNROLL
    for (uint32_t r = 1; r < kGptqTeamRows; ++r) {
      if (r <= chunk.part()) continue;
      for (uint32_t k = 0; k < kGptqTeamChunk; ++k) {
        const GptqFour error = *reinterpret_cast<const GptqFour*>(errors + k * kGptqTeamOutputs);
        const float share = shares[r * kGptqTeamChunk * kFactorRow + k];
        FIRN_UNROLL
        for (uint32_t w = 0; w < kGptqTeamWidth; ++w) sums->of[r][w] += error.of[w] * share;
      }
    }
  }
};

}  // namespace firn
