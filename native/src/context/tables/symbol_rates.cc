#include "context/tables/symbol_rates.h"

#include <algorithm>

#include "context/tables/cost_bits.h"
#include "firn/residual_quant/lattice.h"

namespace firn {
namespace {

constexpr uint32_t kStay = 0, kOutwards = 2;  // symbols of lattice_quantize
constexpr uint64_t kPriceMax = 255;

// log2 of the ratio of staying to moving, with half a count added to each; 0 if moving is likelier.
CostBits bits_beyond(uint64_t stays, uint64_t moves) {
  const CostBits staying = cost_log2(2 * stays + 1), moving = cost_log2(2 * moves + 1);
  return staying > moving ? staying - moving : 0;
}

}  // namespace

void find_symbol_rates(const std::array<RowCounts, kContextsMax>& counts, uint8_t* rates) {
  std::array<CostBits, kLatticeRates> bits;
  uint64_t moves = 0;
  CostBits spent = 0;  // at most 2^40 moves of less than 42 bits
  for (size_t i = 0; i < kLatticeRates; ++i) {
    const auto& of = counts[i / 2].of;
    const uint64_t here = of[kOutwards - i % 2];
    bits[i] = bits_beyond(of[kStay], here);
    moves += here;
    spent += here * bits[i];
  }
  const CostBits mean = moves > 0 ? spent / moves : 0;
  for (size_t i = 0; i < kLatticeRates; ++i) {
    const auto& of = counts[i / 2].of;
    const bool is_known = mean > 0 && of[kStay] + of[kOutwards - i % 2] > 0;
    const uint64_t rate = is_known ? (bits[i] * kLatticeRateUnit + mean / 2) / mean : kLatticeRateUnit;
    rates[i] = static_cast<uint8_t>(std::min(rate, kPriceMax));
  }
}

}  // namespace firn
