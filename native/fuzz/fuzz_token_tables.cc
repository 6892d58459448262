// Fuzz target: TokenTables::parse and decode on hostile bytes. Accepted tables must be the only encoding of their
// meaning.
//
// Input: table size (u16 LE), modulus - 1, flags (bit 0: with previous levels), element count (u16 LE), then the
// tables, the previous levels, and the payload.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/bytes.h"
#include "firn/delta.h"
#include "input_reader.h"

namespace {

constexpr size_t kHeaderBytes = 6;
constexpr size_t kElementsMax = 4096;  // keeps one input fast

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;
  if (size < kHeaderBytes) return 0;
  const uint32_t modulus = data[2] + 1u;
  const bool with_previous = data[3] & 1;
  const size_t count = load_le<uint16_t>(data + 4) % (kElementsMax + 1);
  const size_t table_size = std::min<size_t>(load_le<uint16_t>(data), size - kHeaderBytes);
  const uint8_t* const table = data + kHeaderBytes;
  const uint8_t* const rest = table + table_size;
  const size_t rest_size = size - kHeaderBytes - table_size;
  if (with_previous && rest_size < count) return 0;

  TokenTables tables;
  if (TokenTables::parse(table, table_size, &tables) != Status::ok) return 0;
  require(tables.serialize() == std::vector<uint8_t>(table, table + table_size));

  const uint8_t* const previous = with_previous ? rest : nullptr;
  const uint8_t* const payload = rest + (with_previous ? count : 0);
  const size_t payload_size = rest_size - (with_previous ? count : 0);
  std::vector<uint8_t> levels(count);
  if (tables.decode(payload, payload_size, previous, count, modulus, levels.data()) != Status::ok) return 0;
  for (const uint8_t level : levels) require(level < modulus);
  std::vector<uint8_t> again;
  require(tables.encode(previous, levels.data(), count, modulus, &again) == Status::ok);
  require(again == std::vector<uint8_t>(payload, payload + payload_size));
  return 0;
}
