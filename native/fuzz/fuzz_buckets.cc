// Fuzz target: bucket_decode and merged_bucket_decode on hostile bytes, and bucket_encode of any elements relative to
// any others. Its payload decodes and stays within its bound; merged with a delta back, it rebuilds both states.
//
// Input: elements (u16 LE), dtype (u8), bits (u8), bytes given of the previous block and to encode (u16 LE each), those
// bytes, and the payload.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "firn/buckets.h"
#include "firn/delta.h"
#include "input_reader.h"

namespace {

constexpr uint32_t kElementsMax = 6000;
constexpr size_t kHeadBytesMax = 2048;  // docs/format.md, "Block in buckets"; with the mode, which is not in here

std::vector<uint8_t> padded(std::vector<uint8_t> bytes, size_t size) {
  for (size_t i = bytes.size(); i < size; ++i) bytes.push_back(static_cast<uint8_t>(i % 2 == 1 ? 0x3C : i * 37 >> 3));
  bytes.resize(size);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;
  InputReader in(data, size);
  const size_t count = in.next<uint16_t>() % kElementsMax;
  const Dtype dtype = static_cast<Dtype>(in.next<uint8_t>() % 3);
  const uint32_t bits = 1 + in.next<uint8_t>() % kBucketBitsMax;
  const size_t block_bytes = count * dtype_bytes(dtype);
  const size_t before_given = in.next<uint16_t>(), given = in.next<uint16_t>();
  const std::vector<uint8_t> before = padded(in.bytes(std::min(before_given, block_bytes)), block_bytes);
  const std::vector<uint8_t> current = padded(in.bytes(std::min(given, block_bytes)), block_bytes);
  const std::vector<uint8_t> payload = in.bytes(size);
  const BucketElements previous{before.data(), dtype, count};

  std::vector<uint8_t> out(block_bytes), again(block_bytes);
  const Status status = bucket_decode(payload.data(), payload.size(), previous, out.data());
  require(status == Status::ok || status == Status::corrupt || status == Status::truncated);
  if (status == Status::ok) {
    require(bucket_decode(payload.data(), payload.size(), previous, again.data()) == Status::ok);
    require(out == again);
  }

  for (uint32_t width = kMergedBucketsMin; width <= kMergedBucketsMax; ++width) {
    const MergedBucketPart last{width, width - 1};
    const Status merged = merged_bucket_decode(payload.data(), payload.size(), last, previous, out.data());
    require(merged == Status::ok || merged == Status::corrupt || merged == Status::truncated);
  }

  std::vector<uint8_t> coded;
  require(bucket_encode({current.data(), dtype, count}, before.data(), bits, &coded) == Status::ok);
  require(coded.size() < kHeadBytesMax + block_bytes);
  require(bucket_decode(coded.data(), coded.size(), previous, out.data()) == Status::ok);
  std::vector<uint8_t> back, merged, restored(block_bytes);
  require(bucket_encode({before.data(), dtype, count}, out.data(), bits, &back) == Status::ok);
  require(bucket_decode(back.data(), back.size(), {out.data(), dtype, count}, again.data()) == Status::ok);
  const BucketPayload both[] = {{coded.data(), coded.size()}, {back.data(), back.size()}};
  require(bucket_merge(both, count, &merged) == Status::ok);
  require(merged.size() <= 1 + 5 + coded.size() + back.size());
  require(merged_bucket_decode(merged.data(), merged.size(), {2, 0}, previous, restored.data()) == Status::ok);
  require(restored == out);
  require(merged_bucket_decode(merged.data(), merged.size(), {2, 1}, previous, restored.data()) == Status::ok);
  require(restored == again);
  // An element that was not finite before stays as it is.
  std::vector<float> was(count), is(count);
  if (count > 0) {
    convert(before.data(), dtype, count, was.data(), Dtype::f32);
    convert(out.data(), dtype, count, is.data(), Dtype::f32);
  }
  for (size_t i = 0; i < count; ++i) {
    require(std::isfinite(was[i]) == std::isfinite(is[i]));
    const size_t at = i * dtype_bytes(dtype);
    require(std::isfinite(was[i]) || std::equal(&before[at], &before[at] + dtype_bytes(dtype), &out[at]));
  }
  return 0;
}
