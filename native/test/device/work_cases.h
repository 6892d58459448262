// Random blocks as a worker brings them to a device, and what the processor says of them.
#pragma once
#include "firn/device.h"
#include "test/device/device_columns.h"

namespace firn::test {

// A block behind a state or at its start. Not copied: the views point into it.
struct WorkBlock {
  WorkBlock() = default;
  WorkBlock(const WorkBlock&) = delete;
  WorkBlock& operator=(const WorkBlock&) = delete;

  std::string weights_name, state_name;
  std::vector<LatticeSegment> segments;
  std::vector<uint32_t> counts, slots;
  std::vector<float> values_of_weights, scales, targets;
  std::vector<uint8_t> weights, gradients, rates, activity;
  std::vector<int32_t> values, origins;
  size_t count = 0;
  DeviceBlock block;
  DeviceSlots in_tables;
  DeviceRounding rounding;
  std::vector<float> factor;

  void make(Random& random, size_t largest) {
    const size_t most = 1 + random.below(random.below(4) ? 3 : 60);
    count = 1 + random.below(largest);
    const int32_t step = 1 + static_cast<int32_t>(random.below(300));
    for (size_t left = count; left > 0;) {
      LatticeSegment s;
      s.count = static_cast<uint32_t>(segments.size() + 1 >= most ? left : 1 + random.below(left));
      s.exponent = -20 + static_cast<int32_t>(random.below(8));
      s.step = step;
      s.shift = static_cast<int32_t>(random.below(3));
      s.gain = 200 + static_cast<int32_t>(random.below(100));
      for (int32_t& offset : s.offsets) offset = static_cast<int32_t>(random.below(step)) - step / 2;
      segments.push_back(s);
      counts.push_back(s.count);
      slots.push_back(static_cast<uint32_t>(random.below(5)));
      left -= s.count;
    }
    const bool starts = random.below(3) == 0;
    // From hardly any moves, for the runs mode, to many and far.
    const double spread = std::exp2(static_cast<double>(random.below(8)) - 3) * step;
    for (const LatticeSegment& s : segments) {
      const int32_t origin = random.below(2) ? 0 : static_cast<int32_t>(random.below(2000)) - 1000;
      origins.push_back(origin);
      for (uint32_t i = 0; i < s.count; ++i) {
        const int32_t k = starts ? origin : (static_cast<int32_t>(random.below(4000)) - 2000) >> s.shift;
        values.push_back(k);
        activity.push_back(static_cast<uint8_t>(random.below(63) << 2 | random.below(3)));
        const double x = (starts ? k : k * (1 << s.shift)) + spread * gaussian(random);
        values_of_weights.push_back(std::ldexp(static_cast<float>(x), s.exponent));
      }
    }
    if (starts) {
      for (LatticeSegment& s : segments) s.shift = 0;
    }
    block.dtype = kDtypes[random.below(3)];
    weights = elements(values_of_weights, block.dtype);
    block.weights = weights.data();
    if (random.below(2)) {
      block.gradient_dtype = kDtypes[random.below(3)];
      gradients = elements(plain_weights(random, count), block.gradient_dtype);
      for (size_t s = 0; s < segments.size(); ++s) scales.push_back(random.below(4) ? 3.0f : 0.0f);
      block.gradients = gradients.data();
      block.gradient_scales = scales.data();
    }
    if (random.below(3) == 0) {
      targets = values_of_weights;
      for (float& target : targets) target *= 1.25f;
      block.targets = targets.data();
    }
    block.hysteresis = {128 + static_cast<uint32_t>(random.below(40))};
    if (segments.size() == 1 && !block.targets && random.below(2)) {
      Gptq& gptq = rounding.gptq;
      gptq.size = gptq.inputs = 1 + static_cast<uint32_t>(random.below(100));
      gptq.outputs = static_cast<uint32_t>(count / gptq.inputs + 2);
      gptq.first = random.below(gptq.inputs + 1);
      gptq.hysteresis = {block.hysteresis.dead_zone};
      factor.resize(size_t{gptq.size} * gptq.size);
      for (size_t i = 0; i < factor.size(); ++i)
        factor[i] = i % gptq.size < i / gptq.size ? 0.2f * gaussian(random) : 0.0f;
      gptq.factor = factor.data();
      block.rounding = &rounding;
    }
    if (random.below(2)) {
      for (size_t i = 0; i < kLatticeRates; ++i) rates.push_back(static_cast<uint8_t>(random.next()));
      block.hysteresis.rates = rates.data();
      if (!starts) rounding.gptq.hysteresis.rates = rates.data();
    }
    block.segments = {segments.data(), segments.size()};
    block.chain.origins = origins.data();
    if (!starts) block.chain.previous = {values.data(), activity.data()};
    in_tables = {counts.data(), slots.data(), counts.size()};
  }
  // What a device may hold from now on.
  void name(const std::string& name) {
    weights_name = name + "/weights", state_name = name + "/state";
    block.weights_name = weights_name, block.state_name = state_name;
  }
};

// Of the processor.
struct WorkAnswer {
  bool ok = false;
  std::vector<LatticeStatistics> statistics;
  std::vector<LatticeErrorSums> errors, plain_errors;
  std::vector<uint8_t> symbols, contexts, elements, payload, stored_tables;
  std::vector<uint32_t> escapes;
  ContextTables tables;

  WorkAnswer(const WorkBlock& work, Dtype dtype) {
    const DeviceBlock& b = work.block;
    ResidualCoding coding;
    statistics.resize(work.segments.size()), errors.resize(work.segments.size()),
        plain_errors.resize(work.segments.size());
    elements.resize(work.count * dtype_bytes(dtype));
    if (coding.begin(b.chain, b.segments) != Status::ok) return;
    std::vector<float> rounded(work.count);
    if (b.rounding && lattice_targets(b.weights, b.dtype, b.segments.data[0], coding.state(), b.rounding->gptq,
                                      rounded.data()) != Status::ok)
      return;
    const float* const targets = b.rounding ? rounded.data() : b.targets;
    const Status quantized = targets ? coding.quantize(targets, Dtype::f32, b.hysteresis, statistics.data())
                                     : coding.quantize(b.weights, b.dtype, b.hysteresis, statistics.data());
    if (quantized != Status::ok) return;
    REQUIRE(coding.error_sums(b.weights, b.dtype, b.gradients, b.gradient_dtype, b.gradient_scales, errors.data()) ==
            Status::ok);
    REQUIRE(coding.error_sums(b.weights, b.dtype, nullptr, b.gradient_dtype, nullptr, plain_errors.data()) ==
            Status::ok);
    const ContextBlock found = coding.context_block(work.slots.data());
    symbols.assign(found.symbols, found.symbols + work.count);
    contexts.assign(found.layout.contexts, found.layout.contexts + work.count);
    escapes.assign(found.escapes, found.escapes + found.escape_count);
    ContextCounts counts;
    REQUIRE(counts.add(found) == Status::ok);
    REQUIRE(counts.build(5, &tables) == Status::ok);
    stored_tables = tables.serialize();
    REQUIRE(tables.encode(found, &payload) == Status::ok);
    ok = coding.elements(dtype, elements.data()) == Status::ok;
  }
};

template <typename T>
bool same_memory(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// How much of a block's work a device did. What it did is checked.
struct WorkDone {
  bool quantized = false, counted = false, encoded = false, rebuilt = false, fetched = false;
  bool all() const { return quantized && counted && rebuilt && fetched; }
};

inline WorkDone check_work(const std::shared_ptr<DeviceContext>& context, const WorkBlock& work,
                           const WorkAnswer& expected, Dtype dtype) {
  WorkDone done;
  ContextCounts counts, again;
  ContextTables tables;
  DeviceFindings found;
  done.quantized = device_quantize(context, work.block, work.in_tables, true, &counts, &found);
  // What the processor refuses, the device leaves to it.
  CHECK(expected.ok || !done.quantized);
  if (!done.quantized) return done;
  CHECK(same_memory(found.statistics, expected.statistics));
  CHECK(same_memory(found.errors, expected.errors));
  CHECK(found.plain_errors.empty() == (work.block.gradients == nullptr));
  CHECK(found.plain_errors.empty() || same_memory(found.plain_errors, expected.plain_errors));
  CHECK(counts.build(5, &tables) == Status::ok);
  CHECK(tables.serialize() == expected.stored_tables && tables.total_bits() == expected.tables.total_bits());
  done.counted = device_count(*found.symbols, work.in_tables, &again);
  if (done.counted) {
    CHECK(again.build(5, &tables) == Status::ok);
    CHECK(tables.serialize() == expected.stored_tables);
  }
  std::vector<uint8_t> payload, rebuilt(expected.elements.size()), symbols(work.count), contexts(work.count);
  std::vector<uint32_t> escapes;
  done.encoded = device_encode(*found.symbols, work.in_tables, expected.tables, &payload);
  CHECK(!done.encoded || payload == expected.payload);
  done.rebuilt = device_elements(*found.symbols, work.block, dtype, rebuilt.data());
  CHECK(!done.rebuilt || rebuilt == expected.elements);
  done.fetched = device_fetch(*found.symbols, symbols.data(), contexts.data(), &escapes);
  CHECK(!done.fetched ||
        (symbols == expected.symbols && contexts == expected.contexts && escapes == expected.escapes));
  return done;
}

// The devices that work is done on here: an emulated one, and a CUDA device when there is one.
inline std::vector<std::shared_ptr<DeviceContext>> work_contexts(uint64_t budget_bytes) {
  std::vector<std::shared_ptr<DeviceContext>> all;
  std::string why_not;
  DeviceChoice choice;
  choice.budget_bytes = budget_bytes;
  if (!has_setting("FIRN_TESTS_COLUMNS", "cuda")) {
    choice.kind = DeviceKind::emulated;
    all.push_back(DeviceContext::open(choice, &why_not));
  }
#ifdef FIRN_CUDA_LIBRARY
  choice.kind = DeviceKind::cuda;
  choice.library = FIRN_CUDA_LIBRARY;
  if (auto context = DeviceContext::open(choice, &why_not)) all.push_back(std::move(context));
#endif
  return all;
}

}  // namespace firn::test
