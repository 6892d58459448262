// LC-Checkpoint (Chen et al. 2020, section 3.1). The changes since the last rebuilt elements are put into buckets by
// sign and exponent, with one value each. Priority promotion stores the buckets with the largest exponents; all other
// changes count as zero. Huffman codes say which bucket each element is in. Stored form: docs/format-blocks.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/dtype.h"
#include "firn/status.h"

namespace firn {

// Bits of a bucket's index: 2^bits - 1 buckets are stored.
inline constexpr uint32_t kBucketBitsMax = 8;

// Elements of one block, in memory and order of a tensor file: little-endian, any alignment.
struct BucketElements {
  const void* data = nullptr;
  Dtype dtype = Dtype::f32;
  size_t count = 0;  // at most kBlockElementsMax
};

// Appends the payload of `current` relative to `previous`, the ancestor's rebuilt elements: as many, of the same dtype.
// Deterministic. invalid_argument if `bits` is not 1..kBucketBitsMax or the block is too long.
Status bucket_encode(const BucketElements& current, const void* previous, uint32_t bits, std::vector<uint8_t>* out);

// Rebuilds elements into `out`. Each is the previous one plus the value of its bucket, added in binary32 and rounded to
// the dtype; if that is not finite, it is the previous one. corrupt or truncated on bytes no encoder writes.
Status bucket_decode(const uint8_t* bytes, size_t size, const BucketElements& previous, void* out);

// Checkpoints whose deltas share a payload.
inline constexpr uint32_t kMergedBucketsMin = 2, kMergedBucketsMax = 4;

// The output of bucket_encode() for one block in one checkpoint.
struct BucketPayload {
  const uint8_t* bytes = nullptr;
  size_t size = 0;
};

// Selects one of the checkpoints in a payload.
struct MergedBucketPart {
  uint32_t width = 0;
  uint32_t position = 0;
};

// Appends one payload for the deltas of a block in consecutive checkpoints, oldest first, of `count` elements each. It
// has one symbol for all symbols of an element, or the payloads as they are if that is shorter. Deterministic. corrupt
// or truncated on payloads no encoder writes; invalid_argument if there are too many or too few, or the block is too
// long.
Status bucket_merge(std::span<const BucketPayload> payloads, size_t count, std::vector<uint8_t>* out);

// Rebuilds the elements of one checkpoint into `out` from the elements before the first checkpoint, with the same bits
// as bucket_decode() for one checkpoint after another. Errors as bucket_decode().
Status merged_bucket_decode(const uint8_t* bytes, size_t size, const MergedBucketPart& part,
                            const BucketElements& previous, void* out);

}  // namespace firn
