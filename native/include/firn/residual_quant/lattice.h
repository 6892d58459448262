// Closed-loop quantization on an integer lattice (docs/format-blocks.md, "Lattice blocks"): codes the difference of a
// weight from its rebuilt value in the previous checkpoint, in steps, so that a weight that stays put costs almost
// nothing and errors never accumulate.
//
// Every element has a state: a value k in units of 2^exponent, and an activity byte that reflects how often it has
// moved. A block has at most kBlockElementsMax elements (firn/delta.h) in segments, each a part of one tensor with its
// own parameters. All arithmetic up to the rebuilt value is on integers; every instruction set gives the same bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/dtype.h"
#include "firn/status.h"

namespace firn {

inline constexpr int32_t kLatticeWeightMax = (1 << 22) - 1;  // |x|, x the weight in units
inline constexpr int32_t kLatticeValueMax = (1 << 23) - 1;   // |k|: exact in binary32
// With these limits both 2^-exponent and every rebuilt value are finite, and the scale of a value is exact.
inline constexpr int32_t kLatticeExponentMin = -126, kLatticeExponentMax = 104;
inline constexpr int32_t kLatticeStepMax = 65535;
inline constexpr int32_t kLatticeShiftMax = 15;
inline constexpr int32_t kLatticeGainMax = 1023;
inline constexpr uint32_t kLatticeDeadZoneMax = 1024;  // four steps
inline constexpr size_t kLatticeOffsets = 3;
inline constexpr uint8_t kLatticeEscape = 31;  // announces an escape: the symbol of larger moves
inline constexpr uint32_t kLatticeContexts = 54;
inline constexpr size_t kLatticeRates = 2 * size_t{kLatticeContexts};
inline constexpr uint8_t kLatticeRateUnit = 64;
inline constexpr uint32_t kLatticePricedZoneMax = 192;  // three quarters of a step

// Parameters of `count` elements. The unit is 2^exponent; the previous state is in units of 2^(exponent + shift).
struct LatticeSegment {
  uint32_t count = 0;    // at least 1
  int32_t exponent = 0;  // kLatticeExponentMin..kLatticeExponentMax
  int32_t step = 1;      // m: units of one step, 1..kLatticeStepMax
  int32_t shift = 0;     // 0..kLatticeShiftMax
  int32_t offsets[kLatticeOffsets] =
      {};              // units a move of 1, 2, and 3 or more steps falls short; magnitudes below step
  int32_t gain = 256;  // 0..kLatticeGainMax; values are rebuilt times (768 + gain) / 1024
};

struct LatticeSegments {
  const LatticeSegment* data = nullptr;
  size_t count = 0;
};

// State before a block: one entry per element, or both null for a base, in which every k is 0.
struct LatticeState {
  const int32_t* values = nullptr;
  const uint8_t* activity = nullptr;
};

// Sums over one segment; those of several blocks add up. x is a weight in units, k' = k << shift its previous value, q
// the steps moved, and class j = min(|q|, 3) - 1. No sum over a block can leave int64_t.
struct LatticeStatistics {
  int64_t counts[kLatticeOffsets];       // elements of each class
  int64_t residuals[kLatticeOffsets];    // |x - k'| - |q| * step; the best offset is minus the mean
  int64_t squares;                       // x * x
  int64_t products;                      // x * (k' + q * step)
  int64_t signed_sums[kLatticeOffsets];  // x * sign(q): products less offsets[j] * signed_sums[j] is the sum of x times
                                         // the new value
};

// Sums over one segment from which its weighted squared error can be computed for any offsets and gain, once moves are
// chosen. w is an element's weight, x, k', q and class j as above, r = x - (k' + q * step), f the distance of x to the
// nearest multiple of step. Every sum consists of 16 sums of binary64, each over the elements with the same index
// modulo 16, added up in order: the same on every machine.
struct LatticeErrorSums {
  double squares;                            // w x x
  double products;                           // w x r
  double residuals;                          // w r r
  double fresh;                              // w f f: the error of quantizing from zero, without gain
  double weights[kLatticeOffsets];           // of each class: w
  double signed_residuals[kLatticeOffsets];  // w r sign(q)
  double signed_products[kLatticeOffsets];   // w x sign(q)
};

// An element stays put while |x - k'| * 256 < zone * step. Moving an element by one step when it is e steps away
// reduces its squared error by 2e - 1, in squared steps, so a zone of 128 (1 + p) demands a rate p. Without rates, and
// for a base, the zone is `dead_zone`. With rates, the part of `dead_zone` above 128 is the rate of a move of the mean
// number of bits. A move with context c, against the sign of k' (i = 1; 0 counts as positive) or not (i = 0), has
// rates[2 c + i] / kLatticeRateUnit of it, rounded to nearest, up to a zone of kLatticePricedZoneMax or, if larger,
// dead_zone. A `dead_zone` of up to 128 applies to all moves alike.
struct LatticeHysteresis {
  LatticeHysteresis(uint32_t zone, const uint8_t* symbol_rates = nullptr) : dead_zone(zone), rates(symbol_rates) {}
  uint32_t dead_zone;     // 0..kLatticeDeadZoneMax
  const uint8_t* rates;  // null or kLatticeRates of them (ContextCounts::symbol_rates)
};

// One symbol per element: 2 |q|, less 1 if k' moves against its own sign (0 counts as positive). From kLatticeEscape
// on, the symbol is kLatticeEscape, and the rest is one entry of `escapes` (replaced), in element order. `statistics`
// receives one entry per segment. Weights need no alignment. invalid_argument when a parameter violates its range, the
// segments have more than kBlockElementsMax elements, a weight is not finite or beyond kLatticeWeightMax units, or a
// previous value is beyond kLatticeValueMax.
Status lattice_quantize(const void* weights, Dtype dtype, LatticeSegments segments, LatticeState previous,
                        LatticeHysteresis hysteresis, uint8_t* symbols, std::vector<uint32_t>* escapes,
                        LatticeStatistics* statistics);

// The context of every element's symbol, below kLatticeContexts; it depends only on data available before the symbol is
// decoded. Zeros for a base. invalid_argument when a parameter violates its range.
Status lattice_contexts(LatticeSegments segments, LatticeState previous, uint8_t* contexts);

// The state after a block. `values` and `activity` may not overlap any input. corrupt when a symbol is above
// kLatticeEscape, escapes are missing or left over, or a value exceeds kLatticeValueMax; the outputs are then invalid.
// invalid_argument when a parameter violates its range.
Status lattice_apply(const uint8_t* symbols, const uint32_t* escapes, size_t escape_count, LatticeSegments segments,
                     LatticeState previous, int32_t* values, uint8_t* activity);

// Places elements of `dtype` on the lattice, for a block that goes on from elements without a state. `values` receives
// element * 2^-exponent, rounded to nearest, ties to even, and bounded by kLatticeValueMax, infinite ones too; 0 for
// NaN. `elements` needs no alignment. invalid_argument when a parameter violates its range.
Status lattice_place(const void* elements, Dtype dtype, LatticeSegments segments, int32_t* values);

// Rebuilds the elements in `dtype`: the binary32 product of k and (768 + gain) / 1024 * 2^exponent, then convert().
// `out` needs no alignment. invalid_argument when a parameter violates its range.
Status lattice_values(const int32_t* values, LatticeSegments segments, Dtype dtype, void* out);

// Sums from which the error of moves can be computed. An element's weight is 1 without gradients (null) and in a
// segment with scale 0, else min((gradient * gradient_scales[segment])^2, 2^40) in binary32, 0 for NaN. `sums` receives
// one entry per segment. Symbols and escapes are those of lattice_quantize, for these weights or for targets near them.
// invalid_argument as in lattice_quantize, or when they are not.
Status lattice_error_sums(const void* weights, Dtype dtype, const void* gradients, Dtype gradient_dtype,
                          const float* gradient_scales, const uint8_t* symbols, const uint32_t* escapes,
                          size_t escape_count, LatticeSegments segments, LatticeState previous, LatticeErrorSums* sums);

}  // namespace firn
