#include <set>

#include "firn/device_codebook.h"
#include "test/device/work_cases.h"

namespace firn::test {
namespace {

constexpr uint64_t kAmple = uint64_t{64} << 20;

// Weights under a partition and a codebook, and what the processor says of them. Not copied: the views point into it.
struct CodebookCase {
  std::string name;
  std::vector<uint8_t> weights, gradients, table;
  std::vector<float> centroids, boundaries;
  Partition partition;
  CodebookWeights block;
  LevelMap map;
  LevelTable of_levels;

  std::unique_ptr<Sketch> values = std::make_unique<Sketch>(), sensitivity = std::make_unique<Sketch>(),
                          quantized = std::make_unique<Sketch>();
  Status assigned = Status::ok, dequantized = Status::ok;
  std::vector<uint8_t> levels, elements_of_levels;
  std::vector<uint16_t> words;
  // Levels before, and what coding against them gives.
  std::vector<uint8_t> levels_before;
  uint32_t modulus = 1;
  uint64_t moved = 0;
  TokenTables tables;
  std::vector<uint8_t> stored_tables, stream;

  CodebookCase(const CodebookCase&) = delete;
  CodebookCase& operator=(const CodebookCase&) = delete;
  // `wild`: as many weights of any bits, which fill all of a sketch.
  CodebookCase(Random& random, size_t largest, bool wild = false) {
    block.count = wild ? largest : 1 + random_count(random, largest - 1);
    block.dtype = kDtypes[random.below(3)];
    weights = elements(wild ? wild_floats(random, largest) : random_floats(random, block.count), block.dtype);
    block.weights = weights.data();
    if (random.below(2)) {
      block.gradient_dtype = kDtypes[random.below(3)];
      gradients = elements(random_floats(random, block.count), block.gradient_dtype);
      block.gradients = gradients.data();
    }
    std::set<float> distinct;
    const size_t wanted = 1 + random.below(random.below(3) ? 20 : 250);
    while (distinct.size() < wanted) distinct.insert(gaussian(random) + 0.0f);
    centroids.assign(distinct.begin(), distinct.end());
    if (random.below(2)) {
      for (size_t i = 1; i < centroids.size(); ++i) boundaries.push_back(centroids[i]);
    }
    if (random.below(2)) partition.protect_magnitude_min = static_cast<float>(random.unit()) * 3;
    if (random.below(2)) partition.protect_sensitivity_min = static_cast<float>(random.unit()) * 3;
    if (random.below(2)) partition.prune_below = static_cast<float>(random.unit()) * 0.3f;
    if (random.below(2)) partition.prune_metric = Metric::sensitivity;
    const auto k = static_cast<int32_t>(centroids.size());
    // Sometimes without the levels that the partition asks for, which is refused.
    const bool prunes = random.below(8) > 0, protects = random.below(8) > 0;
    map = {centroids.data(), static_cast<uint32_t>(k), prunes ? k : kNoLevel, protects ? k + prunes : kNoLevel,
           boundaries.empty() ? nullptr : boundaries.data()};
    std::vector<float> entries(kLevelsMax);
    for (float& entry : entries) entry = gaussian(random);
    of_levels = {kDtypes[random.below(3)], nullptr, static_cast<uint32_t>(k + prunes + protects)};
    // Sometimes with fewer levels than occur.
    if (random.below(10) == 0 && of_levels.level_count > 1) --of_levels.level_count;
    table = elements(entries, of_levels.dtype);
    of_levels.elements = table.data();
    answer(random);
  }
  LevelsBefore before() const {
    return {before_name, levels_before.empty() ? nullptr : levels_before.data(), modulus};
  }
  void call(const std::string& of) {
    name = of;
    block.name = name;
    before_name = name + "/before";
  }
  std::string before_name;

 private:
  void answer(Random& random) {
    const CodebookWeights& b = block;
    sketch_values(b.weights, b.dtype, b.count, *values);
    if (b.gradients) sketch_sensitivity(b.weights, b.dtype, b.gradients, b.gradient_dtype, b.count, *sensitivity);
    sketch_quantized(b.weights, b.dtype, b.gradients, b.gradient_dtype, b.count, partition, *quantized);
    levels.resize(b.count);
    size_t protected_count = 0;
    assigned = assign_levels(b.weights, b.dtype, b.gradients, b.gradient_dtype, b.count, partition, map,
                             levels.data(), &protected_count);
    if (assigned != Status::ok) return;
    words.resize(protected_count);
    if (protected_count > 0)
      gather_protected(b.weights, b.dtype, levels.data(), b.count, static_cast<uint8_t>(map.protected_level),
                       words.data());
    elements_of_levels.resize(b.count * dtype_bytes(of_levels.dtype));
    dequantized = dequantize(levels.data(), b.count, of_levels.dtype, table.data(), of_levels.level_count,
                             map.protected_level, words.data(), words.size(), elements_of_levels.data());
    answer_tokens(random);
  }
  void answer_tokens(Random& random) {
    modulus = *std::max_element(levels.begin(), levels.end()) + 1u;
    modulus += static_cast<uint32_t>(random.below(std::min(257 - modulus, 8u)));
    if (random.below(3)) {
      levels_before = levels;
      for (uint8_t& level : levels_before) {
        if (random.below(5) == 0) level = static_cast<uint8_t>(random.below(modulus));
      }
      for (size_t i = 0; i < levels.size(); ++i) moved += levels[i] != levels_before[i];
    }
    TokenCounts counts;
    REQUIRE(counts.add(before().levels, levels.data(), levels.size(), modulus) == Status::ok);
    tables = counts.build();
    stored_tables = tables.serialize();
    REQUIRE(tables.encode(before().levels, levels.data(), levels.size(), modulus, &stream) == Status::ok);
  }
};

// Whether a device counts and codes the tokens of such a block.
bool takes_tokens(const CodebookCase& c) {
  return c.assigned == Status::ok && (c.levels_before.empty() || c.modulus <= 151);
}

bool same_sketch(const Sketch& a, const Sketch& b) { return std::memcmp(&a, &b, sizeof(Sketch)) == 0; }

// Calls a device for all there is to find, and checks what it did. Returns whether it did all that the processor can.
bool check_codebook(const std::shared_ptr<DeviceContext>& context, const CodebookCase& c) {
  const CodebookWeights& b = c.block;
  bool all = true;
  const auto sketched = [&](const Sketch& expected, auto call) {
    // Counts are added to what is there, or not at all.
    const auto found = std::make_unique<Sketch>(), twice = std::make_unique<Sketch>();
    found->counts[7] = found->zeros = 5;
    twice->counts[7] = twice->zeros = 5;
    const bool done = call(*found);
    if (done) sketch_merge(expected, *twice);
    CHECK(same_sketch(*found, *twice));
    all &= done;
  };
  sketched(*c.values, [&](Sketch& to) { return device_sketch_values(*context, b, to); });
  if (b.gradients) sketched(*c.sensitivity, [&](Sketch& to) { return device_sketch_sensitivity(*context, b, to); });
  sketched(*c.quantized, [&](Sketch& to) { return device_sketch_quantized(*context, b, c.partition, to); });
  std::vector<uint8_t> levels(b.count), rebuilt(b.count * dtype_bytes(c.of_levels.dtype));
  std::vector<uint16_t> words;
  const bool assigned = device_assign_levels(*context, b, c.partition, c.map, levels.data(), &words);
  CHECK(!assigned || (c.assigned == Status::ok && levels == c.levels && words == c.words));
  all &= assigned || c.assigned != Status::ok;
  CountedTokens counted;
  LevelFindings findings;
  TokenCounts counts;
  const bool has_counted = device_count_tokens(*context, b, c.partition, c.map, c.before(), &counted, &findings);
  CHECK(!has_counted ||
        (takes_tokens(c) && counts.add_counted(counted) == Status::ok &&
         counts.build().serialize() == c.stored_tables && findings.protected_count == c.words.size() &&
         findings.moved == c.moved));
  std::vector<uint8_t> stream{1, 2};
  const bool encoded =
      device_encode_tokens(*context, b, c.partition, c.map, c.before(), c.tables, &stream, &words);
  if (encoded) {
    stream.erase(stream.begin(), stream.begin() + 2);
    CHECK(takes_tokens(c) && stream == c.stream && words == c.words);
  }
  all &= (has_counted && encoded) || !takes_tokens(c);
  const bool dequantized = device_codebook_elements(*context, b, c.partition, c.map, c.of_levels, rebuilt.data());
  const bool may = c.assigned == Status::ok && c.dequantized == Status::ok;
  CHECK(!dequantized || (may && rebuilt == c.elements_of_levels));
  return all && (dequantized || !may);
}

}  // namespace

TEST_CASE("device work: sketches, levels and elements of a codebook are those of the processor") {
  Random random(721);
  const auto contexts = work_contexts(kAmple);
  size_t refused = 0, wide = 0;
  for (size_t round = 0; round < rounds(80); ++round) {
    CodebookCase c(random, round % 10 == 0 ? kBlockElementsMax : 20000, round % 20 == 10);
    refused += c.assigned != Status::ok || c.dequantized != Status::ok;
    wide += static_cast<size_t>(std::count_if(std::begin(c.values->counts), std::end(c.values->counts),
                                              [](uint64_t n) { return n > 0; })) > 4096;
    if (random.below(2)) c.call("round " + std::to_string(round));
    for (const auto& context : contexts) {
      const uint64_t before = context->figures().uploaded_bytes;
      CHECK(check_codebook(context, c));
      const uint64_t first = context->figures().uploaded_bytes - before;
      CHECK(check_codebook(context, c));
      const uint64_t second = context->figures().uploaded_bytes - before - first;
      // The second time the weights do not cross the bus.
      const size_t before_bytes = takes_tokens(c) ? c.levels_before.size() : 0;
      if (c.name.empty()) CHECK_EQ(second, first);
      else CHECK_EQ(second + c.weights.size() + c.gradients.size() + before_bytes, first);
      CHECK_EQ(context->figures().failures, 0u);
    }
  }
  // What the processor refuses, and sketches that come back in two parts; a shorter run may meet none.
  CHECK(rounds(80) < 80 || (refused > 0 && wide > 0));
}

TEST_CASE("device work: a device that fails in work of a codebook gives a right answer or none") {
  Random random(722);
  auto found = std::make_unique<CodebookCase>(random, 3000);
  while (found->assigned != Status::ok || found->dequantized != Status::ok || found->words.empty() ||
         !found->block.gradients)
    found = std::make_unique<CodebookCase>(random, 3000);
  const CodebookCase& c = *found;
  for (const bool is_lost : {true, false}) {
    for (uint64_t call = 1;; ++call) {
      DeviceChoice choice;
      choice.kind = DeviceKind::emulated;
      (is_lost ? choice.fails_at : choice.memory_fails_at) = call;
      std::string why_not;
      const auto context = DeviceContext::open(choice, &why_not);
      REQUIRE(context != nullptr);
      const bool all = check_codebook(context, c);
      const DeviceFigures figures = context->figures();
      if (figures.failures == 0) {
        CHECK(all && call > 40);
        break;
      }
      CHECK(!all);
      CHECK_EQ(figures.failures, 1u);
      CHECK_EQ(figures.lost, is_lost);
      CHECK_EQ(check_codebook(context, c), !is_lost);
    }
  }
}

TEST_CASE("device work: a small budget holds for work of a codebook") {
  Random random(723);
  const CodebookCase c(random, 20000);
  for (const uint64_t budget : {uint64_t{1} << 12, uint64_t{1} << 18, uint64_t{1} << 20}) {
    for (const auto& context : work_contexts(budget)) {
      check_codebook(context, c);
      CHECK(context->figures().used_bytes <= budget);
      CHECK(!context->figures().lost);
    }
  }
}

}  // namespace firn::test
