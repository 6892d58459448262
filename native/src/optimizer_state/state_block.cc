// Picks the coder of a state block by its kind, and stores blocks exact that the coder cannot represent.
#include <algorithm>
#include <new>
#include <span>

#include "common/bytes.h"
#include "firn/delta.h"
#include "firn/lossless.h"
#include "optimizer_state/state_coder.h"

namespace firn {
namespace {

bool is_valid(const StateLayout& layout) {
  if (layout.count > kBlockElementsMax || layout.segment_count > kBlockElementsMax) return false;
  size_t count = 0;
  for (const StateSegment& segment : std::span(layout.segments, layout.segment_count)) {
    if (segment.count > kBlockElementsMax || segment.column >= std::max(segment.columns, 1u)) return false;
    count += segment.count;
  }
  return count == layout.count;
}

// Whether a block of this kind may have the given reference.
bool is_reference(StateKind kind, const void* reference) {
  switch (kind) {
    case StateKind::second_moment: return true;
    case StateKind::first_moment: return reference != nullptr;
    case StateKind::momentum:
    case StateKind::clusters: return reference == nullptr;
  }
  return false;
}

StateBits bits_of(const void* values, size_t count) {
  StateBits bits(values ? count : 0);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = load_le<uint32_t>(static_cast<const uint8_t*>(values) + 4 * i);
  return bits;
}

bool encode(StateKind kind, const StateBits& values, const StateBits& reference, const StateLayout& layout,
            std::vector<uint8_t>* out) {
  switch (kind) {
    case StateKind::second_moment: return encode_second_moments(values, reference, layout, out);
    case StateKind::first_moment: return encode_first_moments(values, reference, layout, out);
    case StateKind::momentum: return encode_momentum(values, layout, out);
    case StateKind::clusters: return encode_clusters(values, layout, out);
  }
  return false;
}

Status decode(StateKind kind, ByteReader in, const StateBits& reference, const StateLayout& layout, StateBits* out) {
  switch (kind) {
    case StateKind::second_moment: return decode_second_moments(in, reference, layout, out);
    case StateKind::first_moment: return decode_first_moments(in, reference, layout, out);
    case StateKind::momentum: return decode_momentum(in, layout, out);
    case StateKind::clusters: return decode_clusters(in, layout, out);
  }
  return Status::invalid_argument;
}

// The payload of a mode, or empty if the coder cannot represent an element.
std::vector<uint8_t> coded(StateMode mode, StateKind kind, const StateBits& values, const StateBits& reference,
                           const StateLayout& layout) {
  std::vector<uint8_t> payload{static_cast<uint8_t>(mode)};
  if (!encode(kind, values, reference, layout, &payload)) payload.clear();
  return payload;
}

}  // namespace

Status state_encode(StateKind kind, const void* values, const void* reference, const StateLayout& layout,
                    std::vector<uint8_t>* out) try {
  if (kind > StateKind::clusters || !is_valid(layout) || !is_reference(kind, reference))
    return Status::invalid_argument;
  const StateBits bits = bits_of(values, layout.count), other = bits_of(reference, layout.count);
  const bool may_go_on = kind == StateKind::second_moment;
  std::vector<uint8_t> payload = coded(StateMode::alone, kind, bits, may_go_on ? StateBits() : other, layout);
  if (may_go_on && reference && !payload.empty()) {
    std::vector<uint8_t> with_previous = coded(StateMode::with_previous, kind, bits, other, layout);
    if (with_previous.size() < payload.size()) payload = std::move(with_previous);
  }
  if (payload.empty()) {
    payload.push_back(static_cast<uint8_t>(StateMode::exact));
    if (const Status status = exact_encode(values, nullptr, layout.count, ElementKind::f32, &payload);
        status != Status::ok)
      return status;
  }
  out->insert(out->end(), payload.begin(), payload.end());
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status state_decode(StateKind kind, const uint8_t* bytes, size_t size, const void* reference, const StateLayout& layout,
                    void* out) try {
  if (kind > StateKind::clusters || !is_valid(layout) || !is_reference(kind, reference))
    return Status::invalid_argument;
  if (size == 0) return Status::truncated;
  const auto mode = static_cast<StateMode>(bytes[0]);
  if (mode > StateMode::with_previous) return Status::unsupported;
  if (mode == StateMode::exact) {
    if (size > 1 && !exact_is_standalone(bytes + 1, size - 1)) return Status::corrupt;
    return exact_decode(bytes + 1, size - 1, nullptr, layout.count, ElementKind::f32, out);
  }
  const bool goes_on = mode == StateMode::with_previous;
  if (goes_on && kind != StateKind::second_moment) return Status::corrupt;
  if (goes_on && !reference) return Status::invalid_argument;
  const bool uses_reference = goes_on || kind == StateKind::first_moment;
  const StateBits other = uses_reference ? bits_of(reference, layout.count) : StateBits();
  StateBits rebuilt(layout.count);
  const Status status = decode(kind, ByteReader(bytes + 1, size - 1), other, layout, &rebuilt);
  for (size_t i = 0; status == Status::ok && i < layout.count; ++i)
    store_le(static_cast<uint8_t*>(out) + 4 * i, rebuilt[i]);
  return status;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

bool state_needs_previous(const uint8_t* bytes, size_t) {
  return bytes[0] == static_cast<uint8_t>(StateMode::with_previous);
}

}  // namespace firn
