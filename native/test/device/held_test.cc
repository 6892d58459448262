// What a device holds from one call to the next: the state that a block leaves behind, and its weights.
#include "device/work/block_arguments.h"
#include "firn/moments.h"
#include "test/device/work_cases.h"

namespace firn::test {
namespace {

constexpr uint64_t kAmple = uint64_t{256} << 20;

bool is_held(DeviceContext& context, std::string_view name, size_t bytes) {
  return context.impl().memory.find(name, bytes) != nullptr;
}

// The bytes under a name; empty if nothing is held there.
std::vector<uint8_t> held_bytes(DeviceContext& context, std::string_view name, size_t bytes) {
  std::vector<uint8_t> found(bytes);
  DeviceWork work(context, "give bytes back");
  const void* const there = work.find(name, bytes);
  if (!there) return {};
  work.bring(found.data(), there, bytes);
  CHECK(work.wait() && work.done());
  return found;
}

// The state that the processor decodes from the block's payload, as a device holds it.
std::vector<uint8_t> decoded_state(const WorkBlock& work, const WorkAnswer& expected) {
  const ResidualLink link{&expected.tables,        expected.payload.data(), expected.payload.size(),
                          work.block.segments,     work.slots.data(),       {},
                          0};
  ResidualChain chain = work.block.chain;
  chain.links = &link, chain.count = 1;
  std::vector<uint8_t> bytes(state_bytes(work.count));
  const size_t values_bytes = in_sixteens(work.count * sizeof(int32_t));
  CHECK(residual_state(chain, reinterpret_cast<int32_t*>(bytes.data()), bytes.data() + values_bytes) == Status::ok);
  return bytes;
}

// Equal values and activities; what lies between them is anything.
bool same_state(std::vector<uint8_t> found, std::vector<uint8_t> expected, size_t count) {
  if (found.size() != expected.size()) return false;
  const size_t end = count * sizeof(int32_t), next = in_sixteens(end);
  for (size_t i = end; i < next; ++i) found[i] = expected[i] = 0;
  return found == expected;
}

struct Named {
  WorkBlock work;
  DeviceNextState next;

  Named(Random& random, size_t largest) {
    work.make(random, largest);
    work.name("block");
    next = {"left", work.state_name, !work.block.chain.previous.values, work.block.segments};
  }
};

}  // namespace

TEST_CASE("device: the state that stays is the one that the processor decodes from the payload") {
  Random random(801);
  size_t starts = 0, moves = 0;
  for (size_t round = 0; round < rounds(40); ++round) {
    const Named block(random, round % 10 == 0 ? kBlockElementsMax : 20000);
    const WorkAnswer expected(block.work, Dtype::f32);
    if (!expected.ok) continue;
    ++(block.next.starts ? starts : moves);
    for (const auto& context : work_contexts(kAmple)) {
      DeviceFindings found;
      REQUIRE(device_quantize(context, block.work.block, block.work.in_tables, false, nullptr, &found));
      CHECK(device_hold_state(*found.symbols, block.next));
      const size_t bytes = state_bytes(block.work.count);
      const std::vector<uint8_t> decoded = decoded_state(block.work, expected);
      CHECK(same_state(held_bytes(*context, "left", bytes), decoded, block.work.count));
      // And the next checkpoint finds it under its new name alone, unless there is something else in its place.
      context->rename("le", "package:right/le");
      CHECK(!is_held(*context, "left", bytes));
      CHECK(same_state(held_bytes(*context, "package:right/left", bytes), decoded, block.work.count));
      CHECK(device_hold_state(*found.symbols, block.next));
      context->rename("left", "package:right/left");
      CHECK(same_state(held_bytes(*context, "package:right/left", bytes), decoded, block.work.count));
      context->forget("package:right/");
      CHECK(!is_held(*context, "package:right/left", bytes));
    }
  }
  CHECK(rounds(40) < 40 || (starts > 3 && moves > 3));  // a shorter run may not meet them
}

TEST_CASE("device: new names that are old names of others lead to the right bytes") {
  const uint8_t bytes[] = {1, 2, 3};
  for (const auto& context : work_contexts(kAmple)) {
    // "x", "xx" and "xxx" are held, and each becomes the next one's old name.
    for (size_t i = 0; i < sizeof bytes; ++i) {
      DeviceWork work(*context, "hold a byte");
      REQUIRE(work.put_held(std::string(i + 1, 'x'), &bytes[i], 1));
      CHECK(work.wait() && work.done());
    }
    context->rename("x", "xx");
    CHECK(!is_held(*context, "x", 1));
    for (size_t i = 0; i < sizeof bytes; ++i)
      CHECK(held_bytes(*context, std::string(i + 2, 'x'), 1) == std::vector<uint8_t>{bytes[i]});
    context->rename("x", "");
    CHECK(held_bytes(*context, "x", 1) == std::vector<uint8_t>{1});
    context->forget("");
    CHECK(!is_held(*context, "xx", 1));
  }
}

TEST_CASE("device: no state stays of symbols that make none, or behind one that is not held") {
  Random random(802);
  for (size_t round = 0; round < 10; ++round) {
    Named block(random, 3000);
    if (!WorkAnswer(block.work, Dtype::f32).ok) continue;
    for (const auto& context : work_contexts(kAmple)) {
      DeviceFindings found;
      REQUIRE(device_quantize(context, block.work.block, block.work.in_tables, false, nullptr, &found));
      DeviceNextState next = block.next;
      next.state_name = "another";
      CHECK(!device_hold_state(*found.symbols, next));
      next = block.next;
      next.name = {};
      CHECK(!device_hold_state(*found.symbols, next));
      // A step with which any move leaves the range of values.
      std::vector<LatticeSegment> wide = block.work.segments;
      for (LatticeSegment& segment : wide) segment.shift = 30;
      next = block.next;
      next.segments = {wide.data(), wide.size()};
      if (block.work.block.chain.previous.values) CHECK(!device_hold_state(*found.symbols, next));
      CHECK(!is_held(*context, "left", state_bytes(block.work.count)) || next.starts);
    }
  }
}

TEST_CASE("device: a state stays whole or not at all, whichever call fails or finds no memory") {
  Random random(803);
  std::unique_ptr<Named> block;
  std::unique_ptr<WorkAnswer> expected;
  do {
    block = std::make_unique<Named>(random, 3000);
    expected = std::make_unique<WorkAnswer>(block->work, Dtype::f32);
  } while (!expected->ok);
  const std::vector<uint8_t> decoded = decoded_state(block->work, *expected);
  for (const bool is_memory : {false, true}) {
    size_t stayed = 0, lost = 0;
    for (uint64_t call = 1; stayed < 3; ++call) {
      DeviceChoice choice;
      choice.kind = DeviceKind::emulated;
      (is_memory ? choice.memory_fails_at : choice.fails_at) = call;
      std::string why_not;
      const auto context = DeviceContext::open(choice, &why_not);
      DeviceFindings found;
      if (!device_quantize(context, block->work.block, block->work.in_tables, false, nullptr, &found)) continue;
      const uint64_t failures = context->figures().failures;
      const bool stays = device_hold_state(*found.symbols, block->next);
      // A state that does not stay for want of room costs nothing: the next checkpoint decodes it.
      CHECK_EQ(context->figures().failures, failures + (stays || is_memory ? 0 : 1));
      const size_t bytes = state_bytes(block->work.count);
      CHECK_EQ(is_held(*context, "left", bytes), stays);
      ++(stays ? stayed : lost);
      if (!stays) continue;
      // An emulated device has memory of the host, so that a later failure does not hide it.
      const auto* const at = static_cast<const uint8_t*>(context->impl().memory.find("left", bytes)->address());
      CHECK(same_state({at, at + bytes}, decoded, block->work.count));
    }
    CHECK(lost > 5);
  }
}

TEST_CASE("device: weights that are held need not be brought again, and neither need their state") {
  Random random(804);
  size_t done = 0;
  for (size_t round = 0; round < rounds(40); ++round) {
    Named named(random, 20000);
    const WorkBlock& work = named.work;
    const WorkAnswer expected(work, Dtype::bf16);
    if (!expected.ok) continue;
    std::vector<Moments> moments(work.segments.size());
    const DeviceBlock& block = work.block;
    const DeviceWeights weights{block.weights_name, block.weights, block.dtype, block.gradients, block.gradient_dtype};
    DeviceBlock alone = block;
    alone.weights = alone.gradients = nullptr;
    for (const auto& context : work_contexts(kAmple)) {
      DeviceFindings found;
      ContextCounts counts;
      CHECK(!device_quantize(context, alone, work.in_tables, true, &counts, &found));
      REQUIRE(device_moments(*context, weights, work.counts.data(), work.counts.size(), moments.data()));
      size_t first = 0;
      for (size_t s = 0; s < work.segments.size(); ++s) {
        const auto at = [&](const void* from, Dtype dtype) {
          return from ? static_cast<const uint8_t*>(from) + first * dtype_bytes(dtype) : nullptr;
        };
        const Moments m = weight_moments(at(block.weights, block.dtype), block.dtype,
                                         at(block.gradients, block.gradient_dtype), block.gradient_dtype,
                                         work.counts[s]);
        CHECK(std::memcmp(&m, &moments[s], sizeof m) == 0);
        first += work.counts[s];
      }
      // The state has to come once.
      DeviceBlock stateless = alone;
      stateless.chain = {};
      CHECK(!device_quantize(context, stateless, work.in_tables, true, &counts, &found));
      for (const DeviceBlock& brought : {alone, stateless}) {
        // Of origins there is no state to keep rates for.
        if (named.next.starts && !brought.chain.origins && block.hysteresis.rates) continue;
        const uint64_t before = context->figures().uploaded_bytes;
        DeviceFindings again;
        REQUIRE(device_quantize(context, brought, work.in_tables, true, &counts, &again));
        if (!brought.chain.origins && !block.targets && !block.rounding)
          CHECK(context->figures().uploaded_bytes - before < 8000 + 200 * work.segments.size());
        CHECK(same_memory(again.statistics, expected.statistics) && same_memory(again.errors, expected.errors));
        CHECK(again.plain_errors.empty() || same_memory(again.plain_errors, expected.plain_errors));
        std::vector<uint8_t> rebuilt(expected.elements.size());
        CHECK(device_elements(*again.symbols, brought, Dtype::bf16, rebuilt.data()) && rebuilt == expected.elements);
        ++done;
      }
    }
  }
  CHECK(rounds(40) < 40 || done > 10);
}

TEST_CASE("device: each account counts its own work on a device that several share") {
  Random random(805);
  Named block(random, 3000);
  for (const auto& context : work_contexts(kAmple)) {
    const auto one = context->with_own_account(), other = context->with_own_account();
    DeviceFindings found;
    REQUIRE(device_quantize(one, block.work.block, block.work.in_tables, false, nullptr, &found));
    CHECK_EQ(one->account().works, 1u);
    CHECK_EQ(other->account().works + context->account().works, 0u);
    // What is on the device is found by all, and counted for whoever brought it there.
    CHECK(device_count(*found.symbols, block.work.in_tables, std::make_unique<ContextCounts>().get()));
    CHECK_EQ(one->account().works, 2u);
    CHECK(is_held(*other, block.work.state_name, state_bytes(block.work.count)));
    CHECK_EQ(context->figures().works, 2u);
  }
  DeviceChoice choice;
  choice.kind = DeviceKind::emulated, choice.fails_at = 5;
  std::string why_not;
  const auto failing = DeviceContext::open(choice, &why_not);
  const auto one = failing->with_own_account(), other = failing->with_own_account();
  DeviceFindings found;
  CHECK(!device_quantize(one, block.work.block, block.work.in_tables, false, nullptr, &found));
  CHECK(!device_quantize(other, block.work.block, block.work.in_tables, false, nullptr, &found));
  CHECK_EQ(one->account().failures, 1u);
  CHECK_EQ(other->account().failures, 0u);
  CHECK_EQ(other->account().after_loss, 1u);
}

}  // namespace firn::test
