// The activity byte of a lattice element: how far it has moved lately (docs/format-blocks.md, "Lattice blocks").
#pragma once
#include <cstdint>

namespace firn {

// Bits 0..1: the sign of its last symbol, kSignNone where it did not move; bits 2..7: its activity a on a logarithmic
// scale. 0 is none, a > 0 stands for 2^((a - 56) / 8) steps, an average over checkpoints in which the last one weighs
// 0.4.
inline constexpr uint8_t kSignNone = 0, kSignPlus = 1, kSignMinus = 2;
inline constexpr unsigned kSignBits = 2;

// After a base: 0.3 steps, not moved.
inline constexpr uint8_t kStateAfterBase = 42 << kSignBits;

// A checkpoint takes this off a, the average times 0.6 = 2^(-5.9 / 8), and lifts it to at least the entry of min(|q|,
// 4): 0.4 |q| steps.
inline constexpr uint8_t kActivityDecay = 6;
inline constexpr uint32_t kStepsMax = 4;
inline constexpr uint8_t kActivityOfSteps[kStepsMax + 1] = {0, 46, 54, 58, 62};

// Class of activity a, by a >> 2: one more from 12, 28, 40, 48 and 56 on (0.022, 0.088, 0.25, 0.5 and 1 steps).
inline constexpr uint8_t kActivityClass[16] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5};

// A context is (class * kDirections + direction) * kMagnitudes + magnitude class. Direction of the last move: none,
// away from zero as k' lies (from zero on: upwards), the other way.
inline constexpr uint32_t kDirections = 3, kMagnitudes = 3;

}  // namespace firn
