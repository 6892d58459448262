// Picks the way to code a block (lossless/coder.h) and keeps the choice in the first byte.
#include <algorithm>
#include <cstring>
#include <new>

#include "firn/lossless.h"
#include "lossless/coder.h"
#include "lossless/element.h"

namespace firn {
namespace {

// Pinned (docs/format-blocks.md, "Exact blocks").
enum class ExactMode : uint8_t {
  raw = 0,
  constant = 1,             // every element is the one that follows
  planes = 2,
  adaptive = 3,
  same = 4,                 // the previous block
  planes_xor = 5,
  difference = 6,
  adaptive_difference = 7,
};
constexpr ExactMode kFirstModeWithPrevious = ExactMode::same;

bool is_constant(const ExactInput& input) {
  const size_t size = element_bytes(input.kind);
  return std::memcmp(input.current, input.current + size, input.bytes() - size) == 0;
}

// The shortest of several payloads; ties keep the earlier one.
class Shortest {
 public:
  // `write` appends a payload without its mode byte.
  template <typename Write>
  void offer(ExactMode mode, const ExactInput& input, Write write) {
    std::vector<uint8_t> candidate;
    candidate.reserve(1 + input.bytes());
    candidate.push_back(static_cast<uint8_t>(mode));
    write(&candidate);
    if (best_.empty() || candidate.size() < best_.size()) best_ = std::move(candidate);
  }
  const std::vector<uint8_t>& payload() const { return best_; }

 private:
  std::vector<uint8_t> best_;
};

// Small blocks: everything is tried but the difference mode with stored tables, whose adaptive twin learns them for less.
void offer_all(const ExactInput& input, Shortest* shortest) {
  shortest->offer(ExactMode::planes, input, [&](auto* out) { encode_planes(input, plan_planes(input, false), out); });
  if (adaptive_alone_supports(input.kind)) {
    shortest->offer(ExactMode::adaptive, input, [&](auto* out) { encode_adaptive_alone(input, out); });
  }
  if (!input.previous) return;
  shortest->offer(ExactMode::planes_xor, input, [&](auto* out) { encode_planes(input, plan_planes(input, true), out); });
  shortest->offer(ExactMode::adaptive_difference, input, [&](auto* out) { encode_adaptive_difference(input, out); });
}

// Large blocks: estimates decide which one is written. XOR planes are for integers only: differences of floats in the order of their
// numbers were smaller on every checkpoint measured.
void offer_cheapest(const ExactInput& input, Shortest* shortest) {
  const PlanesPlan alone = plan_planes(input, false);
  if (input.previous) {
    const DifferencePlan difference = plan_difference(input);
    const bool is_float = with_element(input.kind, [](auto element) { return decltype(element)::kFloat; });
    const PlanesPlan changed = is_float ? PlanesPlan{nullptr, {}, ~uint64_t{0}} : plan_planes(input, true);
    if (difference.cost < std::min(alone.cost, changed.cost)) {
      return shortest->offer(ExactMode::difference, input, [&](auto* out) { encode_difference(input, difference, out); });
    }
    if (changed.cost < alone.cost) {
      return shortest->offer(ExactMode::planes_xor, input, [&](auto* out) { encode_planes(input, changed, out); });
    }
  }
  shortest->offer(ExactMode::planes, input, [&](auto* out) { encode_planes(input, alone, out); });
}

}  // namespace

Status exact_encode(const void* current, const void* previous, size_t count, ElementKind kind, std::vector<uint8_t>* out) try {
  if (kind > ElementKind::word64 || count > kExactBytesMax / element_bytes(kind)) return Status::invalid_argument;
  const ExactInput input{static_cast<const uint8_t*>(current), static_cast<const uint8_t*>(previous), count, kind};
  const auto append = [&](ExactMode mode, const uint8_t* bytes, size_t size) {
    out->push_back(static_cast<uint8_t>(mode));
    out->insert(out->end(), bytes, bytes + size);
    return Status::ok;
  };
  if (count == 0) return append(ExactMode::raw, nullptr, 0);
  if (input.previous && std::memcmp(input.current, input.previous, input.bytes()) == 0) return append(ExactMode::same, nullptr, 0);
  if (count > 1 && is_constant(input)) return append(ExactMode::constant, input.current, element_bytes(kind));
  Shortest shortest;
  if (count <= kAdaptiveElementsMax) offer_all(input, &shortest);
  else offer_cheapest(input, &shortest);
  if (shortest.payload().size() > input.bytes()) return append(ExactMode::raw, input.current, input.bytes());
  out->insert(out->end(), shortest.payload().begin(), shortest.payload().end());
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status exact_decode(const uint8_t* bytes, size_t size, const void* previous, size_t count, ElementKind kind, void* out) try {
  if (kind > ElementKind::word64 || count > kExactBytesMax / element_bytes(kind)) return Status::invalid_argument;
  if (size == 0) return Status::truncated;
  const ExactOutput output{static_cast<uint8_t*>(out), static_cast<const uint8_t*>(previous), count, kind};
  const auto mode = static_cast<ExactMode>(bytes[0]);
  ByteReader in(bytes + 1, size - 1);
  if (mode > ExactMode::adaptive_difference) return Status::unsupported;
  if (mode >= kFirstModeWithPrevious && !previous) return Status::invalid_argument;
  if (count == 0 && mode != ExactMode::raw) return Status::corrupt;
  const auto copy = [&](const void* from, size_t times, size_t length) {
    for (size_t i = 0; i < times && length > 0; ++i) std::memcpy(output.current + i * length, from, length);
    return Status::ok;
  };
  const auto exactly = [&](size_t expected) {
    return in.left() == expected ? Status::ok : in.left() < expected ? Status::truncated : Status::corrupt;
  };
  switch (mode) {
    case ExactMode::raw: {
      const Status status = exactly(output.bytes());
      return status == Status::ok ? copy(in.take(output.bytes()), 1, output.bytes()) : status;
    }
    case ExactMode::constant: {
      const Status status = exactly(element_bytes(kind));
      return status == Status::ok ? copy(in.take(element_bytes(kind)), count, element_bytes(kind)) : status;
    }
    case ExactMode::same: {
      const Status status = exactly(0);
      return status == Status::ok ? copy(previous, 1, output.bytes()) : status;
    }
    case ExactMode::planes: return decode_planes(in, false, output);
    case ExactMode::planes_xor: return decode_planes(in, true, output);
    case ExactMode::difference: return decode_difference(in, output);
    case ExactMode::adaptive:
      return count <= kAdaptiveElementsMax ? decode_adaptive_alone(in, output) : Status::corrupt;
    case ExactMode::adaptive_difference:
      return count <= kAdaptiveElementsMax ? decode_adaptive_difference(in, output) : Status::corrupt;
  }
  return Status::corrupt;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

bool exact_is_standalone(const uint8_t* bytes, size_t) {
  return bytes[0] < static_cast<uint8_t>(kFirstModeWithPrevious) || bytes[0] > static_cast<uint8_t>(ExactMode::adaptive_difference);
}

}  // namespace firn
