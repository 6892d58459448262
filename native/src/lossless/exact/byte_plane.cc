#include "lossless/exact/byte_plane.h"

#include <algorithm>
#include <cstring>

#include "common/bytes.h"
#include "common/fixed_log2.h"
#include "common/varint.h"

namespace firn {
namespace {

enum class PlaneMethod : uint8_t { raw = 0, constant = 1, rans = 2 };  // pinned (docs/format-blocks.md, "Byte planes")

// Cost of a table beside the entropy: about 7 bits a symbol, and states, lengths and method.
constexpr uint64_t kPlaneTableBitsPerSymbol = 7;
constexpr uint64_t kPlaneFixedBytes = 12;
// A plane stays raw unless coding saves at least this share of it: mantissas save under one hundredth and would halve
// the speed.
constexpr uint64_t kWorthwhileShare = 64;

}  // namespace

SymbolCounts count_bytes(const uint8_t* bytes, size_t count) {
  // Four tables, so that equal neighbours do not wait for one another's increment.
  std::array<SymbolCounts, 4> part{};
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const uint64_t word = load_le<uint64_t>(bytes + i);
    for (uint32_t b = 0; b < 8; ++b) ++part[b % 4][(word >> (8 * b)) & 0xFF];
  }
  for (; i < count; ++i) ++part[0][bytes[i]];
  for (size_t s = 0; s < 256; ++s) part[0][s] += part[1][s] + part[2][s] + part[3][s];
  return part[0];
}

uint64_t byte_plane_cost(const SymbolCounts& counts, size_t count) {
  const auto symbols =
      static_cast<uint64_t>(std::count_if(counts.begin(), counts.end(), [](uint32_t c) { return c != 0; }));
  if (symbols <= 1) return 2;
  const uint64_t entropy_bytes = (entropy_cost(counts) >> kLog2FractionBits) / 8;
  const uint64_t coded_bytes = entropy_bytes + symbols * kPlaneTableBitsPerSymbol / 8 + kPlaneFixedBytes;
  return 1 + (coded_bytes < count - count / kWorthwhileShare ? coded_bytes : count);
}

bool encode_byte_plane(const PlaneBytes& plane, size_t count, const SymbolCounts& counts, std::vector<uint8_t>* out) {
  if (const auto only = std::find(counts.begin(), counts.end(), static_cast<uint32_t>(count)); only != counts.end()) {
    out->push_back(static_cast<uint8_t>(PlaneMethod::constant));
    out->push_back(static_cast<uint8_t>(only - counts.begin()));
    return true;
  }
  const size_t begin = out->size();
  if (byte_plane_cost(counts, count) < 1 + count) {
    out->push_back(static_cast<uint8_t>(PlaneMethod::rans));
    const RansModel model = rans_model({counts});
    std::vector<uint8_t> table;
    RangeEncoder encoder(&table);
    write_rans_model(encoder, model);
    encoder.finish();
    append_varint(static_cast<uint32_t>(table.size()), out);
    out->insert(out->end(), table.begin(), table.end());
    if (!plane.append_coded(model, out)) return false;
    if (out->size() - begin < 1 + count) return true;
    out->resize(begin);
  }
  out->push_back(static_cast<uint8_t>(PlaneMethod::raw));
  return plane.append(out);
}

Status decode_byte_plane(ByteReader& in, size_t count, std::unique_ptr<uint8_t[]>* decoded, const uint8_t** plane) {
  const uint8_t* const method = in.take(1);
  if (!method) return Status::truncated;
  switch (static_cast<PlaneMethod>(*method)) {
    case PlaneMethod::raw: {
      *plane = in.take(count);
      return *plane ? Status::ok : Status::truncated;
    }
    case PlaneMethod::constant: {
      const uint8_t* const value = in.take(1);
      if (!value) return Status::truncated;
      *decoded = std::make_unique_for_overwrite<uint8_t[]>(count);
      std::memset(decoded->get(), *value, count);
      *plane = decoded->get();
      return Status::ok;
    }
    case PlaneMethod::rans: {
      uint32_t table_size = 0;
      if (const Status status = in.varint(&table_size); status != Status::ok) return status;
      const uint8_t* const table = in.take(table_size);
      if (!table) return Status::truncated;
      RangeDecoder decoder(table, table_size);
      RansModel model;
      if (!read_rans_model(decoder, 1, &model) || !decoder.finished()) return Status::corrupt;
      *decoded = std::make_unique_for_overwrite<uint8_t[]>(count);
      *plane = decoded->get();
      return rans_decode(in, nullptr, count, model, decoded->get());
    }
  }
  return Status::corrupt;
}

}  // namespace firn
