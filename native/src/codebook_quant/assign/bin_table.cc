// Bins of many centroids: a table on the top 16 bits of the weight, then exact comparisons with the few boundaries
// inside that prefix.
#include <bit>
#include <cstring>

#include "codebook_quant/assign/bin_search.h"

namespace firn {
namespace {

// Prefixes in increasing order of value: negative ones from largest magnitude, then positive ones; infinities and NaN
// left out.
constexpr uint32_t kFinitePrefixes = 0x7F80;  // per sign
constexpr uint32_t prefix_at(uint32_t rank) {
  return rank < kFinitePrefixes ? 0x8000u + (kFinitePrefixes - 1 - rank) : rank - kFinitePrefixes;
}

float smallest_of(uint32_t prefix) { return std::bit_cast<float>(prefix << 16 | (prefix & 0x8000u ? 0xFFFFu : 0u)); }

float load(const uint8_t* bytes, size_t index) {
  float value;
  std::memcpy(&value, bytes + index * sizeof value, sizeof value);
  return value;
}

// The table knows finite weights only.
bool all_finite(const uint8_t* bytes, size_t count) {
  uint32_t not_finite = 0;
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
    not_finite |= (bits & 0x7FFFFFFFu) >= 0x7F800000u;
  }
  return not_finite == 0;
}

}  // namespace

void make_bin_table(const BinSearch& search, BinTable& table) {
  std::memset(table.first_bin, 0, sizeof table.first_bin);
  table.advances = 0;
  uint32_t bin = 0;
  for (uint32_t rank = 0; rank < 2 * kFinitePrefixes; ++rank) {
    const uint32_t prefix = prefix_at(rank), before = bin;
    while (smallest_of(prefix) >= search.sorted[bin]) ++bin;  // ends at the unused last place
    table.first_bin[prefix] = static_cast<uint8_t>(bin);
    // The boundaries passed since the previous prefix lie inside it, or at the start of this one.
    if (bin - before > table.advances) table.advances = bin - before;
  }
  if (search.boundary_count - bin > table.advances)
    table.advances = search.boundary_count - bin;  // inside the last prefix
}

void find_bins_table(const BinSearch& search, const BinTable& table, const void* weights, size_t count, uint8_t* bins) {
  const uint8_t* bytes = static_cast<const uint8_t*>(weights);
  if (!all_finite(bytes, count)) return scalar::find_bins(search, weights, count, bins);
  const auto first_bin = [&](float weight) -> uint32_t {
    return table.first_bin[std::bit_cast<uint32_t>(weight) >> 16];
  };
  if (table.advances <= 1) {
    for (size_t i = 0; i < count; ++i) {
      const float weight = load(bytes, i);
      const uint32_t bin = first_bin(weight);
      bins[i] = static_cast<uint8_t>(bin + (weight >= search.sorted[bin]));
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const float weight = load(bytes, i);
    uint32_t bin = first_bin(weight);
    while (weight >= search.sorted[bin]) ++bin;
    bins[i] = static_cast<uint8_t>(bin);
  }
}

}  // namespace firn
