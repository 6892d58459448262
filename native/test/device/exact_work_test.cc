#include <array>

#include "firn/device_exact.h"
#include "test/device/work_cases.h"

namespace firn::test {
namespace {

constexpr uint64_t kAmple = uint64_t{64} << 20;
constexpr size_t kModes = 10;  // of exact blocks

// A block and its payload. Not copied.
struct ExactBlock {
  ElementKind kind;
  std::vector<uint8_t> current, previous;  // none: a block alone
  std::vector<uint8_t> payload;

  size_t count() const { return current.size() / element_bytes(kind); }
  const uint8_t* before() const { return previous.empty() ? nullptr : previous.data(); }

  // `shape` picks what the block is like: trained weights that moved, weights alone, short ones, whole numbers, bits.
  ExactBlock(Random& random, size_t shape, size_t count) {
    constexpr ElementKind kFloats[] = {ElementKind::f32, ElementKind::f16, ElementKind::bf16};
    constexpr ElementKind kOthers[] = {ElementKind::word32, ElementKind::word64, ElementKind::f64, ElementKind::bytes,
                                       ElementKind::word16};
    const size_t of = random.below(3);
    kind = shape < 4 ? kFloats[of] : kOthers[random.below(std::size(kOthers))];
    if (shape < 4) {
      const std::vector<float> weights = plain_weights(random, count);
      previous = elements(weights, kDtypes[of]);
      std::vector<float> moved = weights;
      const uint64_t still = shape == 1 ? 200 : 1;
      for (float& weight : moved) weight += random.below(still) == 0 ? 0.001f * gaussian(random) : 0;
      current = elements(moved, kDtypes[of]);
      // Made from a shorter type, so that the low bits are even.
      if (shape == 3) {
        for (size_t i = 0; i < current.size(); i += element_bytes(kind)) current[i] = 0;
      }
      if (shape >= 2) previous.clear();
    } else {
      const uint64_t values = shape == 4 ? 40 : 256, every = element_bytes(kind);
      for (size_t i = 0; i < count * every; ++i)
        previous.push_back(static_cast<uint8_t>(i % every == 0 ? random.below(values) : 0));
      current = previous;
      for (size_t i = 0; i < current.size(); i += every * (1 + random.below(30))) current[i] ^= 5;
      if (random.below(2)) previous.clear();
    }
    REQUIRE(exact_encode(current.data(), before(), count, kind, &payload) == Status::ok);
  }
};

// The payload made with a device; it is always right.
void check_exact(const std::shared_ptr<DeviceContext>& context, const ExactBlock& block) {
  std::vector<uint8_t> payload{1, 2};
  CHECK(device_exact_encode(context, block.current.data(), block.before(), block.count(), block.kind, &payload) ==
        Status::ok);
  CHECK(payload.size() == block.payload.size() + 2 &&
        std::equal(block.payload.begin(), block.payload.end(), payload.begin() + 2));
}

}  // namespace

TEST_CASE("device work: exact blocks have the payloads of the processor") {
  Random random(731);
  const auto contexts = work_contexts(kAmple);
  std::array<size_t, kModes> seen{};
  for (size_t round = 0; round < rounds(60); ++round) {
    const size_t count = round % 10 == 9 ? 1 + random.below(3000) : 2049 + random.below(round % 3 ? 30000 : 129024);
    const ExactBlock block(random, round % 6, count);
    ++seen[block.payload[0]];
    for (const auto& context : contexts) check_exact(context, block);
  }
  for (const auto& context : contexts) {
    const DeviceFigures figures = context->figures();
    CHECK(figures.works > 0);
    CHECK_EQ(figures.failures, 0u);
    CHECK(figures.used_bytes <= figures.budget_bytes);
  }
  // Planes, exponents and differences with contexts; a shorter run may not meet all.
  for (const size_t mode : {size_t{2}, size_t{8}, size_t{9}}) CHECK(rounds(60) < 60 || seen[mode] > 0);
}

TEST_CASE("device work: whatever fails of an exact block is the processor's") {
  Random random(732);
  for (size_t shape = 0; shape < 6; ++shape) {
    const ExactBlock block(random, shape, 20000);
    for (const bool is_lost : {true, false}) {
      for (uint64_t call = 1;; ++call) {
        DeviceChoice choice;
        choice.kind = DeviceKind::emulated;
        (is_lost ? choice.fails_at : choice.memory_fails_at) = call;
        std::string why_not;
        const auto context = DeviceContext::open(choice, &why_not);
        REQUIRE(context != nullptr);
        check_exact(context, block);
        if (context->figures().failures == 0) break;
        CHECK_EQ(context->figures().lost, is_lost);
        check_exact(context, block);
      }
    }
  }
}

TEST_CASE("device work: a small budget holds for exact blocks") {
  Random random(733);
  for (const uint64_t budget : {uint64_t{1} << 12, uint64_t{1} << 17, uint64_t{1} << 20}) {
    for (const auto& context : work_contexts(budget)) {
      for (size_t shape = 0; shape < 6; ++shape) check_exact(context, ExactBlock(random, shape, 20000));
      CHECK(context->figures().used_bytes <= budget);
      CHECK(!context->figures().lost);
    }
  }
}

}  // namespace firn::test
