#include "optimizer_state/symbol_field.h"

#include <algorithm>
#include <new>

#include "common/varint.h"
#include "firn/context_coder.h"
#include "optimizer_state/zigzag.h"

namespace firn {
namespace {

// Every segment has a slot of its own, while there are enough.
struct Slots {
  explicit Slots(const StateLayout& layout) : counts(layout.segment_count), slots(layout.segment_count) {
    for (size_t i = 0; i < layout.segment_count; ++i) {
      counts[i] = layout.segments[i].count;
      slots[i] = static_cast<uint32_t>(std::min<size_t>(i, kContextSlotsMax - 1));
    }
  }
  uint32_t size() const { return slots.empty() ? 0 : slots.back() + 1; }

  std::vector<uint32_t> counts, slots;
};

ContextLayout context_layout(const StateLayout& layout, const std::vector<uint8_t>& contexts, const Slots& slots) {
  return {contexts.data(), layout.count, slots.counts.data(), slots.slots.data(), layout.segment_count};
}

}  // namespace

void append_symbols(const StateLayout& layout, const std::vector<uint8_t>& contexts,
                    const std::vector<int32_t>& numbers, std::vector<uint8_t>* out) {
  const Slots slots(layout);
  std::vector<uint8_t> symbols(layout.count);
  std::vector<uint32_t> escapes;
  for (size_t i = 0; i < layout.count; ++i) {
    const uint32_t value = to_zigzag(numbers[i]);
    symbols[i] = static_cast<uint8_t>(std::min<uint32_t>(value, kContextEscape));
    if (value >= kContextEscape) escapes.push_back(value - kContextEscape);
  }
  const ContextBlock block{context_layout(layout, contexts, slots), symbols.data(), escapes.data(), escapes.size()};
  ContextCounts counts;
  ContextTables tables;
  std::vector<uint8_t> payload;
  Status status = counts.add(block);
  if (status == Status::ok) status = counts.build(slots.size(), &tables);
  if (status == Status::ok) status = tables.encode(block, &payload);
  // The code above ensures valid ranges, so only memory can fail.
  if (status != Status::ok) throw std::bad_alloc();
  const std::vector<uint8_t> stored = tables.serialize();
  append_varint(static_cast<uint32_t>(stored.size()), out);
  out->insert(out->end(), stored.begin(), stored.end());
  out->insert(out->end(), payload.begin(), payload.end());
}

Status read_symbols(ByteReader in, const StateLayout& layout, const std::vector<uint8_t>& contexts,
                    std::vector<int32_t>* numbers) {
  const Slots slots(layout);
  uint32_t size;
  if (const Status status = in.varint(&size); status != Status::ok) return status;
  const uint8_t* const stored = in.take(size);
  if (!stored) return Status::truncated;
  ContextTables tables;
  if (const Status status = ContextTables::parse(stored, size, slots.size(), &tables); status != Status::ok)
    return status;
  std::vector<uint8_t> symbols(layout.count);
  std::vector<uint32_t> escapes;
  const size_t left = in.left();
  const Status status =
      tables.decode(in.take(left), left, context_layout(layout, contexts, slots), symbols.data(), &escapes);
  if (status != Status::ok) return status;
  numbers->resize(layout.count);
  auto escape = escapes.begin();
  for (size_t i = 0; i < layout.count; ++i) {
    uint64_t value = symbols[i];
    if (value == kContextEscape) value += *escape++;
    if (value > to_zigzag(-kStateNumberMax)) return Status::corrupt;
    (*numbers)[i] = from_zigzag(static_cast<uint32_t>(value));
  }
  return Status::ok;
}

}  // namespace firn
