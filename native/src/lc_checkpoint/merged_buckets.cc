#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "common/bit_writer.h"
#include "common/bytes.h"
#include "common/varint.h"
#include "entropy/huffman.h"
#include "firn/buckets.h"
#include "firn/delta.h"
#include "lc_checkpoint/bucket_code.h"

namespace firn {
namespace {

// First byte of a payload: those of the checkpoints one after another, or one symbol for all of them.
constexpr uint8_t kApart = 0, kJoint = 1;
constexpr uint32_t kSymbolBits = 8;    // of a checkpoint in a packed joint symbol
constexpr uint32_t kListedMax = 4095;  // with the code of what is not listed: 4096
constexpr uint32_t kLengthBits = 4;
constexpr size_t kSizeBytesMax = 5;    // of a varint

using Joint = uint32_t;  // the symbols of one element, the first checkpoint's lowest

struct ListedSymbol {
  Joint joint;
  uint64_t count;
};

uint32_t symbol_of(Joint joint, size_t checkpoint) { return joint >> (kSymbolBits * checkpoint) & 0xFF; }

// Bits that hold any symbol of a checkpoint with these values.
uint32_t field_bits(const std::vector<float>& values) {
  return static_cast<uint32_t>(std::bit_width(values.size() - 1));
}

Status read_symbols(const BucketPayload& payload, size_t count, size_t checkpoint, std::vector<float>* values,
                    std::vector<Joint>* joints) {
  ByteReader reader(payload.bytes, payload.size);
  BucketCode code;
  if (const Status status = read_bucket_values(&reader, values); status != Status::ok) return status;
  if (const Status status = code.read(&reader, values->size()); status != Status::ok) return status;
  const size_t bit_bytes = reader.left();
  BitReader bits(reader.take(bit_bytes), bit_bytes);
  for (size_t i = 0; i < count; ++i) (*joints)[i] |= Joint{code.next(&bits)} << (kSymbolBits * checkpoint);
  if (bits.overrun()) return Status::truncated;
  return bits.at_zero_padded_end() ? Status::ok : Status::corrupt;
}

// The joint symbols that take less listed than coded field by field, the most frequent first.
std::vector<ListedSymbol> listed(const std::vector<Joint>& joints, size_t width, uint32_t fields) {
  std::vector<Joint> sorted(joints);
  std::sort(sorted.begin(), sorted.end());
  std::vector<ListedSymbol> list;
  for (size_t i = 0; i < sorted.size();) {
    const size_t end = static_cast<size_t>(std::upper_bound(sorted.begin() + static_cast<ptrdiff_t>(i), sorted.end(),
                                                            sorted[i]) - sorted.begin());
    if ((end - i) * fields > kSymbolBits * width + kLengthBits) list.push_back({sorted[i], end - i});
    i = end;
  }
  std::sort(list.begin(), list.end(), [](const ListedSymbol& a, const ListedSymbol& b) {
    return a.count != b.count ? a.count > b.count : a.joint < b.joint;
  });
  list.resize(std::min<size_t>(list.size(), kListedMax));
  return list;
}

void append_joint(const std::vector<std::vector<float>>& values, const std::vector<Joint>& joints,
                  std::vector<uint8_t>* out) {
  const size_t width = values.size();
  uint32_t fields = 0;
  out->push_back(kJoint);
  for (const std::vector<float>& of_checkpoint : values) {
    fields += field_bits(of_checkpoint);
    out->push_back(static_cast<uint8_t>(of_checkpoint.size() - 1));
    for (size_t i = 1; i < of_checkpoint.size(); ++i) {
      out->resize(out->size() + kBucketValueBytes);
      store_le<uint32_t>(out->data() + out->size() - kBucketValueBytes, std::bit_cast<uint32_t>(of_checkpoint[i]));
    }
  }
  const std::vector<ListedSymbol> list = listed(joints, width, fields);
  std::vector<std::pair<Joint, uint32_t>> places;  // in the list, by joint symbol
  std::vector<uint64_t> counts;
  uint64_t others = joints.size();
  for (const auto& [joint, count] : list) {
    places.push_back({joint, static_cast<uint32_t>(places.size())});
    counts.push_back(count);
    others -= count;
  }
  std::sort(places.begin(), places.end());
  counts.push_back(std::max<uint64_t>(others, 1));  // a code of its own, used or not
  const std::vector<uint8_t> lengths = huffman_lengths(counts, kBucketCodeBitsMax);
  const std::vector<uint32_t> codes = huffman_codes(lengths);
  append_varint(static_cast<uint32_t>(list.size()), out);
  for (const auto& [joint, count] : list) {
    for (size_t j = 0; j < width; ++j) out->push_back(static_cast<uint8_t>(symbol_of(joint, j)));
  }
  append_code_lengths(lengths, out);
  const size_t at = out->size();
  out->resize(at + joints.size() * 2 + (others * fields + 7) / 8 + BitWriter::kSlackBytes);
  BitWriter writer(out->data() + at);
  for (const Joint joint : joints) {
    const auto place = std::lower_bound(places.begin(), places.end(), std::pair<Joint, uint32_t>{joint, 0});
    const bool is_listed = place != places.end() && place->first == joint;
    const size_t symbol = is_listed ? place->second : list.size();
    writer.put(codes[symbol], lengths[symbol]);
    for (size_t j = 0; !is_listed && j < width; ++j) writer.put(symbol_of(joint, j), field_bits(values[j]));
  }
  out->resize(at + writer.finish());
}

// The list of a joint payload; symbols are by place in the list, then by checkpoint.
Status read_list(ByteReader* reader, const std::vector<std::vector<float>>& values, const uint8_t** symbols,
                 uint32_t* count) {
  if (const Status status = reader->varint(count); status != Status::ok) return status;
  if (*count > kListedMax) return Status::corrupt;
  const size_t width = values.size();
  *symbols = reader->take(*count * width);
  if (!*symbols) return Status::truncated;
  for (size_t i = 0; i < *count * width; ++i) {
    if ((*symbols)[i] >= values[i % width].size()) return Status::corrupt;
  }
  return Status::ok;
}

Status decode_joint(ByteReader reader, const MergedBucketPart& part, const BucketElements& previous, uint8_t* out) {
  std::vector<std::vector<float>> values(part.width);
  for (std::vector<float>& of_checkpoint : values) {
    if (const Status status = read_bucket_values(&reader, &of_checkpoint); status != Status::ok) return status;
  }
  const uint8_t* list = nullptr;
  uint32_t list_count = 0;
  if (const Status status = read_list(&reader, values, &list, &list_count); status != Status::ok) return status;
  BucketCode code;
  if (const Status status = code.read(&reader, size_t{list_count} + 1); status != Status::ok) return status;
  std::vector<uint32_t> fields;
  for (const std::vector<float>& of_checkpoint : values) fields.push_back(field_bits(of_checkpoint));

  const auto [data, dtype, count] = previous;
  const std::vector<float> before = widened(data, dtype, count);
  const size_t bit_bytes = reader.left(), element_bytes = dtype_bytes(dtype);
  BitReader bits(reader.take(bit_bytes), bit_bytes);
  if (count > 0) std::memcpy(out, data, count * element_bytes);
  for (size_t i = 0; i < count; ++i) {
    const uint16_t symbol = code.next(&bits);
    float value = before[i];
    for (size_t j = 0; j < part.width; ++j) {
      const size_t bucket = symbol < list_count ? list[symbol * part.width + j] : bits.take(fields[j]);
      if (bucket >= values[j].size()) return bits.overrun() ? Status::truncated : Status::corrupt;
      if (bucket != 0 && j <= part.position)
        value = add_bucket_value(value, values[j][bucket], dtype, out + i * element_bytes);
    }
  }
  if (bits.overrun()) return Status::truncated;
  return bits.at_zero_padded_end() ? Status::ok : Status::corrupt;
}

Status decode_apart(ByteReader reader, const MergedBucketPart& part, const BucketElements& previous, uint8_t* out) {
  const size_t block_bytes = previous.count * dtype_bytes(previous.dtype);
  std::vector<uint8_t> before(block_bytes);
  if (block_bytes > 0) std::memcpy(out, previous.data, block_bytes);
  for (uint32_t j = 0; j < part.width; ++j) {
    uint32_t size = static_cast<uint32_t>(reader.left());
    if (j + 1 < part.width) {
      if (const Status status = reader.varint(&size); status != Status::ok) return status;
    }
    const uint8_t* const payload = reader.take(size);
    if (!payload) return Status::truncated;
    if (j > part.position) continue;
    if (block_bytes > 0) std::memcpy(before.data(), out, block_bytes);
    const Status status = bucket_decode(payload, size, {before.data(), previous.dtype, previous.count}, out);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace

Status bucket_merge(std::span<const BucketPayload> payloads, size_t count, std::vector<uint8_t>* out) {
  const bool fits = payloads.size() >= kMergedBucketsMin && payloads.size() <= kMergedBucketsMax;
  if (!fits || count > kBlockElementsMax) return Status::invalid_argument;
  std::vector<std::vector<float>> values(payloads.size());
  std::vector<Joint> joints(count);
  std::vector<uint8_t> apart, joint;
  size_t given = 0;
  for (const BucketPayload& payload : payloads) given += payload.size;
  apart.reserve(given + 1 + kSizeBytesMax * payloads.size());
  apart.push_back(kApart);
  for (size_t j = 0; j < payloads.size(); ++j) {
    const auto [bytes, size] = payloads[j];
    if (const Status status = read_symbols(payloads[j], count, j, &values[j], &joints); status != Status::ok)
      return status;
    if (j + 1 < payloads.size()) append_varint(static_cast<uint32_t>(size), &apart);
    apart.insert(apart.end(), bytes, bytes + size);
  }
  append_joint(values, joints, &joint);
  const std::vector<uint8_t>& shorter = joint.size() < apart.size() ? joint : apart;
  out->insert(out->end(), shorter.begin(), shorter.end());
  return Status::ok;
}

Status merged_bucket_decode(const uint8_t* bytes, size_t size, const MergedBucketPart& part,
                            const BucketElements& previous, void* out) {
  const bool fits = part.width >= kMergedBucketsMin && part.width <= kMergedBucketsMax && part.position < part.width;
  if (!fits || previous.count > kBlockElementsMax) return Status::invalid_argument;
  ByteReader reader(bytes, size);
  const uint8_t* const mode = reader.take(1);
  if (!mode) return Status::truncated;
  uint8_t* const elements = static_cast<uint8_t*>(out);
  if (*mode == kJoint) return decode_joint(reader, part, previous, elements);
  if (*mode == kApart) return decode_apart(reader, part, previous, elements);
  return Status::corrupt;
}

}  // namespace firn
