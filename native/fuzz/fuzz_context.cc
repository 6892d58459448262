// Fuzz target: ContextTables::parse and decode on hostile bytes, at every instruction set level. Accepted tables must
// be the only encoding of their meaning; a block that decodes must encode and decode to itself.
//
// Input: table size (u16 LE), slots - 1, number of context bytes, element count (u16 LE), then the tables, the context
// bytes, which repeat over the block, and the payload. The block has three segments: of the first slot, the middle one
// and the last one.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/bytes.h"
#include "firn/context_coder.h"
#include "input_reader.h"
#include "simd/each_isa.h"

namespace {

using namespace firn;
using Bytes = std::vector<uint8_t>;

constexpr size_t kHeaderBytes = 6;

struct Decoded {
  Status status;
  Bytes symbols;
  std::vector<uint32_t> escapes;
};

Decoded decode(const ContextTables& tables, const uint8_t* payload, size_t size, const ContextLayout& layout) {
  Decoded result{Status::ok, Bytes(layout.count), {}};
  result.status = tables.decode(payload, size, layout, result.symbols.data(), &result.escapes);
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kHeaderBytes) return 0;
  const uint32_t slots = data[2] + 1u;
  const size_t count = load_le<uint16_t>(data + 4);  // enough for every number of lanes
  const size_t table_size = std::min<size_t>(load_le<uint16_t>(data), size - kHeaderBytes);
  const uint8_t* const table = data + kHeaderBytes;
  const uint8_t* const given = table + table_size;
  const size_t given_size = std::min<size_t>(data[3], size - kHeaderBytes - table_size);
  const uint8_t* const payload = given + given_size;
  const size_t payload_size = size - kHeaderBytes - table_size - given_size;

  ContextTables tables;
  if (ContextTables::parse(table, table_size, slots, &tables) != Status::ok) return 0;
  require(tables.serialize() == Bytes(table, table + table_size));

  Bytes contexts(count, 0);
  for (size_t i = 0; given_size > 0 && i < count; ++i) contexts[i] = given[i % given_size] % kContextsMax;
  const auto third = static_cast<uint32_t>(count / 3);
  const uint32_t counts[3] = {third, third, static_cast<uint32_t>(count) - 2 * third},
                 at[3] = {0, slots / 2, slots - 1};
  const ContextLayout layout{contexts.data(), count, counts, at, 3};

  limit_isa(Isa::scalar);
  const Decoded plain = decode(tables, payload, payload_size, layout);
  for_each_isa([&] {
    const Decoded fast = decode(tables, payload, payload_size, layout);
    require(fast.status == plain.status);
    require(plain.status != Status::ok || (fast.symbols == plain.symbols && fast.escapes == plain.escapes));
  });
  if (plain.status != Status::ok) return 0;
  require(
      std::all_of(plain.symbols.begin(), plain.symbols.end(), [](uint8_t symbol) { return symbol < kContextSymbols; }));
  Bytes again;
  require(tables.encode({layout, plain.symbols.data(), plain.escapes.data(), plain.escapes.size()}, &again) ==
          Status::ok);
  const Decoded second = decode(tables, again.data(), again.size(), layout);
  require(second.status == Status::ok && second.symbols == plain.symbols && second.escapes == plain.escapes);
  return 0;
}
