// Log-histogram of values: the quantile sketch of Inshrinkerator section 4.3 (algorithm 1), with the logarithm
// replaced by the top bits of the float, as DDSketch's "fast mappings" do.
//
// A bucket is the top 15 bits of the binary32 pattern (sign, 8 exponent, 6 mantissa bits). A bucket of normal numbers
// spans [m, m * (1 + 2^-6 / (1 + f))) at most, so its midpoint is within 2^-7 (0.79 %) of every member. Below 2^-126
// (subnormals) the error is absolute, at most 2^-133. Exact zeros (+0 and -0) have a counter of their own, and so do
// NaN and infinity. Sketches merge by addition: order, threads and shards never change the result.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/dtype.h"

namespace firn {

inline constexpr size_t kSketchBuckets = 1u << 15;

// Plain words, so that it crosses the seam as one BigUint64Array of kSketchWords entries.
struct Sketch {
  uint64_t counts[kSketchBuckets];  // finite non-zero values, by key
  uint64_t zeros;
  uint64_t nans;
  uint64_t infinities;
};
inline constexpr size_t kSketchWords = kSketchBuckets + 3;
static_assert(sizeof(Sketch) == kSketchWords * sizeof(uint64_t));

// Midpoint of bucket `key` (0 <= key < kSketchBuckets), the value that represents its members. Keys with bit 14 set are
// negative.
float sketch_midpoint(uint32_t key);
// Smallest magnitude that falls into bucket `key` (sign ignored). Comparing |x| >= edge agrees with the bucket exactly.
float sketch_lower_edge(uint32_t key);

// Adds `count` values to `sketch`. One pass.
void sketch_values(const void* values, Dtype dtype, size_t count, Sketch& sketch);

// Adds |g * w| (product in binary32) for `count` pairs: sensitivity, section 4.1. Only non-negative keys are used.
void sketch_sensitivity(const void* weights, Dtype weight_dtype, const void* gradients, Dtype gradient_dtype,
                        size_t count, Sketch& sketch);

void sketch_merge(const Sketch& from, Sketch& into);

// Threshold t such that the share of magnitudes >= t is the largest not above `fraction` (0 < fraction < 1) of all
// counted finite values, zeros included. Signs are ignored. Returns +infinity when no bucket qualifies.
float sketch_top_threshold(const Sketch& sketch, double fraction);
// Threshold t such that the share of magnitudes < t is the largest not above `fraction`. Returns 0 when none qualifies.
float sketch_bottom_threshold(const Sketch& sketch, double fraction);

}  // namespace firn
