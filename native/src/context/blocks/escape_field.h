// Escape values of a block as one bit field: Exp-Golomb codes, most significant bit first, zero-padded to a byte.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "common/bit_reader.h"
#include "common/bit_writer.h"
#include "firn/status.h"

namespace firn {

// Bit length of value + 1, less one: the length of the unary part without its end.
inline uint32_t escape_length(uint32_t value) { return static_cast<uint32_t>(std::bit_width(uint64_t{value} + 1)) - 1; }

inline uint64_t escape_bits(uint32_t value) { return 2 * uint64_t{escape_length(value)} + 1; }

inline constexpr uint32_t kEscapeLengthMax = 32;
inline constexpr uint32_t kEscapeBytesMax = 9;  // of one code, rounded up

inline std::vector<uint8_t> write_escapes(const uint32_t* escapes, size_t count) {
  std::vector<uint8_t> field(count * kEscapeBytesMax + BitWriter::kSlackBytes);
  BitWriter writer(field.data());
  for (size_t i = 0; i < count; ++i) {
    const uint32_t length = escape_length(escapes[i]);
    writer.put((uint64_t{1} << (length + 1)) - 2, length + 1);  // ones, then a zero
    writer.put((uint64_t{escapes[i]} + 1) & ((uint64_t{1} << length) - 1), length);
  }
  field.resize(writer.finish());
  return field;
}

// Reads `count` values that fill the field.
inline Status read_escapes(const uint8_t* bytes, size_t size, size_t count, std::vector<uint32_t>* escapes) {
  // A value takes at least one bit, so a declared number is refused if the bytes cannot hold as many.
  if (count > 8 * size) return Status::truncated;
  escapes->resize(count);
  BitReader reader(bytes, size);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t length = static_cast<uint32_t>(std::countl_one(reader.peek()));
    if (length > kEscapeLengthMax) return Status::corrupt;
    reader.skip(length + 1);
    const uint64_t value = (uint64_t{1} << length | reader.take(length)) - 1;
    if (value > 0xFFFFFFFFu) return Status::corrupt;
    (*escapes)[i] = static_cast<uint32_t>(value);
  }
  if (reader.overrun()) return Status::truncated;
  return reader.at_zero_padded_end() ? Status::ok : Status::corrupt;
}

}  // namespace firn
