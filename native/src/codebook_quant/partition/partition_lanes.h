// The kernels of partition_kernels.h, kLanes weights at a time. Include in one file per instruction set.
#pragma once
#include "codebook_quant/partition/partition_kernels.h"
#include "simd/vectors.h"

namespace firn::FIRN_ISA {
namespace {

struct PartitionMasks {
  Mask protect, prune;  // never both
};

class PartitionThresholds {
 public:
  explicit PartitionThresholds(const PartitionRule& rule)
      : protect_m_(F32::all(rule.protect_magnitude_min)), protect_s_(F32::all(rule.protect_sensitivity_min)),
        prune_m_(F32::all(rule.prune_magnitude_below)), prune_s_(F32::all(rule.prune_sensitivity_below)) {}

  template <bool kGradients>
  PartitionMasks masks(F32 w, const unsigned char* gradients) const {
    const F32 m = magnitude(w);
    Mask protect = at_least(m, protect_m_), prune = below(m, prune_m_);
    if constexpr (kGradients) {
      const F32 s = magnitude(load_f32(gradients) * w);
      protect = protect | at_least(s, protect_s_);
      prune = prune | below(s, prune_s_);
    }
    return {protect, and_not(prune, protect)};
  }

 private:
  F32 protect_m_, protect_s_, prune_m_, prune_s_;
};

template <bool kGradients>
size_t mark(const PartitionRule& rule, const unsigned char* w, const unsigned char* g, size_t count,
            PartitionLevels marks, uint8_t* levels) {
  const PartitionThresholds thresholds(rule);
  const Bytes protect_level = all_bytes(marks.protect), prune_level = all_bytes(marks.pruned);
  size_t protected_count = 0, i = 0;
  for (; i + kByteLanes <= count; i += kByteLanes) {
    Mask protect[4], prune[4];
    for (size_t part = 0; part < 4; ++part) {
      const size_t at = i + part * kLanes;
      const PartitionMasks masks =
          thresholds.masks<kGradients>(load_f32(w + 4 * at), kGradients ? g + 4 * at : nullptr);
      protect[part] = masks.protect, prune[part] = masks.prune;
    }
    const ByteMask protects = joined(protect);
    const Bytes level = choose(joined(prune), prune_level, load_bytes(levels + i));
    store(levels + i, choose(protects, protect_level, level));
    protected_count += static_cast<size_t>(_mm_popcnt_u64(bits(protects)));
  }
  if (i == count) return protected_count;
  return protected_count +
         scalar::mark_levels(rule, w + 4 * i, kGradients ? g + 4 * i : nullptr, count - i, marks, levels + i);
}

template <bool kGradients>
size_t keep(const PartitionRule& rule, const unsigned char* w, const unsigned char* g, size_t count, float* kept) {
  const PartitionThresholds thresholds(rule);
  // skip_marker of positions 0..15 (stats/value_counter.h).
  constexpr size_t kMarkers = 16, kParts = kMarkers / kLanes;
  F32 markers[kParts];
  for (size_t part = 0; part < kParts; ++part) {
    const I32 positions = I32::iota() + I32::all(static_cast<int32_t>(part * kLanes));
    markers[part] = as_f32(I32::all(0x7FC00000) | shift_left<17>(positions));
  }
  size_t replaced = 0, i = 0;
  for (; i + kMarkers <= count; i += kMarkers) {
    for (size_t part = 0; part < kParts; ++part) {
      const size_t at = i + part * kLanes;
      const F32 weight = load_f32(w + 4 * at);
      const PartitionMasks masks = thresholds.masks<kGradients>(weight, kGradients ? g + 4 * at : nullptr);
      const Mask skip = masks.protect | masks.prune;
      store(kept + at, choose(skip, markers[part], weight));
      replaced += static_cast<size_t>(_mm_popcnt_u32(bits(skip)));
    }
  }
  if (i == count) return replaced;
  return replaced + scalar::keep_quantized(rule, w + 4 * i, kGradients ? g + 4 * i : nullptr, count - i, kept + i);
}

}  // namespace

size_t mark_levels(const PartitionRule& rule, const void* weights, const void* gradients, size_t count,
                   PartitionLevels marks, uint8_t* levels) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  const unsigned char* g = static_cast<const unsigned char*>(gradients);
  return g ? mark<true>(rule, w, g, count, marks, levels) : mark<false>(rule, w, g, count, marks, levels);
}

size_t keep_quantized(const PartitionRule& rule, const void* weights, const void* gradients, size_t count,
                      float* kept) {
  const unsigned char* w = static_cast<const unsigned char*>(weights);
  const unsigned char* g = static_cast<const unsigned char*>(gradients);
  return g ? keep<true>(rule, w, g, count, kept) : keep<false>(rule, w, g, count, kept);
}

}  // namespace firn::FIRN_ISA
