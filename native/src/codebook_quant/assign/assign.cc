#include "firn/codebook_quant/assign.h"

#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "codebook_quant/assign/bin_search.h"
#include "codebook_quant/assign/takes_levels.h"
#include "codebook_quant/partition/partition_kernels.h"
#include "common/f32_view.h"
#include "simd/cpu_features.h"

namespace firn {
namespace {

// Below this many weights, filling a 64 KiB table costs more than it saves.
constexpr size_t kTableWorthwhile = 1u << 15;

bool valid_level(int32_t level, uint32_t centroid_count) {
  return level == kNoLevel ||
         (level >= static_cast<int32_t>(centroid_count) && level < static_cast<int32_t>(kLevelsMax));
}

bool finite_and_increasing(const float* values, uint32_t count) {
  constexpr float kMax = std::numeric_limits<float>::max();
  for (uint32_t i = 0; i < count; ++i) {
    if (!(values[i] >= -kMax && values[i] <= kMax) || (i > 0 && !(values[i] > values[i - 1]))) return false;
  }
  return true;
}

bool valid(const LevelMap& map) {
  if (map.centroid_count < 1 || map.centroid_count > kLevelsMax || map.centroids == nullptr) return false;
  if (!finite_and_increasing(map.centroids, map.centroid_count)) return false;
  if (map.boundaries != nullptr && !finite_and_increasing(map.boundaries, map.centroid_count - 1)) return false;
  if (!valid_level(map.pruned_level, map.centroid_count) || !valid_level(map.protected_level, map.centroid_count))
    return false;
  return map.pruned_level == kNoLevel || map.protected_level == kNoLevel || map.pruned_level < map.protected_level;
}

}  // namespace

bool takes_levels(const LevelMap& map, const PartitionRule& rule) {
  return valid(map) && (!rule.protects() || map.protected_level != kNoLevel) &&
         (!rule.prunes() || map.pruned_level != kNoLevel);
}

namespace {

// Bins by the fastest way this machine has for that many centroids.
class BinFinder {
 public:
  BinFinder(const LevelMap& map, size_t count)
      : search_(make_bin_search(map.centroids, map.centroid_count, map.boundaries)), isa_(active_isa()) {
    if (in_registers() || isa_ == Isa::scalar || count < kTableWorthwhile) return;
    table_.reset(new (std::nothrow) BinTable);
    if (table_) make_bin_table(search_, *table_);
  }

  void find(const void* weights, size_t count, uint8_t* bins) const {
    if (table_) return find_bins_table(search_, *table_, weights, count, bins);
#if FIRN_X86
    if (in_registers())
      return (isa_ == Isa::avx512 ? avx512::find_bins : avx2::find_bins)(search_, weights, count, bins);
#endif
    scalar::find_bins(search_, weights, count, bins);
  }

 private:
  bool in_registers() const {
    return (isa_ == Isa::avx512 && search_.depth <= avx512::kSearchDepthInRegistersMax) ||
           (isa_ == Isa::avx2 && search_.depth <= avx2::kSearchDepthInRegistersMax);
  }

  BinSearch search_;
  Isa isa_;
  std::unique_ptr<BinTable> table_;
};

}  // namespace

Status assign_levels(const void* weights, Dtype weight_dtype, const void* gradients, Dtype gradient_dtype, size_t count,
                     const Partition& partition, const LevelMap& map, uint8_t* levels, size_t* protected_count) {
  const PartitionRule rule = partition_rule(partition, gradients != nullptr);
  const bool marks_any = rule.protects() || rule.prunes();
  if (!takes_levels(map, rule)) return Status::invalid_argument;

  const BinFinder bins(map, count);
  MarkKernel* const mark = mark_kernel();
  const PartitionLevels marks{static_cast<uint8_t>(map.pruned_level), static_cast<uint8_t>(map.protected_level)};
  size_t protected_sum = 0;
  float w_scratch[kStepElements], g_scratch[kStepElements];
  for (size_t first = 0; first < count; first += kStepElements) {
    const size_t step = count - first < kStepElements ? count - first : kStepElements;
    const void* w = f32_view(weights, weight_dtype, first, step, w_scratch);
    bins.find(w, step, levels + first);
    if (!marks_any) continue;
    const void* g = gradients ? f32_view(gradients, gradient_dtype, first, step, g_scratch) : nullptr;
    protected_sum += mark(rule, w, g, step, marks, levels + first);
  }
  if (protected_count) *protected_count = protected_sum;
  return Status::ok;
}

void gather_protected(const void* weights, Dtype weight_dtype, const uint8_t* levels, size_t count,
                      uint8_t protected_level, uint16_t* words) {
  const uint8_t* bytes = static_cast<const uint8_t*>(weights);
  const uint8_t* const end = levels + count;
  for (const uint8_t* at = levels; at < end; ++at) {
    at = static_cast<const uint8_t*>(std::memchr(at, protected_level, static_cast<size_t>(end - at)));
    if (at == nullptr) return;
    const uint8_t* weight = bytes + static_cast<size_t>(at - levels) * dtype_bytes(weight_dtype);
    if (weight_dtype == Dtype::f32) {
      float value;
      std::memcpy(&value, weight, sizeof value);
      *words++ = f32_to_bf16(value);
    } else {
      std::memcpy(words++, weight, sizeof *words);
    }
  }
}

}  // namespace firn
