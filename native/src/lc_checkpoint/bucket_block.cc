#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/bit_writer.h"
#include "common/byte_reader.h"
#include "common/bytes.h"
#include "entropy/huffman.h"
#include "firn/buckets.h"
#include "firn/delta.h"
#include "lc_checkpoint/bucket_code.h"

namespace firn {
namespace {

constexpr size_t kBucketKeys = 512;  // exponent, then sign

struct Bucket {
  uint64_t count = 0;
  float least = 0, most = 0;
};

size_t key_of(float delta) {
  const uint32_t bits = std::bit_cast<uint32_t>(delta);
  return ((bits >> 23) & 0xFF) * 2 + (bits >> 31);
}

// The kept keys, largest exponents first; of one exponent the sign with more elements, then the positive one.
std::vector<uint16_t> promoted(const std::array<Bucket, kBucketKeys>& buckets, uint32_t bits) {
  std::vector<uint16_t> keys;
  for (size_t key = 0; key < kBucketKeys; ++key) {
    if (buckets[key].count > 0) keys.push_back(static_cast<uint16_t>(key));
  }
  std::sort(keys.begin(), keys.end(), [&](uint16_t a, uint16_t b) {
    if (a / 2 != b / 2) return a / 2 > b / 2;
    return buckets[a].count != buckets[b].count ? buckets[a].count > buckets[b].count : a < b;
  });
  keys.resize(std::min(keys.size(), (size_t{1} << bits) - 1));
  return keys;
}

}  // namespace

Status bucket_encode(const BucketElements& current, const void* previous, uint32_t bits, std::vector<uint8_t>* out) {
  const auto [data, dtype, count] = current;
  if (bits < 1 || bits > kBucketBitsMax || count > kBlockElementsMax) return Status::invalid_argument;
  std::vector<float> deltas = widened(data, dtype, count);
  const std::vector<float> before = widened(previous, dtype, count);
  std::array<Bucket, kBucketKeys> buckets{};
  for (size_t i = 0; i < count; ++i) {
    deltas[i] -= before[i];
    if (!has_bucket(deltas[i])) continue;
    Bucket& bucket = buckets[key_of(deltas[i])];
    bucket.least = bucket.count == 0 ? deltas[i] : std::min(bucket.least, deltas[i]);
    bucket.most = bucket.count == 0 ? deltas[i] : std::max(bucket.most, deltas[i]);
    ++bucket.count;
  }
  const std::vector<uint16_t> kept = promoted(buckets, bits);
  std::array<uint8_t, kBucketKeys> symbol_of{};
  std::vector<uint64_t> counts{count};
  for (const uint16_t key : kept) {
    symbol_of[key] = static_cast<uint8_t>(counts.size());
    counts.push_back(buckets[key].count);
    counts[0] -= buckets[key].count;
  }
  counts[0] = std::max<uint64_t>(counts[0], 1);  // a code of its own, used or not
  const std::vector<uint8_t> lengths = huffman_lengths(counts, kBucketCodeBitsMax);
  const std::vector<uint32_t> codes = huffman_codes(lengths);

  out->push_back(static_cast<uint8_t>(kept.size()));
  for (const uint16_t key : kept) {
    const double middle = (double{buckets[key].least} + double{buckets[key].most}) / 2;
    out->resize(out->size() + kBucketValueBytes);
    store_le<uint32_t>(out->data() + out->size() - kBucketValueBytes,
                       std::bit_cast<uint32_t>(static_cast<float>(middle)));
  }
  append_code_lengths(lengths, out);
  const size_t at = out->size();
  out->resize(at + 2 * count + BitWriter::kSlackBytes);
  BitWriter writer(out->data() + at);
  for (const float delta : deltas) {
    const uint8_t symbol = has_bucket(delta) ? symbol_of[key_of(delta)] : uint8_t{0};
    writer.put(codes[symbol], lengths[symbol]);
  }
  out->resize(at + writer.finish());
  return Status::ok;
}

Status bucket_decode(const uint8_t* bytes, size_t size, const BucketElements& previous, void* out) {
  const auto [data, dtype, count] = previous;
  if (count > kBlockElementsMax) return Status::invalid_argument;
  ByteReader reader(bytes, size);
  std::vector<float> values;
  BucketCode code;
  if (const Status status = read_bucket_values(&reader, &values); status != Status::ok) return status;
  if (const Status status = code.read(&reader, values.size()); status != Status::ok) return status;

  const size_t bit_bytes = reader.left();
  BitReader bit_reader(reader.take(bit_bytes), bit_bytes);
  const std::vector<float> before = widened(data, dtype, count);
  const size_t element_bytes = dtype_bytes(dtype);
  uint8_t* const elements = static_cast<uint8_t*>(out);
  if (count > 0) std::memcpy(elements, data, count * element_bytes);
  for (size_t i = 0; i < count; ++i) {
    const uint16_t symbol = code.next(&bit_reader);
    if (symbol != 0) add_bucket_value(before[i], values[symbol], dtype, elements + i * element_bytes);
  }
  if (bit_reader.overrun()) return Status::truncated;
  if (!bit_reader.at_zero_padded_end()) return Status::corrupt;
  return Status::ok;
}

}  // namespace firn
