// The kernel of feedback_kernels.h in portable vectors, which a compiler lowers to an instruction set, kVectorLanes
// numbers at once. Include in one file per instruction set.
#pragma once
#include <cstring>

#include "residual_quant/gptq/feedback_kernels.h"
#include "simd/vector_bytes.h"

// The vectors never leave this file, so it does not matter how each instruction set would pass them.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace firn::FIRN_ISA {
namespace {

constexpr size_t kVectorLanes = kVectorBytes / sizeof(float), kVectors = kFeedbackLanes / kVectorLanes;
typedef float Lanes __attribute__((vector_size(kVectorLanes * sizeof(float))));
typedef int32_t Whole __attribute__((vector_size(kVectorLanes * sizeof(int32_t))));

Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

void store(Lanes lanes, float* to) { std::memcpy(to, &lanes, sizeof lanes); }

Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }

// Rounds the vector of column j that starts at `at`, given the errors handed on to it.
void round_column(Lanes handed_on, const FeedbackRule& rule, const FeedbackTile& tile, size_t at) {
  const Lanes x = load(tile.weights + at), k = load(tile.previous + at);
  const Lanes wanted =
      smaller(larger(x + handed_on * rule.strength, Lanes{} - rule.value_max), Lanes{} + rule.value_max);
  const Lanes difference = wanted - k, distance = larger(difference, -difference);
  const Whole whole = __builtin_convertvector((distance + rule.half) / rule.step, Whole);
  const Lanes steps = larger(__builtin_convertvector(whole, Lanes), Lanes{} + 1.0f);
  const Lanes dead = difference < Lanes{} ? load(tile.dead_down + at) : load(tile.dead_up + at);
  const Lanes moved = distance >= dead ? steps * rule.step : Lanes{};
  const Lanes target = difference < Lanes{} ? k - moved : k + moved;
  store(target, tile.targets + at);
  store((x - target) * load(tile.present + at), tile.errors + at);
}

}  // namespace

void feedback_tile(const float* factor, size_t size, const FeedbackRule& rule, const FeedbackTile& tile) {
  for (size_t j = 0; j < size; ++j) {
    const float* const shares = factor + j * size;
    Lanes handed_on[kVectors] = {};
    for (size_t k = 0; k < j; ++k) {
      const float* const errors = tile.errors + k * kFeedbackLanes;
      for (size_t v = 0; v < kVectors; ++v) handed_on[v] += load(errors + v * kVectorLanes) * shares[k];
    }
    for (size_t v = 0; v < kVectors; ++v) round_column(handed_on[v], rule, tile, j * kFeedbackLanes + v * kVectorLanes);
  }
}

}  // namespace firn::FIRN_ISA
