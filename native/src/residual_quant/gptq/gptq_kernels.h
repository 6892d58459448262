// The inner loop of lattice_targets over one block of inputs and a group of outputs, one file an instruction set,
// identical results.
#pragma once
#include <cstddef>
#include <cstdint>

namespace firn {

// Outputs worked on at once.
inline constexpr size_t kGptqLanes = 32;

struct GptqRule {
  float step, half;  // units; `half` is step / 2 rounded down
  float strength;
  float value_max;  // largest magnitude of a target, in units
};

// Arrays of size x kGptqLanes, input by input. Everything is a whole number below 2^24, so binary32 holds it
// exactly.
struct GptqTile {
  const float* weights;    // in units
  const float* previous;   // k'
  const float* present;    // 1, or 0 where there is no such element
  const float* dead_up;    // the smallest distance that moves a weight, in units: upwards,
  const float* dead_down;  // and downwards
  float* errors;           // receives weight minus target
  float* targets;          // receives k' plus the steps moved
};

using GptqKernel = void(const float* factor, size_t size, const GptqRule& rule, const GptqTile& tile);
namespace scalar {
GptqKernel gptq_tile;
}
namespace avx2 {
GptqKernel gptq_tile;
}
namespace avx512 {
GptqKernel gptq_tile;
}

}  // namespace firn
