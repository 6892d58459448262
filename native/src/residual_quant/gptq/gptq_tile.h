// The kernel of gptq_kernels.h in portable vectors, which a compiler lowers to an instruction set, kTileVectorLanes
// numbers at once. Include in one file per instruction set.
#pragma once
#include <cstring>

#include "residual_quant/gptq/gptq_kernels.h"
#include "simd/vector_bytes.h"

// The vectors never leave this file, so it does not matter how each instruction set would pass them.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace firn::FIRN_ISA {
namespace {

constexpr size_t kTileVectorLanes = kVectorBytes / sizeof(float), kTileVectors = kGptqLanes / kTileVectorLanes;
typedef float TileLanes __attribute__((vector_size(kTileVectorLanes * sizeof(float))));
typedef int32_t TileWhole __attribute__((vector_size(kTileVectorLanes * sizeof(int32_t))));

TileLanes load(const float* from) {
  TileLanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

void store(TileLanes lanes, float* to) { std::memcpy(to, &lanes, sizeof lanes); }

TileLanes smaller(TileLanes a, TileLanes b) { return a < b ? a : b; }
TileLanes larger(TileLanes a, TileLanes b) { return a > b ? a : b; }

// Rounds the vector of column j that starts at `at`, given the errors handed on to it.
void round_column(TileLanes handed_on, const GptqRule& rule, const GptqTile& tile, size_t at) {
  const TileLanes x = load(tile.weights + at), k = load(tile.previous + at);
  const TileLanes wanted =
      smaller(larger(x + handed_on * rule.strength, TileLanes{} - rule.value_max), TileLanes{} + rule.value_max);
  const TileLanes difference = wanted - k, distance = larger(difference, -difference);
  const TileWhole whole = __builtin_convertvector((distance + rule.half) / rule.step, TileWhole);
  const TileLanes steps = larger(__builtin_convertvector(whole, TileLanes), TileLanes{} + 1.0f);
  const TileLanes dead = difference < TileLanes{} ? load(tile.dead_down + at) : load(tile.dead_up + at);
  const TileLanes moved = distance >= dead ? steps * rule.step : TileLanes{};
  const TileLanes target = difference < TileLanes{} ? k - moved : k + moved;
  store(target, tile.targets + at);
  store((x - target) * load(tile.present + at), tile.errors + at);
}

}  // namespace

void gptq_tile(const float* factor, size_t size, const GptqRule& rule, const GptqTile& tile) {
  for (size_t j = 0; j < size; ++j) {
    const float* const shares = factor + j * size;
    TileLanes handed_on[kTileVectors] = {};
    for (size_t k = 0; k < j; ++k) {
      const float* const errors = tile.errors + k * kGptqLanes;
      for (size_t v = 0; v < kTileVectors; ++v) handed_on[v] += load(errors + v * kTileVectorLanes) * shares[k];
    }
    for (size_t v = 0; v < kTileVectors; ++v)
      round_column(handed_on[v], rule, tile, j * kGptqLanes + v * kTileVectorLanes);
  }
}

}  // namespace firn::FIRN_ISA
