// Byte planes: rotated words (lossless/exact/element.h) cut into bytes, most significant plane first.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "common/bytes.h"
#include "common/fixed_log2.h"
#include "lossless/exact/byte_plane.h"
#include "lossless/exact/coder.h"
#include "lossless/exact/element.h"

namespace firn {
namespace {

template <typename E, bool kXor>
void split(const ExactInput& input, uint8_t* __restrict planes) {
  using Word = typename E::Word;
  const uint8_t* __restrict const current = input.current;
  const uint8_t* __restrict const previous = input.previous;
  const size_t count = input.count;
  for (size_t i = 0; i < count; ++i) {
    Word word = load_le<Word>(current + i * sizeof(Word));
    if constexpr (kXor) word = static_cast<Word>(word ^ load_le<Word>(previous + i * sizeof(Word)));
    const Word rotated = E::to_rotated(word);
    for (size_t k = 0; k < sizeof(Word); ++k) {
      planes[k * count + i] = static_cast<uint8_t>(rotated >> (8 * (sizeof(Word) - 1 - k)));
    }
  }
}

template <typename E, bool kXor>
void join(const std::array<const uint8_t*, sizeof(typename E::Word)>& planes, const ExactOutput& output) {
  using Word = typename E::Word;
  uint8_t* __restrict const current = output.current;
  const uint8_t* __restrict const previous = output.previous;
  for (size_t i = 0; i < output.count; ++i) {
    Word rotated = 0;
    for (size_t k = 0; k < sizeof(Word); ++k) {
      rotated = static_cast<Word>(rotated | static_cast<Word>(planes[k][i]) << (8 * (sizeof(Word) - 1 - k)));
    }
    Word word = E::from_rotated(rotated);
    if constexpr (kXor) word = static_cast<Word>(word ^ load_le<Word>(previous + i * sizeof(Word)));
    store_le(current + i * sizeof(Word), word);
  }
}

class PlaneHere final : public PlaneBytes {
 public:
  PlaneHere(const uint8_t* bytes, size_t count) : bytes_(bytes), count_(count) {}
  bool append_coded(const RansModel& model, std::vector<uint8_t>* out) const override {
    rans_encode(bytes_, nullptr, count_, model, out);
    return true;
  }
  bool append(std::vector<uint8_t>* out) const override {
    out->insert(out->end(), bytes_, bytes_ + count_);
    return true;
  }

 private:
  const uint8_t* bytes_;
  size_t count_;
};

}  // namespace

PlanesPlan plan_planes(const ExactInput& input, bool with_previous) {
  PlanesPlan plan;
  plan.planes = std::make_unique_for_overwrite<uint8_t[]>(input.bytes());
  with_element(input.kind, [&](auto element) {
    using E = decltype(element);
    if (with_previous) split<E, true>(input, plan.planes.get());
    else split<E, false>(input, plan.planes.get());
  });
  for (size_t k = 0; k < element_bytes(input.kind); ++k) {
    plan.counts.push_back(count_bytes(plan.planes.get() + k * input.count, input.count));
    plan.cost += byte_plane_cost(plan.counts[k], input.count);
  }
  return plan;
}

uint64_t estimate_planes(const ExactInput& input) {
  constexpr size_t kRun = 256, kSampled = 16;  // one run of elements in so many
  std::vector<uint8_t> planes(element_bytes(input.kind) * kRun);
  std::vector<SymbolCounts> counts(element_bytes(input.kind));
  size_t sampled = 0;
  for (size_t at = 0; at < input.count; at += kSampled * kRun) {
    const ExactInput run{input.current + at * element_bytes(input.kind), nullptr, std::min(kRun, input.count - at),
                         input.kind};
    with_element(input.kind, [&](auto element) { split<decltype(element), false>(run, planes.data()); });
    for (size_t k = 0; k < counts.size(); ++k) {
      for (size_t i = 0; i < run.count; ++i) ++counts[k][planes[k * run.count + i]];
    }
    sampled += run.count;
  }
  uint64_t cost = 0;
  for (const SymbolCounts& plane : counts)
    cost += std::min<uint64_t>((entropy_cost(plane) >> kLog2FractionBits) / 8, sampled);
  return cost * input.count / std::max<size_t>(sampled, 1);
}

void encode_planes(const ExactInput& input, const PlanesPlan& plan, std::vector<uint8_t>* out) {
  for (size_t k = 0; k < plan.counts.size(); ++k) {
    const PlaneHere plane(plan.planes.get() + k * input.count, input.count);
    encode_byte_plane(plane, input.count, plan.counts[k], out);
  }
}

Status decode_planes(ByteReader in, bool with_previous, const ExactOutput& output) {
  return with_element(output.kind, [&](auto element) {
    using E = decltype(element);
    constexpr size_t kPlanes = sizeof(typename E::Word);
    std::array<std::unique_ptr<uint8_t[]>, kPlanes> decoded;
    std::array<const uint8_t*, kPlanes> planes{};
    for (size_t k = 0; k < kPlanes; ++k) {
      const Status status = decode_byte_plane(in, output.count, &decoded[k], &planes[k]);
      if (status != Status::ok) return status;
    }
    if (in.left() != 0) return Status::corrupt;
    if (with_previous) join<E, true>(planes, output);
    else join<E, false>(planes, output);
    return Status::ok;
  });
}

}  // namespace firn
