// Shared by payloads of one checkpoint and of several: values of buckets, Huffman codes with lengths of half a byte,
// and the addition of a bucket's value to an element.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/bit_reader.h"
#include "common/byte_reader.h"
#include "firn/dtype.h"
#include "firn/status.h"

namespace firn {

inline constexpr uint32_t kBucketCodeBitsMax = 15;  // a length is half a byte
inline constexpr size_t kBucketValueBytes = 4;

// A difference that is zero, or too large for binary32, is in no bucket.
inline bool has_bucket(float delta) { return delta != 0 && std::isfinite(delta); }

// Reads the number of buckets and their values; those of symbols, symbol 0 first, which is zero.
Status read_bucket_values(ByteReader* reader, std::vector<float>* values);

// A canonical Huffman code of symbols 0..n-1, n being at most 2^kBucketCodeBitsMax.
class BucketCode {
 public:
  // Reads the lengths of `symbols` codes, which have to be complete.
  Status read(ByteReader* reader, size_t symbols);

  // The next symbol; zeros follow the end of the bits, which the reader reports.
  uint16_t next(BitReader* bits) const {
    const Entry entry = lookup_[width_ == 0 ? 0 : bits->peek() >> (64 - width_)];
    bits->skip(entry.length);
    return entry.symbol;
  }

 private:
  struct Entry {
    uint16_t symbol;
    uint8_t length;
  };
  std::vector<Entry> lookup_;  // by the next `width_` bits
  uint32_t width_ = 0;
};

// Appends the lengths of codes, four bits each.
void append_code_lengths(const std::vector<uint8_t>& lengths, std::vector<uint8_t>* out);

std::vector<float> widened(const void* elements, Dtype dtype, size_t count);

// Adds the value of a bucket to an element whose value is `before`, and returns the new value. If the sum is not
// finite, the element at `element` keeps its bits.
float add_bucket_value(float before, float value, Dtype dtype, uint8_t* element);

}  // namespace firn
