#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/bit_reader.h"
#include "common/bit_writer.h"
#include "common/byte_reader.h"
#include "common/bytes.h"
#include "entropy/huffman.h"
#include "firn/buckets.h"
#include "firn/delta.h"

namespace firn {
namespace {

constexpr uint32_t kBucketCodeBitsMax = 15;  // a length is half a byte
constexpr size_t kBucketKeys = 512;          // exponent, then sign
constexpr size_t kBucketValueBytes = 4;

struct Bucket {
  uint64_t count = 0;
  float least = 0, most = 0;
};

std::vector<float> widened(const void* elements, Dtype dtype, size_t count) {
  std::vector<float> values(count);
  if (count > 0) convert(elements, dtype, count, values.data(), Dtype::f32);
  return values;
}

// A difference that is zero, or too large for binary32, is in no bucket.
bool has_bucket(float delta) { return delta != 0 && std::isfinite(delta); }

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

// Symbols by the next `width` bits, with the length of their code.
struct BucketCode {
  uint8_t symbol, length;
};

std::vector<BucketCode> lookup_of(const std::vector<uint8_t>& lengths, uint32_t width) {
  std::vector<BucketCode> lookup(size_t{1} << width);
  const std::vector<uint32_t> codes = huffman_codes(lengths);
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const uint32_t free = width - lengths[symbol];
    const auto first = lookup.begin() + (static_cast<ptrdiff_t>(codes[symbol]) << free);
    std::fill(first, first + (ptrdiff_t{1} << free), BucketCode{static_cast<uint8_t>(symbol), lengths[symbol]});
  }
  return lookup;
}

// Stores an element that is finite; another one stays as it is at `element`, bit for bit.
void store_finite(float sum, Dtype dtype, uint8_t* element) {
  if (dtype == Dtype::f32) {
    if (std::isfinite(sum)) store_le<uint32_t>(element, std::bit_cast<uint32_t>(sum));
    return;
  }
  const uint16_t half = dtype == Dtype::f16 ? f32_to_f16(sum) : f32_to_bf16(sum);
  if (std::isfinite(dtype == Dtype::f16 ? f16_to_f32(half) : bf16_to_f32(half))) store_le<uint16_t>(element, half);
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

  size_t at = out->size();
  out->resize(at + 1 + kBucketValueBytes * kept.size() + (lengths.size() + 1) / 2 + 2 * count + BitWriter::kSlackBytes);
  (*out)[at++] = static_cast<uint8_t>(kept.size());
  for (const uint16_t key : kept) {
    const double middle = (double{buckets[key].least} + double{buckets[key].most}) / 2;
    store_le<uint32_t>(out->data() + at, std::bit_cast<uint32_t>(static_cast<float>(middle)));
    at += kBucketValueBytes;
  }
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    uint8_t& byte = (*out)[at + symbol / 2];
    byte = static_cast<uint8_t>(symbol % 2 == 0 ? lengths[symbol] : byte | lengths[symbol] << 4);
  }
  at += (lengths.size() + 1) / 2;
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
  const uint8_t* const kept = reader.take(1);
  if (!kept) return Status::truncated;
  const uint8_t* const stored_values = reader.take(kBucketValueBytes * *kept);
  const size_t symbols = size_t{*kept} + 1;
  const uint8_t* const stored_lengths = stored_values ? reader.take((symbols + 1) / 2) : nullptr;
  if (!stored_lengths) return Status::truncated;
  std::vector<float> values{0};
  std::vector<uint8_t> lengths;
  for (size_t i = 0; i < *kept; ++i) {
    values.push_back(std::bit_cast<float>(load_le<uint32_t>(stored_values + kBucketValueBytes * i)));
    if (!has_bucket(values.back())) return Status::corrupt;
  }
  for (size_t symbol = 0; symbol < symbols; ++symbol) {
    lengths.push_back(static_cast<uint8_t>(symbol % 2 == 0 ? stored_lengths[symbol / 2] & 15 : stored_lengths[symbol / 2] >> 4));
  }
  if (symbols % 2 == 1 && stored_lengths[symbols / 2] >> 4 != 0) return Status::corrupt;
  if (!huffman_is_complete(lengths, kBucketCodeBitsMax)) return Status::corrupt;

  const uint32_t width = *std::max_element(lengths.begin(), lengths.end());
  const std::vector<BucketCode> lookup = lookup_of(lengths, width);
  const size_t bit_bytes = reader.left();
  BitReader bit_reader(reader.take(bit_bytes), bit_bytes);
  const std::vector<float> before = widened(data, dtype, count);
  const size_t element_bytes = dtype_bytes(dtype);
  uint8_t* const elements = static_cast<uint8_t*>(out);
  if (count > 0) std::memcpy(elements, data, count * element_bytes);
  for (size_t i = 0; i < count; ++i) {
    const BucketCode code = lookup[width == 0 ? 0 : bit_reader.peek() >> (64 - width)];
    bit_reader.skip(code.length);
    if (code.symbol != 0) store_finite(before[i] + values[code.symbol], dtype, elements + i * element_bytes);
  }
  if (bit_reader.overrun()) return Status::truncated;
  if (!bit_reader.at_zero_padded_end()) return Status::corrupt;
  return Status::ok;
}

}  // namespace firn
