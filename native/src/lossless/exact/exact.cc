// Picks the way to code a block (lossless/exact/coder.h) and stores the choice in the first byte.
#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "common/bytes.h"
#include "firn/delta.h"
#include "firn/lossless.h"
#include "lossless/exact/coder.h"
#include "lossless/exact/element.h"

namespace firn {
namespace {

// Pinned (docs/format-blocks.md, "Exact blocks").
enum class ExactMode : uint8_t {
  raw = 0,
  constant = 1,  // every element is the one that follows
  planes = 2,
  adaptive = 3,
  same = 4,  // the previous block
  planes_xor = 5,
  difference = 6,
  adaptive_difference = 7,
  exponents = 8,
  context_difference = 9,
};
constexpr ExactMode kLastMode = ExactMode::context_difference;

constexpr bool needs_previous(ExactMode mode) {
  return mode >= ExactMode::same && mode <= kLastMode && mode != ExactMode::exponents;
}

bool is_constant(const ExactInput& input) {
  const size_t size = element_bytes(input.kind);
  return std::memcmp(input.current, input.current + size, input.bytes() - size) == 0;
}

bool is_float(ElementKind kind) {
  return with_element(kind, [](auto element) { return decltype(element)::kFloat; });
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

// Small blocks: tries every mode except the difference mode with stored tables, whose adaptive twin learns them at
// lower cost.
void offer_all(const ExactInput& input, Shortest* shortest) {
  shortest->offer(ExactMode::planes, input, [&](auto* out) { encode_planes(input, plan_planes(input, false), out); });
  if (adaptive_alone_supports(input.kind)) {
    shortest->offer(ExactMode::adaptive, input, [&](auto* out) { encode_adaptive_alone(input, out); });
  }
  if (!input.previous) return;
  shortest->offer(ExactMode::planes_xor, input,
                  [&](auto* out) { encode_planes(input, plan_planes(input, true), out); });
  shortest->offer(ExactMode::adaptive_difference, input, [&](auto* out) { encode_adaptive_difference(input, out); });
}

// The lowest bits of words that are spread over a block, in runs that are in few lines of a cache.
struct LowBits {
  uint32_t counts[128] = {}, looked_at = 0, sampled = 0;

  // `word(i)` gives the word of element i, which `fetch(i)` has prefetched; `skip_zeros` leaves out words that are 0.
  template <typename Fetch, typename Word>
  LowBits(size_t count, bool skip_zeros, Fetch fetch, Word word) {
    constexpr size_t kRuns = 64, kRun = 16;
    const size_t run = std::min(kRun, count), step = std::max<size_t>(1, (count - run) / kRuns);
    for (size_t at = 0; at + run <= count; at += step) fetch(at);
    for (size_t at = 0; at + run <= count; at += step) {
      for (size_t i = at; i < at + run; ++i) {
        const uint64_t bits = word(i);
        const uint32_t counted = !skip_zeros || bits != 0;
        ++looked_at;
        counts[bits & 0x7F] += counted;
        sampled += counted;
      }
    }
  }
  uint32_t most() const { return *std::max_element(std::begin(counts), std::end(counts)); }
};

// Whether the lowest bits of floats, which the context modes store raw, are far from random: weights made from a
// shorter type, or pruned ones.
bool has_uneven_low_bits(const ExactInput& input) {
  constexpr uint32_t kShare = 8;  // one value in an eighth of them; of 128 random ones it is in a hundredth
  const size_t size = element_bytes(input.kind);
  const LowBits bits(
      input.count, false, [&](size_t i) { __builtin_prefetch(input.current + i * size); },
      [&](size_t i) { return uint64_t{input.current[i * size]}; });
  return bits.most() > bits.sampled / kShare;
}

// Whether most floats changed, and nearly all of them by the same low bits: negated or scaled by a power of two, which
// no difference of numbers shows.
bool has_even_xor(const ExactInput& input) {
  return with_element(input.kind, [&](auto element) {
    using Word = typename decltype(element)::Word;
    const LowBits bits(
        input.count, true,
        [&](size_t i) {
          __builtin_prefetch(input.current + i * sizeof(Word));
          __builtin_prefetch(input.previous + i * sizeof(Word));
        },
        [&](size_t i) {
          return uint64_t{static_cast<Word>(load_le<Word>(input.current + i * sizeof(Word)) ^
                                            load_le<Word>(input.previous + i * sizeof(Word)))};
        });
    return bits.sampled > bits.looked_at / 2 && bits.most() > bits.sampled / 4 * 3;
  });
}

// Whether a cost is below an estimate by more than the error of an estimate from a part of a block.
constexpr bool is_far_below(uint64_t cost, uint64_t estimate) { return cost < estimate - estimate / 16; }

// Large blocks: estimates decide which mode is written.
Status encode_large(ExactPasses& passes, const ExactInput& input, std::vector<uint8_t>* out) {
  constexpr uint64_t kNever = ~uint64_t{0};
  const bool with_contexts = input.count <= kBlockElementsMax;
  const bool exponents = with_contexts && exponents_supports(input.kind);
  const bool context_difference = input.previous && with_contexts && context_difference_supports(input.kind);
  const bool uneven = is_float(input.kind) && has_uneven_low_bits(input);
  std::optional<ContextDifferencePlan> difference;
  if (context_difference) difference = passes.plan_context_difference(input);
  const bool alone_may_pay =
      (!exponents || uneven) && !(difference && is_far_below(difference->cost, estimate_planes(input)));
  const PlanesPlan alone = alone_may_pay ? passes.plan_planes(input, false) : PlanesPlan{nullptr, {}, kNever};
  // Differences of floats in the order of their numbers were smaller than XOR on every checkpoint of a training
  // measured.
  const bool xor_may_pay = input.previous && (!is_float(input.kind) || uneven || has_even_xor(input));
  const PlanesPlan changed = xor_may_pay ? passes.plan_planes(input, true) : PlanesPlan{nullptr, {}, kNever};
  const uint64_t exponents_cost = exponents ? estimate_exponents(input) : kNever;
  const uint64_t least = std::min({alone.cost, changed.cost, exponents_cost});
  const auto write = [&](ExactMode mode, auto encode) {
    out->push_back(static_cast<uint8_t>(mode));
    return encode();
  };
  if (difference) {
    if (difference->cost < least)
      return write(ExactMode::context_difference,
                   [&] { return passes.encode_context_difference(input, *difference, out); });
  } else if (input.previous) {
    const DifferencePlan plan = plan_difference(input);
    if (plan.cost < least)
      return write(ExactMode::difference, [&] { return encode_difference(input, plan, out), Status::ok; });
  }
  if (changed.cost < std::min(alone.cost, exponents_cost)) {
    return write(ExactMode::planes_xor, [&] { return passes.encode_planes(input, changed, true, out), Status::ok; });
  }
  if (exponents_cost <= alone.cost)
    return write(ExactMode::exponents, [&] { return passes.encode_exponents(input, out); });
  return write(ExactMode::planes, [&] { return passes.encode_planes(input, alone, false, out), Status::ok; });
}

}  // namespace

Status exact_encode(const void* current, const void* previous, size_t count, ElementKind kind,
                    std::vector<uint8_t>* out) {
  ExactPasses passes;
  return exact_encode_with(passes, current, previous, count, kind, out);
}

Status exact_encode_with(ExactPasses& passes, const void* current, const void* previous, size_t count,
                         ElementKind kind, std::vector<uint8_t>* out) try {
  if (kind > ElementKind::word64 || count > kExactBytesMax / element_bytes(kind)) return Status::invalid_argument;
  const ExactInput input{static_cast<const uint8_t*>(current), static_cast<const uint8_t*>(previous), count, kind};
  const auto append = [&](ExactMode mode, const uint8_t* bytes, size_t size) {
    out->push_back(static_cast<uint8_t>(mode));
    out->insert(out->end(), bytes, bytes + size);
    return Status::ok;
  };
  if (count == 0) return append(ExactMode::raw, nullptr, 0);
  if (input.previous && std::memcmp(input.current, input.previous, input.bytes()) == 0)
    return append(ExactMode::same, nullptr, 0);
  if (count > 1 && is_constant(input)) return append(ExactMode::constant, input.current, element_bytes(kind));
  const size_t begin = out->size();
  // A longer payload is never stored. Without reserve(), a payload that grows piece by piece would be moved repeatedly.
  out->reserve(begin + 1 + input.bytes());
  if (count <= kAdaptiveTriedMax) {
    Shortest shortest;
    offer_all(input, &shortest);
    out->insert(out->end(), shortest.payload().begin(), shortest.payload().end());
  } else if (const Status status = encode_large(passes, input, out); status != Status::ok) {
    out->resize(begin);
    return status;
  }
  if (out->size() - begin <= input.bytes()) return Status::ok;
  out->resize(begin);
  return append(ExactMode::raw, input.current, input.bytes());
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status exact_decode(const uint8_t* bytes, size_t size, const void* previous, size_t count, ElementKind kind,
                    void* out) try {
  if (kind > ElementKind::word64 || count > kExactBytesMax / element_bytes(kind)) return Status::invalid_argument;
  if (size == 0) return Status::truncated;
  const ExactOutput output{static_cast<uint8_t*>(out), static_cast<const uint8_t*>(previous), count, kind};
  const auto mode = static_cast<ExactMode>(bytes[0]);
  ByteReader in(bytes + 1, size - 1);
  if (mode > kLastMode) return Status::unsupported;
  if (needs_previous(mode) && !previous) return Status::invalid_argument;
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
    case ExactMode::exponents: return decode_exponents(in, output);
    case ExactMode::context_difference: return decode_context_difference(in, output);
  }
  return Status::corrupt;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

bool exact_is_standalone(const uint8_t* bytes, size_t) { return !needs_previous(static_cast<ExactMode>(bytes[0])); }

}  // namespace firn
