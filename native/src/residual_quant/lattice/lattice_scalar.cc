// The lattice rules of firn/lattice.h and docs/format-blocks.md, element by element.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "residual_quant/lattice/activity.h"
#include "residual_quant/lattice/lattice_kernels.h"
#include "residual_quant/lattice/weight_units.h"

namespace firn::scalar {
namespace {

// The previous value in units of this segment; false when it is out of range.
bool shifted(const LatticeRule& rule, const int32_t* values, size_t index, int32_t* k) {
  *k = 0;
  if (values == nullptr) return true;
  const int32_t kept = values[index];
  if (kept > rule.kept_max || kept < -rule.kept_max) return false;
  *k = kept * (1 << rule.shift);
  return true;
}

uint8_t next_activity(uint8_t state, uint64_t steps, uint8_t sign) {
  const int decayed = std::max((state >> kSignBits) - kActivityDecay, 0);
  const int lifted = std::max<int>(decayed, kActivityOfSteps[std::min<uint64_t>(steps, kStepsMax)]);
  return static_cast<uint8_t>(lifted << kSignBits | sign);
}

struct Move {
  uint64_t steps;
  bool inwards;  // against the side of zero on which k' lies; zero itself counts as above
};

// The next move; false when the symbol or its escape is none.
bool take(SymbolCursor& cursor, size_t index, Move* move) {
  uint64_t zigzag = cursor.symbols[index];
  if (zigzag > kLatticeEscape) return false;
  if (zigzag == kLatticeEscape) {
    if (cursor.escapes_left == 0) return false;
    zigzag += *cursor.escapes++;
    --cursor.escapes_left;
  }
  *move = {(zigzag + 1) / 2, (zigzag & 1) != 0};
  return true;
}

// min(h * h, kSensitivityMax), 0 for NaN.
float sensitivity(float gradient, float scale) {
  const float h = gradient * scale, square = h * h;
  return square > 0 ? std::min(square, kSensitivityMax) : 0;
}

}  // namespace

bool lattice_quantize(const LatticeRule& rule, const void* weights, const int32_t* values,
                      const LatticePricing* pricing, size_t count, LatticeSymbols& out, LatticeStatistics& statistics) {
  for (size_t i = 0; i < count; ++i) {
    int32_t x, k;
    if (!weight_units(f32_at(weights, i), rule.units, &x) || !shifted(rule, values, i, &k)) return false;
    const int32_t distance = std::abs(x - k);
    const bool minus = x < k;
    const int32_t dead = pricing ? pricing->dead[2 * pricing->contexts[i] + (minus != (k < 0))] : rule.dead;
    const int32_t steps = distance < dead ? 0 : std::max(1, (distance + rule.step / 2) / rule.step);
    const bool inwards = steps > 0 && minus != (k < 0);
    const auto zigzag = static_cast<uint32_t>(2 * steps - inwards);
    out.symbols[i] = static_cast<uint8_t>(std::min<uint32_t>(zigzag, kLatticeEscape));
    if (zigzag >= kLatticeEscape) out.escapes[out.escape_count++] = zigzag - kLatticeEscape;

    const int32_t moved = steps * rule.step;
    statistics.squares += int64_t{x} * x;
    statistics.products += int64_t{x} * (minus ? k - moved : k + moved);
    if (steps == 0) continue;
    const int32_t j = std::min(steps, int32_t{kLatticeOffsets}) - 1;
    ++statistics.counts[j];
    statistics.residuals[j] += distance - moved;
    statistics.signed_sums[j] += minus ? -x : x;
  }
  return true;
}

void lattice_contexts(const LatticeRule& rule, const int32_t* values, const uint8_t* activity, size_t count,
                      uint8_t* contexts) {
  for (size_t i = 0; i < count; ++i) {
    const uint32_t activity_class = kActivityClass[activity[i] >> (kSignBits + 2)];
    const uint8_t sign = activity[i] & ((1 << kSignBits) - 1);
    const uint32_t direction = sign == kSignNone ? 0 : (sign == kSignPlus) == (values[i] >= 0) ? 1 : 2;
    const uint32_t magnitude = values[i] < 0 ? 0u - static_cast<uint32_t>(values[i]) : static_cast<uint32_t>(values[i]);
    const uint32_t magnitude_class =
        (magnitude >= static_cast<uint32_t>(rule.class1_from)) + (magnitude >= static_cast<uint32_t>(rule.class2_from));
    contexts[i] = static_cast<uint8_t>((activity_class * kDirections + direction) * kMagnitudes + magnitude_class);
  }
}

bool lattice_apply(const LatticeRule& rule, SymbolCursor& cursor, const int32_t* values, const uint8_t* activity,
                   size_t count, int32_t* new_values, uint8_t* new_activity) {
  for (size_t i = 0; i < count; ++i) {
    int32_t k;
    Move move;
    if (!shifted(rule, values, i, &k) || !take(cursor, i, &move)) return false;
    int64_t value = k;
    const bool minus = move.inwards != (k < 0);
    if (move.steps > 0) {
      const size_t j = std::min<uint64_t>(move.steps, kLatticeOffsets) - 1;
      const int64_t distance = static_cast<int64_t>(move.steps) * rule.step - rule.offsets[j];
      value += minus ? -distance : distance;
    }
    if (value > kLatticeValueMax || value < -kLatticeValueMax) return false;
    new_values[i] = static_cast<int32_t>(value);
    const uint8_t sign = move.steps == 0 ? kSignNone : minus ? kSignMinus : kSignPlus;
    new_activity[i] = activity ? next_activity(activity[i], move.steps, sign) : kStateAfterBase;
  }
  return true;
}

void lattice_values(const LatticeRule& rule, const int32_t* values, size_t count, void* out) {
  uint8_t* bytes = static_cast<uint8_t*>(out);
  for (size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(values[i]) * rule.scale;
    std::memcpy(bytes + i * sizeof value, &value, sizeof value);
  }
}

bool lattice_elements(const LatticeRule& rule, SymbolCursor& cursor, const int32_t* values, const uint8_t* activity,
                      size_t count, void* out) {
  int32_t new_values[kStepElements];
  uint8_t new_activity[kStepElements];
  if (!lattice_apply(rule, cursor, values, activity, count, new_values, new_activity)) return false;
  lattice_values(rule, new_values, count, out);
  return true;
}

bool lattice_begin(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor, size_t count,
                   int32_t* values, uint8_t* activity, uint8_t* contexts) {
  if (!lattice_apply(rule, cursor, nullptr, nullptr, count, values, activity)) return false;
  lattice_contexts(next, values, activity, count, contexts);
  return true;
}

bool lattice_follow(const LatticeRule& rule, const LatticeRule& next, SymbolCursor& cursor, int32_t* values,
                    uint8_t* activity, size_t count, uint8_t* contexts) {
  int32_t new_values[kStepElements];
  uint8_t new_activity[kStepElements];
  if (!lattice_apply(rule, cursor, values, activity, count, new_values, new_activity)) return false;
  std::memcpy(values, new_values, count * sizeof *values);
  std::memcpy(activity, new_activity, count);
  lattice_contexts(next, values, activity, count, contexts);
  return true;
}

bool lattice_errors(const LatticeRule& rule, const LatticeErrorInput& in, SymbolCursor& cursor, size_t count,
                    size_t lane, LatticeErrorLanes& lanes) {
  for (size_t i = 0; i < count; ++i, lane = (lane + 1) % kErrorLanes) {
    int32_t x, k;
    Move move;
    if (!weight_units(f32_at(in.weights, i), rule.units, &x) || !shifted(rule, in.values, i, &k) ||
        !take(cursor, i, &move))
      return false;
    if (move.steps > kLatticeValueMax) return false;
    const bool minus = move.inwards != (k < 0);
    const auto distance = static_cast<int64_t>(move.steps) * rule.step;
    const int64_t r = int64_t{x} - k - (minus ? -distance : distance);
    const int32_t over = std::abs(x) % rule.step, f = std::min(over, rule.step - over);
    const double w = in.gradients ? sensitivity(f32_at(in.gradients, i), in.gradient_scale) : 1.0;
    const double wx = w * x, wr = w * static_cast<double>(r);
    lanes.squares[lane] += wx * x;
    lanes.products[lane] += wx * static_cast<double>(r);
    lanes.residuals[lane] += wr * static_cast<double>(r);
    lanes.fresh[lane] += w * f * f;
    if (move.steps == 0) continue;
    const size_t j = std::min<uint64_t>(move.steps, kLatticeOffsets) - 1;
    lanes.weights[j][lane] += w;
    lanes.signed_residuals[j][lane] += minus ? -wr : wr;
    lanes.signed_products[j][lane] += minus ? -wx : wx;
  }
  return true;
}

bool lattice_errors_from_0(const LatticeRule& rule, const LatticeErrorInput& input, SymbolCursor& cursor, size_t count,
                           LatticeErrorLanes& lanes) {
  return lattice_errors(rule, input, cursor, count, 0, lanes);
}

LatticeKernels lattice_kernels() {
  return {lattice_quantize, lattice_contexts, lattice_apply,  lattice_values,
          lattice_elements, lattice_begin,    lattice_follow, lattice_errors_from_0};
}

}  // namespace firn::scalar
