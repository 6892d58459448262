#include <thread>

#include "test/device/work_cases.h"

namespace firn::test {
namespace {

constexpr uint64_t kAmple = uint64_t{256} << 20;

std::shared_ptr<DeviceContext> emulated(DeviceChoice choice) {
  choice.kind = DeviceKind::emulated;
  std::string why_not;
  auto context = DeviceContext::open(choice, &why_not);
  CHECK(context != nullptr);
  return context;
}

}  // namespace

TEST_CASE("device work: symbols, sums, counts, payloads and elements of blocks are those of the processor") {
  Random random(701);
  const auto contexts = work_contexts(kAmple);
  size_t encoded = 0, blocks = 0;
  for (size_t round = 0; round < rounds(60); ++round) {
    WorkBlock work;
    work.make(random, round % 10 == 0 ? kBlockElementsMax : 20000);
    const Dtype dtype = kDtypes[random.below(3)];
    const WorkAnswer expected(work, dtype);
    if (random.below(2)) work.name("round " + std::to_string(round));
    for (const auto& context : contexts) {
      const uint64_t before = context->figures().uploaded_bytes;
      const WorkDone done = check_work(context, work, expected, dtype);
      CHECK_EQ(done.all(), expected.ok);
      if (!expected.ok) continue;
      ++blocks, encoded += done.encoded;
      const uint64_t first = context->figures().uploaded_bytes - before;
      CHECK(check_work(context, work, expected, dtype).all());
      // The second time neither the weights nor the state cross the bus. What a base starts from never does, but for a
      // value a segment.
      const uint64_t second = context->figures().uploaded_bytes - before - first;
      if (work.block.weights_name.empty()) CHECK_EQ(second, first);
      else CHECK(second + work.weights.size() + (work.block.chain.previous.values ? 5 * work.count : 0) <= first);
      const size_t without_state = work.weights.size() + work.gradients.size() + work.factor.size() * sizeof(float) +
                                   2 * work.targets.size() * sizeof(float);
      if (!work.block.weights_name.empty() && !work.block.chain.previous.values)
        CHECK(first < without_state + (size_t{1} << 17) + 1000 * work.segments.size());
      CHECK_EQ(context->figures().failures, 0u);
    }
  }
  CHECK(rounds(60) < 60 || (blocks > 0 && 4 * encoded > blocks));  // a shorter run may not meet them
  for (const auto& context : contexts) {
    CHECK(context->figures().used_bytes <= context->figures().budget_bytes);
    CHECK(!context->figures().lost && context->figures().busy_seconds > 0);
  }
}

TEST_CASE("device work: what a block's weights move to along the inputs is what the processor says") {
  Random random(702);
  const auto contexts = work_contexts(kAmple);
  size_t done = 0;
  for (size_t round = 0; round < rounds(40); ++round) {
    Gptq gptq;
    gptq.size = 1 + static_cast<uint32_t>(random.below(90));
    gptq.inputs = gptq.size * (1 + static_cast<uint32_t>(random.below(3)));
    gptq.outputs = 1 + static_cast<uint32_t>(random.below(90));
    gptq.inputs_last = random.below(2);
    gptq.strength = random.below(2) ? 1.0f : 0.3f;
    const uint32_t elements_of_tensor = gptq.inputs * gptq.outputs;
    gptq.first = random.below(elements_of_tensor);
    DeviceTargets r;
    r.segment.count = 1 + static_cast<uint32_t>(random.below(elements_of_tensor - gptq.first));
    r.segment.exponent = -18;
    r.segment.step = 1 + static_cast<int32_t>(random.below(300));
    r.segment.shift = static_cast<int32_t>(random.below(3));
    const size_t count = r.segment.count;
    std::vector<float> factor(size_t{gptq.inputs} * gptq.size);
    for (size_t i = 0; i < factor.size(); ++i)
      factor[i] = i % gptq.size < i / gptq.size % gptq.size ? 0.3f * gaussian(random) : 0.0f;
    gptq.factor = factor.data();
    std::vector<int32_t> values(count);
    std::vector<uint8_t> activity(count), rates(kLatticeRates);
    std::vector<float> weights(count), expected(count), found(count);
    for (size_t i = 0; i < count; ++i) {
      values[i] = static_cast<int32_t>(random.below(4000)) - 2000;
      activity[i] = static_cast<uint8_t>(random.below(63) << 2 | random.below(3));
      weights[i] = std::ldexp(static_cast<float>(values[i] * (1 << r.segment.shift)) + 200 * gaussian(random), -18);
      // Sometimes out of range.
      if (round % 8 == 7 && random.below(500) == 0) weights[i] = 1e9f;
    }
    for (uint8_t& rate : rates) rate = static_cast<uint8_t>(random.next());
    gptq.hysteresis = {128 + static_cast<uint32_t>(random.below(60)), random.below(2) ? rates.data() : nullptr};
    r.dtype = kDtypes[random.below(3)];
    const std::vector<uint8_t> bytes = elements(weights, r.dtype);
    r.weights = bytes.data();
    if (random.below(4)) r.previous = {values.data(), activity.data()};
    for (float& weight : weights) weight += std::ldexp(static_cast<float>(random.below(90)), -18);
    const std::vector<uint8_t> before = elements(weights, r.dtype);
    if (random.below(2)) gptq.movement = {before.data(), 2 * std::fabs(gaussian(random))};
    r.gptq = gptq;
    const std::string name = "round " + std::to_string(round);
    r.weights_name = r.state_name = r.factor_name = name;
    const Status status = lattice_targets(r.weights, r.dtype, r.segment, r.previous, gptq, expected.data());
    for (const auto& context : contexts) {
      for (int again = 0; again < 2; ++again) {
        CHECK_EQ(device_targets(*context, r, found.data()), status == Status::ok);
        CHECK(status != Status::ok || same_memory(found, expected));
      }
      done += status == Status::ok;
    }
  }
  CHECK(rounds(40) < 40 || done > 10);
}

TEST_CASE("device work: a device that fails at any call gives a right answer or none, and is not used again") {
  Random random(703);
  WorkBlock work;
  work.make(random, 3000);
  const WorkAnswer expected(work, Dtype::bf16);
  REQUIRE(expected.ok);
  for (uint64_t call = 1;; ++call) {
    DeviceChoice choice;
    choice.fails_at = call;
    const auto context = emulated(choice);
    const WorkDone done = check_work(context, work, expected, Dtype::bf16);
    const DeviceFigures figures = context->figures();
    if (!figures.lost) {
      CHECK(done.all() && call > 20);
      break;
    }
    CHECK_EQ(figures.failures, 1u);
    CHECK(!figures.last_failure.empty());
    CHECK(!check_work(context, work, expected, Dtype::bf16).quantized);
    CHECK_EQ(context->figures().failures, 1u);
  }
}

TEST_CASE("device work: a call that finds no memory is left to the processor, and the next ones are done") {
  Random random(704);
  WorkBlock work;
  work.make(random, 3000);
  const WorkAnswer expected(work, Dtype::f32);
  REQUIRE(expected.ok);
  for (uint64_t call = 1;; ++call) {
    DeviceChoice choice;
    choice.memory_fails_at = call;
    const auto context = emulated(choice);
    const WorkDone done = check_work(context, work, expected, Dtype::f32);
    CHECK(!context->figures().lost);
    if (context->figures().failures == 0) {
      CHECK(done.all() && call > 20);
      break;
    }
    CHECK_EQ(context->figures().failures, 1u);
    CHECK(check_work(context, work, expected, Dtype::f32).all());
  }
}

TEST_CASE("device work: a small budget holds, however many threads share it") {
  for (const uint64_t budget : {uint64_t{1} << 12, uint64_t{1} << 20, uint64_t{3} << 20, uint64_t{8} << 20}) {
    for (const auto& context : work_contexts(budget)) {
      constexpr size_t kBlocks = 6, kThreads = 3;
      Random random(705);
      std::vector<std::unique_ptr<WorkBlock>> blocks;
      std::vector<std::unique_ptr<WorkAnswer>> answers;
      for (size_t i = 0; i < kBlocks; ++i) {
        blocks.push_back(std::make_unique<WorkBlock>());
        blocks.back()->make(random, 30000);
        answers.push_back(std::make_unique<WorkAnswer>(*blocks.back(), Dtype::bf16));
        blocks.back()->name(std::to_string(i));
      }
      std::vector<std::thread> threads;
      for (size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          for (size_t i = 0; i < 2 * kBlocks; ++i) {
            const size_t at = (i + t) % kBlocks;
            check_work(context, *blocks[at], *answers[at], Dtype::bf16);
            if (i == kBlocks) context->forget("1");
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      CHECK(context->figures().used_bytes <= budget);
      CHECK(!context->figures().lost);
      if (budget >= uint64_t{8} << 20) CHECK(context->figures().works > 0);
    }
  }
}

TEST_CASE("device work: symbols beyond their share of the budget are to be fetched") {
  Random random(706);
  auto large = std::make_unique<WorkBlock>();
  for (; large->count < 10000; large->make(random, 30000)) large = std::make_unique<WorkBlock>();
  const WorkBlock& work = *large;
  DeviceChoice choice;
  choice.budget_bytes = 40 * work.count;
  const auto context = emulated(choice);
  std::vector<std::shared_ptr<DeviceSymbols>> kept;
  for (size_t i = 0; i < 20; ++i) {
    DeviceFindings found;
    if (!device_quantize(context, work.block, work.in_tables, false, nullptr, &found)) continue;
    if (!found.symbols->may_stay()) break;
    kept.push_back(found.symbols);
  }
  CHECK(kept.size() >= 2 && kept.size() < 8);
  kept.clear();
  DeviceFindings found;
  CHECK(device_quantize(context, work.block, work.in_tables, false, nullptr, &found) && found.symbols->may_stay());
  CHECK(found.errors.empty());
}

TEST_CASE("device work: a device that is not there is a sentence") {
  std::string why_not;
  DeviceChoice choice;
  choice.library = "/nonexistent/libfirn_cuda.so";
  CHECK(DeviceContext::open(choice, &why_not) == nullptr);
  CHECK(!why_not.empty());
  choice.kind = DeviceKind::emulated;
  choice.index = 3;
  why_not.clear();
  CHECK(DeviceContext::open(choice, &why_not) == nullptr);
  CHECK(!why_not.empty());
}

}  // namespace firn::test
