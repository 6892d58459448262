// Kernels of the lattice, each over a stretch of one segment; one set per instruction set, identical results.
#pragma once
#include <cstddef>
#include <cstdint>

#include "common/f32_view.h"
#include "firn/residual_quant/lattice.h"

namespace firn {

// Parameters of a segment for the kernels, computed once.
struct LatticeRule {
  float units;   // 2^-exponent: weights times this are in units
  float scale;   // units times this are rebuilt values
  int32_t gain;  // 768 + gain, 1/1024
  int32_t step, shift;
  int32_t dead;      // |x - k'| below this stays put; at least 1
  int32_t kept_max;  // the largest |k| whose shifted value is in range
  // |k| from these on is in magnitude class 1 and 2: 2 |k'| >= step and 3 step.
  int32_t class1_from, class2_from;
  int32_t offsets[kLatticeOffsets];
};

// Dead zones in units, of elements with context c that would move inwards (i = 1) or outwards (i = 0) at 2 c + i.
struct LatticeZones {
  LatticeZones(int32_t step, LatticeHysteresis);  // which has rates
  int32_t dead[kLatticeRates];
};

// Zones and the contexts of the elements of a stretch.
struct LatticePricing {
  const int32_t* dead;
  const uint8_t* contexts;
};

// The valid `segment` as a rule. `dead_zone` in 1/256 steps, only for quantize kernels.
LatticeRule lattice_rule(const LatticeSegment& segment, uint32_t dead_zone);

// Whether every parameter and the number of elements are in range; `count` receives the elements of all segments.
bool valid_segments(LatticeSegments segments, size_t* count);

// Vector kernels divide in binary32: for whole numbers n < 2^24 and m the quotient truncates to that of the integers,
// because it lies at least 1/m below the next whole number, and rounding moves it by at most n/m * 2^-24.
static_assert(kLatticeWeightMax + kLatticeValueMax + kLatticeStepMax / 2 < 1 << 24);

// In all kernels `values` and `activity` are the previous state, both null for a base, and `weights` binary32 at any
// alignment.

// Output of a quantize kernel; `escapes` has room for one entry per element.
struct LatticeSymbols {
  uint8_t* symbols;
  uint32_t* escapes;
  size_t escape_count;  // escapes written, starting from 0
};

// Adds to `statistics`; `count` is at most kStepElements. `pricing` may be null: rule.dead holds then for all. False
// when a weight or a value is out of range.
using LatticeQuantizeKernel = bool(const LatticeRule& rule, const void* weights, const int32_t* values,
                                   const LatticePricing* pricing, size_t count, LatticeSymbols& out,
                                   LatticeStatistics& statistics);

using LatticeContextsKernel = void(const LatticeRule& rule, const int32_t* values, const uint8_t* activity,
                                   size_t count, uint8_t* contexts);

// Symbols and the escapes not yet used.
struct SymbolCursor {
  const uint8_t* symbols;
  const uint32_t* escapes;
  size_t escapes_left;
};

// Writes the new state and takes escapes from `cursor`; its symbols are not consumed. False if something is corrupt.
using LatticeApplyKernel = bool(const LatticeRule& rule, SymbolCursor& cursor, const int32_t* values,
                                const uint8_t* activity, size_t count, int32_t* new_values, uint8_t* new_activity);

// `out` receives binary32 values at any alignment.
using LatticeValuesKernel = void(const LatticeRule& rule, const int32_t* values, size_t count, void* out);

// Apply and values in one: `out` receives the rebuilt elements as binary32 at any alignment, and the new state is not
// stored.
using LatticeElementsKernel = bool(const LatticeRule& rule, SymbolCursor& cursor, const int32_t* values,
                                   const uint8_t* activity, size_t count, void* out);

// Apply in place, then the contexts of the moves that come next, under `next`. `contexts` holds those of these moves
// and receives those of the next; no value is beyond kLatticeValueMax.
using LatticeFollowKernel = bool(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor,
                                 int32_t* values, uint8_t* activity, size_t count, uint8_t* contexts);

// Apply to a base, and the contexts of the moves that come next, under `next`.
using LatticeBeginKernel = bool(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor, size_t count,
                                int32_t* values, uint8_t* activity, uint8_t* contexts);

// Keeps sums finite for any gradients. With a scale of 4 over the root mean square of a tensor, no weight of a tensor
// of 2^36 elements is cut.
inline constexpr float kSensitivityMax = 0x1p40f;

// Partial sums of LatticeErrorSums before they are added up: lane l has the elements whose number in the segment is l
// modulo 16.
inline constexpr size_t kErrorLanes = 16;
static_assert(kStepElements % kErrorLanes == 0);
struct LatticeErrorLanes {
  double squares[kErrorLanes], products[kErrorLanes], residuals[kErrorLanes], fresh[kErrorLanes];
  double weights[kLatticeOffsets][kErrorLanes], signed_residuals[kLatticeOffsets][kErrorLanes],
      signed_products[kLatticeOffsets][kErrorLanes];
};

// Input of an error kernel; `gradients` is binary32 at any alignment or null.
struct LatticeErrorInput {
  const void* weights;
  const void* gradients;
  float gradient_scale;
  const int32_t* values;
};

// Adds to `lanes`, the first element to lane 0, and takes escapes from `cursor`. False when a weight or a value is out
// of range, or a move corrupt.
using LatticeErrorsKernel = bool(const LatticeRule& rule, const LatticeErrorInput& input, SymbolCursor& cursor,
                                 size_t count, LatticeErrorLanes& lanes);

struct LatticeKernels {
  LatticeQuantizeKernel* quantize;
  LatticeContextsKernel* contexts;
  LatticeApplyKernel* apply;
  LatticeValuesKernel* values;
  LatticeElementsKernel* elements;
  LatticeBeginKernel* begin;
  LatticeFollowKernel* follow;
  LatticeErrorsKernel* errors;
};

namespace scalar {

LatticeKernels lattice_kernels();

// For elements that vector kernels leave: ends of stretches and escapes.
LatticeContextsKernel lattice_contexts;
LatticeApplyKernel lattice_apply;
LatticeValuesKernel lattice_values;
bool lattice_errors(const LatticeRule&, const LatticeErrorInput&, SymbolCursor&, size_t count, size_t lane,
                    LatticeErrorLanes&);

}  // namespace scalar
namespace avx2 {
LatticeKernels lattice_kernels();
}
namespace avx512 {
LatticeKernels lattice_kernels();
}

// The best this machine and the limit on it allow.
LatticeKernels lattice_kernels();

}  // namespace firn
