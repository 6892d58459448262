// GPTQ: the weights of later inputs compensate the rounding error of each input's weight, so that the matrix's output
// on its actual inputs stays close, rather than each weight. The rule is that of GPTQ (Frantar et al. 2022, section 3)
// in the form of LDLQ (Chee et al. 2023, QuIP, section 3): with X^T X = U D U^T, U upper unitriangular, the target of
// column j is w_j plus the errors so far times column j of U. It affects only which values are stored, not how they are
// decoded.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/dtype.h"
#include "firn/residual_quant/lattice.h"
#include "firn/status.h"

namespace firn {

inline constexpr size_t kGptqBlockMax = 4096;

// Factors `blocks` symmetric matrices of size x size each, row-major, after adding `damping` times the mean of the
// diagonal to it. `factor`, in the same layout, receives U transposed without its diagonal: factor[j * size + k] for k
// < j is the weight with which the error of input k is added to the target of input j; all other entries are 0. If a
// matrix is not positive or not finite, its inputs get no GPTQ. invalid_argument when size is 0 or beyond
// kGptqBlockMax, or damping is not a positive number.
Status gram_factor(const float* gram, size_t blocks, size_t size, float damping, float* factor);

// The smallest dead zone of a weight that moved, in 1/256 steps.
inline constexpr uint32_t kGptqPulledZoneMin = 77;
inline constexpr float kGptqPullMax = 1 << 20;

// What is known of the upload that the previous state was made of.
struct GptqMovement {
  // The segment's weights in it, of the dtype of those that are rounded; null if they are not known. Those that are not
  // finite, or out of range, count as unmoved.
  const void* before = nullptr;
  // In the direction in which a weight moved since then, its dead zone is smaller by `pull` times the movement, down to
  // kGptqPulledZoneMin. 0..kGptqPullMax.
  float pull = 0;
};

// How one segment of a block is rounded.
struct Gptq {
  const float* factor;  // from gram_factor: inputs / size blocks
  uint32_t size = 0;    // side of a block of the factor; divides `inputs`
  uint32_t inputs = 0, outputs = 0;
  bool inputs_last =
      true;            // element of output o and input i is at o * inputs + i of the tensor, else at i * outputs + o
  uint64_t first = 0;  // the segment's first element in its tensor
  float strength = 1;  // factor of the errors handed on, 0..1
  LatticeHysteresis hysteresis{128};  // a dead zone of at most a step
  GptqMovement movement{};
};

// Computes the values to which the weights of one segment move: lattice_quantize of these values, with any dead zone of
// at most one step, gives the moves. Errors are handed on inside the segment only. `previous` may lack activity if
// there are no rates; the segment's offsets and gain are ignored; `targets` receives binary32 values. invalid_argument
// as for lattice_quantize, or when the segment is not inside its tensor.
Status lattice_targets(const void* weights, Dtype dtype, const LatticeSegment& segment, LatticeState previous,
                       const Gptq& gptq, float* targets);

}  // namespace firn
