#include "lc_checkpoint/bucket_code.h"

#include <algorithm>
#include <bit>

#include "common/bytes.h"
#include "entropy/huffman.h"

namespace firn {

Status read_bucket_values(ByteReader* reader, std::vector<float>* values) {
  const uint8_t* const kept = reader->take(1);
  const uint8_t* const stored = kept ? reader->take(kBucketValueBytes * *kept) : nullptr;
  if (!stored) return Status::truncated;
  values->assign(1, 0);
  for (size_t i = 0; i < *kept; ++i) {
    values->push_back(std::bit_cast<float>(load_le<uint32_t>(stored + kBucketValueBytes * i)));
    if (!has_bucket(values->back())) return Status::corrupt;
  }
  return Status::ok;
}

Status BucketCode::read(ByteReader* reader, size_t symbols) {
  const uint8_t* const stored = reader->take((symbols + 1) / 2);
  if (!stored) return Status::truncated;
  std::vector<uint8_t> lengths;
  for (size_t symbol = 0; symbol < symbols; ++symbol) {
    const uint8_t both = stored[symbol / 2];
    lengths.push_back(symbol % 2 == 0 ? both & 15 : static_cast<uint8_t>(both >> 4));
  }
  if (symbols % 2 == 1 && stored[symbols / 2] >> 4 != 0) return Status::corrupt;
  if (!huffman_is_complete(lengths, kBucketCodeBitsMax)) return Status::corrupt;
  width_ = *std::max_element(lengths.begin(), lengths.end());
  lookup_.resize(size_t{1} << width_);
  const std::vector<uint32_t> codes = huffman_codes(lengths);
  for (size_t symbol = 0; symbol < symbols; ++symbol) {
    const uint32_t free = width_ - lengths[symbol];
    const auto first = lookup_.begin() + (static_cast<ptrdiff_t>(codes[symbol]) << free);
    std::fill(first, first + (ptrdiff_t{1} << free), Entry{static_cast<uint16_t>(symbol), lengths[symbol]});
  }
  return Status::ok;
}

void append_code_lengths(const std::vector<uint8_t>& lengths, std::vector<uint8_t>* out) {
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    if (symbol % 2 == 0) {
      out->push_back(lengths[symbol]);
    } else {
      out->back() = static_cast<uint8_t>(out->back() | lengths[symbol] << 4);
    }
  }
}

std::vector<float> widened(const void* elements, Dtype dtype, size_t count) {
  std::vector<float> values(count);
  if (count > 0) convert(elements, dtype, count, values.data(), Dtype::f32);
  return values;
}

float add_bucket_value(float before, float value, Dtype dtype, uint8_t* element) {
  const float sum = before + value;
  if (dtype == Dtype::f32) {
    if (!std::isfinite(sum)) return before;
    store_le<uint32_t>(element, std::bit_cast<uint32_t>(sum));
    return sum;
  }
  const uint16_t half = dtype == Dtype::f16 ? f32_to_f16(sum) : f32_to_bf16(sum);
  const float rounded = dtype == Dtype::f16 ? f16_to_f32(half) : bf16_to_f32(half);
  if (!std::isfinite(rounded)) return before;
  store_le<uint16_t>(element, half);
  return rounded;
}

}  // namespace firn
