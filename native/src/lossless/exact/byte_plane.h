// One byte plane of a block, coded on its own: raw, constant, or order-0 rANS if that saves enough.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/byte_reader.h"
#include "entropy/rans.h"
#include "firn/status.h"

namespace firn {

SymbolCounts count_bytes(const uint8_t* bytes, size_t count);

// Coded size in bytes, close enough to choose by: exact for raw and constant planes, an estimate of table and padding
// else.
uint64_t byte_plane_cost(const SymbolCounts& counts, size_t count);

// The bytes of a plane, wherever they are.
class PlaneBytes {
 public:
  virtual ~PlaneBytes() = default;
  // Append rans_encode() of them, and the bytes themselves. False when they cannot be had.
  virtual bool append_coded(const RansModel& model, std::vector<uint8_t>* out) const = 0;
  virtual bool append(std::vector<uint8_t>* out) const = 0;
};

// Appends the plane; `count` >= 1, `counts` are those of `plane`. False when its bytes cannot be had.
bool encode_byte_plane(const PlaneBytes& plane, size_t count, const SymbolCounts& counts, std::vector<uint8_t>* out);

// Points *plane at `count` bytes: into the input for a raw plane, else at *decoded, which is allocated.
Status decode_byte_plane(ByteReader& in, size_t count, std::unique_ptr<uint8_t[]>* decoded, const uint8_t** plane);

}  // namespace firn
