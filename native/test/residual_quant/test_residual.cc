#include <algorithm>
#include <cstring>
#include <vector>

#include "common/varint.h"
#include "firn/delta.h"
#include "firn/residual_quant/residual.h"
#include "test/kernel_data.h"

namespace firn::test {
namespace {

using Bytes = std::vector<uint8_t>;

struct State {
  std::vector<int32_t> values;
  Bytes activity;

  LatticeState view() const { return {values.data(), activity.data()}; }
  bool operator==(const State&) const = default;
};

// One package's data of a block.
struct Package {
  std::vector<LatticeSegment> segments;
  std::vector<uint32_t> slots;
  ContextTables tables;
  Bytes payload;

  LatticeSegments parameters() const { return {segments.data(), segments.size()}; }
  ResidualLink link() const { return {&tables, payload.data(), payload.size(), parameters(), slots.data()}; }
};

// A block through packages, each made and applied call by call, as the formats describe it; states[i] is the state
// before package i.
struct History {
  std::vector<Package> packages;
  std::vector<State> states;
  std::vector<std::vector<float>> weights;
  std::vector<int32_t> origins;

  std::vector<ResidualLink> links(size_t first, size_t last) const {
    std::vector<ResidualLink> list;
    for (size_t i = first; i < last; ++i) list.push_back(packages[i].link());
    return list;
  }
  size_t count() const { return states[0].values.size(); }
  std::vector<float> elements(size_t after) const {
    std::vector<float> values(count());
    CHECK_EQ(lattice_values(states[after].values.data(), packages[after - 1].parameters(), Dtype::f32, values.data()),
             Status::ok);
    return values;
  }
};

constexpr uint32_t kSlots = 5, kDeadZone = 156;

std::vector<LatticeSegment> segments_of(Random& random, const std::vector<uint32_t>& counts,
                                        const std::vector<LatticeSegment>* before) {
  std::vector<LatticeSegment> segments;
  for (size_t i = 0; i < counts.size(); ++i) {
    LatticeSegment s;
    s.count = counts[i];
    s.shift = before && random.below(3) == 0 ? 1 : 0;
    s.exponent = before ? (*before)[i].exponent - s.shift : -16;
    s.step = 600 + static_cast<int32_t>(random.below(400));
    for (int32_t& offset : s.offsets) offset = static_cast<int32_t>(random.below(60)) - 20;
    s.gain = 240 + static_cast<int32_t>(random.below(30));
    segments.push_back(s);
  }
  return segments;
}

// Codes weights against the last state and appends the one after it.
void append(Random& random, const std::vector<float>& weights, const std::vector<uint32_t>& counts, History* history) {
  const State& before = history->states.back();
  const bool start = history->packages.empty();
  const size_t count = weights.size();
  Package package;
  package.segments = segments_of(random, counts, start ? nullptr : &history->packages.back().segments);
  for (size_t i = 0; i < counts.size(); ++i) package.slots.push_back(static_cast<uint32_t>(random.below(kSlots)));
  Bytes symbols(count), contexts(count);
  std::vector<uint32_t> escapes;
  std::vector<LatticeStatistics> sums(counts.size());
  CHECK_EQ(lattice_quantize(weights.data(), Dtype::f32, package.parameters(), before.view(), kDeadZone, symbols.data(),
                            &escapes, sums.data()),
           Status::ok);
  CHECK_EQ(lattice_contexts(package.parameters(), before.view(), contexts.data()), Status::ok);
  const ContextBlock block{{contexts.data(), count, counts.data(), package.slots.data(), counts.size()},
                           symbols.data(),
                           escapes.data(),
                           escapes.size()};
  ContextCounts statistics;
  CHECK_EQ(statistics.add(block), Status::ok);
  CHECK_EQ(statistics.build(kSlots, &package.tables), Status::ok);
  CHECK_EQ(package.tables.encode(block, &package.payload), Status::ok);
  State after{std::vector<int32_t>(count), Bytes(count)};
  CHECK_EQ(lattice_apply(symbols.data(), escapes.data(), escapes.size(), package.parameters(), before.view(),
                         after.values.data(), after.activity.data()),
           Status::ok);
  if (start) std::fill(after.activity.begin(), after.activity.end(), uint8_t{168});
  history->states.push_back(std::move(after));
  history->packages.push_back(std::move(package));
}

History make_history(const std::vector<uint32_t>& counts, size_t packages, uint64_t seed) {
  Random random(seed);
  size_t count = 0;
  History history;
  State start;
  for (size_t i = 0; i < counts.size(); ++i) {
    history.origins.push_back(i % 2 == 0 ? 0 : 1000 * static_cast<int32_t>(i));
    start.values.insert(start.values.end(), counts[i], history.origins[i]);
    count += counts[i];
  }
  start.activity.assign(count, 168);
  history.states.push_back(start);
  std::vector<float> weights = plain_weights(random, count);
  for (size_t i = 0; i < packages; ++i) {
    append(random, weights, counts, &history);
    history.weights.push_back(weights);
    for (float& w : weights) w += random.below(10) == 0 ? 0.02f * gaussian(random) : 0.0005f * gaussian(random);
    weights[random.below(count)] += 2;  // far enough for an escape
  }
  return history;
}

const std::vector<std::vector<uint32_t>> kShapes = {
    {1}, {63}, {64, 65}, {1, 2, 3, 700}, {2048, 5000, 1}, {kBlockElementsMax}};

}  // namespace

TEST_CASE("residual: a chain leads to the state and the elements that its steps one by one lead to, at every level") {
  for (const auto& counts : kShapes) {
    const History history = make_history(counts, 3, counts.size() + counts[0]);
    for_each_isa([&] {
      for (size_t last = 1; last <= history.packages.size(); ++last) {
        const auto links = history.links(0, last);
        const ResidualChain chain{links.data(), links.size(), {}, history.origins.data()};
        State state{std::vector<int32_t>(history.count()), Bytes(history.count())};
        CHECK_EQ(residual_state(chain, state.values.data(), state.activity.data()), Status::ok);
        CHECK(state == history.states[last]);
        std::vector<float> elements(history.count());
        CHECK_EQ(residual_elements(chain, Dtype::f32, elements.data()), Status::ok);
        CHECK(elements == history.elements(last));
        State both{std::vector<int32_t>(history.count()), Bytes(history.count())};
        std::fill(elements.begin(), elements.end(), 0.0f);
        CHECK_EQ(residual_block(chain, both.values.data(), both.activity.data(), Dtype::f32, elements.data()),
                 Status::ok);
        CHECK(both == history.states[last]);
        CHECK(elements == history.elements(last));
      }
    });
  }
}

TEST_CASE("residual: the last package alone, behind the state before it, gives the state and the elements of all") {
  for (const auto& counts : kShapes) {
    const History history = make_history(counts, 3, 11 * counts.size() + counts[0]);
    for_each_isa([&] {
      for (size_t last = 2; last <= history.packages.size(); ++last) {
        const auto links = history.links(last - 1, last);
        const ResidualChain chain{links.data(), links.size(), history.states[last - 1].view(), nullptr};
        State state{std::vector<int32_t>(history.count()), Bytes(history.count())};
        std::vector<float> elements(history.count());
        CHECK_EQ(residual_block(chain, state.values.data(), state.activity.data(), Dtype::f32, elements.data()),
                 Status::ok);
        CHECK(state == history.states[last]);
        CHECK(elements == history.elements(last));
      }
    });
  }
}

TEST_CASE("residual: a state of any numbers is refused or gives elements, and nothing is read beyond it") {
  const History history = make_history({300, 4001}, 2, 21);
  const auto links = history.links(1, 2);
  std::vector<float> elements(history.count());
  State out{std::vector<int32_t>(history.count()), Bytes(history.count())};
  for (const int32_t value : {INT32_MIN, -kLatticeValueMax - 1, kLatticeValueMax + 1, INT32_MAX}) {
    State state = history.states[1];
    state.values[77] = value;
    std::fill(state.activity.begin(), state.activity.end(), uint8_t{0xFF});
    for_each_isa([&] {
      CHECK(residual_block({links.data(), links.size(), state.view(), nullptr}, out.values.data(), out.activity.data(),
                           Dtype::f32, elements.data()) != Status::ok);
      CHECK(residual_elements({links.data(), links.size(), state.view(), nullptr}, Dtype::f32, elements.data()) !=
            Status::ok);
    });
  }
}

TEST_CASE("residual: a chain may begin at any state on the way") {
  const History history = make_history({300, 4000}, 3, 5);
  for (size_t first = 0; first < 3; ++first) {
    const auto links = history.links(first, 3);
    const ResidualChain chain{links.data(), links.size(), history.states[first].view(), nullptr};
    State state{std::vector<int32_t>(history.count()), Bytes(history.count())};
    CHECK_EQ(residual_state(chain, state.values.data(), state.activity.data()), Status::ok);
    // Without a start of its own, the first package's moves count as activity.
    if (first > 0) CHECK(state == history.states[3]);
    else CHECK(state.values == history.states[3].values);
  }
}

TEST_CASE("residual: elements of every dtype are those of the values, at any address") {
  const History history = make_history({3001}, 2, 9);
  const auto links = history.links(0, 2);
  const std::vector<float> expected = history.elements(2);
  for (const Dtype dtype : kDtypes) {
    Bytes wanted(expected.size() * dtype_bytes(dtype)), got(wanted.size() + 1);
    convert(expected.data(), Dtype::f32, expected.size(), wanted.data(), dtype);
    CHECK_EQ(residual_elements({links.data(), links.size(), {}, history.origins.data()}, dtype, got.data() + 1),
             Status::ok);
    CHECK(std::equal(wanted.begin(), wanted.end(), got.begin() + 1));
    std::fill(got.begin(), got.end(), uint8_t{0});
    State state{std::vector<int32_t>(history.count()), Bytes(history.count())};
    CHECK_EQ(residual_block({links.data(), links.size(), {}, history.origins.data()}, state.values.data(),
                            state.activity.data(), dtype, got.data() + 1),
             Status::ok);
    CHECK(std::equal(wanted.begin(), wanted.end(), got.begin() + 1));
  }
}

TEST_CASE("residual: damaged payloads are refused, whichever link they belong to") {
  const History history = make_history({2000}, 2, 3);
  std::vector<float> elements(history.count());
  for (size_t damaged = 0; damaged < 2; ++damaged) {
    auto links = history.links(0, 2);
    links[damaged].payload_bytes -= 1;
    CHECK(residual_elements({links.data(), links.size(), {}, history.origins.data()}, Dtype::f32, elements.data()) !=
          Status::ok);
    links[damaged].payload_bytes = 0;
    CHECK_EQ(residual_elements({links.data(), links.size(), {}, history.origins.data()}, Dtype::f32, elements.data()),
             Status::truncated);
  }
}

TEST_CASE("residual: a chain without links, segments that differ, and parameters out of range are refused") {
  const History history = make_history({100, 50}, 2, 4);
  State state{std::vector<int32_t>(150), Bytes(150)};
  const auto state_of = [&](const std::vector<ResidualLink>& links) {
    return residual_state({links.data(), links.size(), {}, history.origins.data()}, state.values.data(),
                          state.activity.data());
  };
  CHECK_EQ(state_of({}), Status::invalid_argument);
  auto links = history.links(0, 2);
  std::vector<LatticeSegment> other = history.packages[1].segments;
  std::swap(other[0].count, other[1].count);
  links[1].segments = {other.data(), other.size()};
  CHECK_EQ(state_of(links), Status::invalid_argument);
  other = history.packages[1].segments;
  other[1].step = 0;
  links[1].segments = {other.data(), other.size()};
  CHECK_EQ(state_of(links), Status::invalid_argument);
  // A value beyond the lattice is damage: shifts make any too large.
  other = history.packages[1].segments;
  other[0].shift = kLatticeShiftMax;
  links[1].segments = {other.data(), other.size()};
  CHECK_EQ(state_of(links), Status::corrupt);
}

TEST_CASE(
    "residual: coding a block behind a chain gives the payload and the elements of its steps one by one, at every "
    "level") {
  for (const auto& counts : kShapes) {
    const History history = make_history(counts, 3, 7 * counts.size() + counts[0]);
    for_each_isa([&] {
      for (size_t next = 0; next < history.packages.size(); ++next) {
        const Package& package = history.packages[next];
        const std::vector<float>& weights = history.weights[next];
        const auto links = history.links(0, next);
        ResidualCoding coding;
        REQUIRE(coding.begin({links.data(), links.size(), {}, history.origins.data()}, package.parameters()) ==
                Status::ok);
        std::vector<LatticeStatistics> statistics(counts.size()), expected_statistics(counts.size());
        REQUIRE(coding.quantize(weights.data(), Dtype::f32, kDeadZone, statistics.data()) == Status::ok);
        std::vector<LatticeErrorSums> sums(counts.size()), expected_sums(counts.size());
        REQUIRE(coding.error_sums(weights.data(), Dtype::f32, nullptr, Dtype::f32, nullptr, sums.data()) == Status::ok);
        const ContextBlock block = coding.context_block(package.slots.data());
        Bytes payload;
        REQUIRE(package.tables.encode(block, &payload) == Status::ok);
        CHECK(payload == package.payload);
        std::vector<float> elements(history.count());
        REQUIRE(coding.elements(Dtype::f32, elements.data()) == Status::ok);
        CHECK(elements == history.elements(next + 1));

        Bytes symbols(history.count());
        std::vector<uint32_t> escapes;
        const LatticeState before = history.states[next].view();
        REQUIRE(lattice_quantize(weights.data(), Dtype::f32, package.parameters(), before, kDeadZone, symbols.data(),
                                 &escapes, expected_statistics.data()) == Status::ok);
        REQUIRE(lattice_error_sums(weights.data(), Dtype::f32, nullptr, Dtype::f32, nullptr, symbols.data(),
                                   escapes.data(), escapes.size(), package.parameters(), before,
                                   expected_sums.data()) == Status::ok);
        CHECK(std::memcmp(statistics.data(), expected_statistics.data(),
                          statistics.size() * sizeof(LatticeStatistics)) == 0);
        CHECK(std::memcmp(sums.data(), expected_sums.data(), sums.size() * sizeof(LatticeErrorSums)) == 0);

        // Moves found before, behind a state that is known.
        ResidualCoding again;
        REQUIRE(again.begin({nullptr, 0, before, nullptr}, package.parameters()) == Status::ok);
        again.use(symbols.data(), escapes.data(), escapes.size());
        std::vector<float> same(history.count());
        REQUIRE(again.elements(Dtype::f32, same.data()) == Status::ok);
        CHECK(same == elements);
      }
    });
  }
}

TEST_CASE("residual: coding refuses a chain of another length, hostile moves, and weights that no lattice holds") {
  const History history = make_history({500, 20}, 2, 6);
  const auto links = history.links(0, 1);
  const ResidualChain chain{links.data(), 1, {}, history.origins.data()};
  std::vector<LatticeSegment> longer = history.packages[1].segments;
  longer[1].count += 1;
  ResidualCoding coding;
  CHECK_EQ(coding.begin(chain, {longer.data(), longer.size()}), Status::invalid_argument);
  REQUIRE(coding.begin(chain, history.packages[1].parameters()) == Status::ok);
  std::vector<LatticeStatistics> statistics(2);
  const std::vector<float> infinite(520, std::numeric_limits<float>::infinity());
  CHECK_EQ(coding.quantize(infinite.data(), Dtype::f32, kDeadZone, statistics.data()), Status::invalid_argument);
  const Bytes escaped(520, kLatticeEscape);
  coding.use(escaped.data(), nullptr, 0);
  std::vector<float> elements(520);
  CHECK_EQ(coding.elements(Dtype::f32, elements.data()), Status::corrupt);
}

namespace {

// The packages first.. of a history as one payload: `links` are its checkpoints. `listed_max`: joint symbols in the
// list; the others are escaped.
struct MergedPackage {
  Bytes joint_symbols, payload;
  ContextTables tables;
  std::vector<ResidualLink> links;
};

constexpr uint32_t kFiveBits = 31;

void merge(const History& history, size_t first, uint32_t width, size_t listed_max, MergedPackage* merged) {
  const size_t count = history.count();
  std::vector<uint32_t> packed(count), counts, escapes;
  Bytes contexts(count), first_contexts;
  for (uint32_t j = 0; j < width; ++j) {
    const Package& package = history.packages[first + j];
    counts.clear();
    for (const LatticeSegment& s : package.segments) counts.push_back(s.count);
    REQUIRE(lattice_contexts(package.parameters(), history.states[first + j].view(), contexts.data()) == Status::ok);
    if (j == 0) first_contexts = contexts;
    Bytes symbols(count);
    std::vector<uint32_t> own;
    const ContextLayout layout{contexts.data(), count, counts.data(), package.slots.data(), counts.size()};
    REQUIRE(package.tables.decode(package.payload.data(), package.payload.size(), layout, symbols.data(), &own) ==
            Status::ok);
    for (size_t i = 0; i < count; ++i) packed[i] |= uint32_t{symbols[i]} << (5 * j);
    escapes.insert(escapes.end(), own.begin(), own.end());
  }
  std::vector<uint32_t> listed = packed;
  std::sort(listed.begin(), listed.end());
  listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
  if (listed.size() > listed_max) listed.resize(listed_max);
  merged->joint_symbols.clear();
  for (uint32_t j = 0; j < width; ++j) {
    for (const uint32_t symbols : listed) merged->joint_symbols.push_back(symbols >> (5 * j) & kFiveBits);
  }
  Bytes numbers(count);
  std::vector<uint32_t> told;
  const auto beyond = static_cast<uint32_t>(listed.size() > kContextEscape ? listed.size() - kContextEscape : 0);
  for (size_t i = 0; i < count; ++i) {
    const auto at = std::lower_bound(listed.begin(), listed.end(), packed[i]);
    const auto rank = static_cast<uint32_t>(at - listed.begin());
    const bool is_listed = at != listed.end() && *at == packed[i];
    numbers[i] = static_cast<uint8_t>(is_listed ? std::min<uint32_t>(rank, kContextEscape) : kContextEscape);
    if (numbers[i] == kContextEscape) told.push_back(is_listed ? rank - kContextEscape : beyond + packed[i]);
  }
  const Package& package = history.packages[first];
  const ContextBlock block{{first_contexts.data(), count, counts.data(), package.slots.data(), counts.size()},
                           numbers.data(),
                           told.data(),
                           told.size()};
  ContextCounts statistics;
  REQUIRE(statistics.add(block) == Status::ok);
  REQUIRE(statistics.build(kSlots, &merged->tables) == Status::ok);
  append_varint(static_cast<uint32_t>(escapes.size()), &merged->payload);
  for (const uint32_t escape : escapes) append_varint(escape, &merged->payload);
  REQUIRE(merged->tables.encode(block, &merged->payload) == Status::ok);
  for (uint32_t j = 0; j < width; ++j) {
    ResidualLink link = history.packages[first + j].link();
    link.tables = &merged->tables;
    link.payload = merged->payload.data();
    link.payload_bytes = merged->payload.size();
    link.slots = package.slots.data();
    link.joint = {merged->joint_symbols.data(), listed.size(), width};
    link.position = j;
    merged->links.push_back(link);
  }
}

State state_after(const History& history, const std::vector<ResidualLink>& links, Status expected = Status::ok) {
  State state{std::vector<int32_t>(history.count()), Bytes(history.count())};
  CHECK_EQ(residual_state({links.data(), links.size(), {}, history.origins.data()}, state.values.data(),
                          state.activity.data()),
           expected);
  return state;
}

}  // namespace

TEST_CASE("residual: a payload of several checkpoints leads to the states and the elements of each, at every level") {
  for (const auto& counts : kShapes) {
    const History history = make_history(counts, 5, 3 * counts.size() + counts[0]);
    for (const uint32_t width : {2u, 3u, 4u}) {
      // Everything listed, some of it, and next to nothing.
      for (const size_t listed : {size_t{4096}, size_t{40}, size_t{5}}) {
        MergedPackage merged;
        merge(history, 1, width, listed, &merged);
        for_each_isa([&] {
          std::vector<ResidualLink> links = history.links(0, 1);
          for (uint32_t j = 0; j < width; ++j) {
            links.push_back(merged.links[j]);
            CHECK(state_after(history, links) == history.states[2 + j]);
            std::vector<float> elements(history.count());
            CHECK_EQ(residual_elements({links.data(), links.size(), {}, history.origins.data()}, Dtype::f32,
                                       elements.data()),
                     Status::ok);
            CHECK(elements == history.elements(2 + j));
          }
          // And on from there.
          for (const ResidualLink& later : history.links(1 + width, 5)) links.push_back(later);
          CHECK(state_after(history, links) == history.states[5]);
        });
      }
    }
  }
}

TEST_CASE(
    "residual: a payload of several checkpoints that is damaged, or links that do not follow each other, are refused") {
  const History history = make_history({2000, 77}, 4, 8);
  MergedPackage merged;
  merge(history, 1, 3, 40, &merged);
  const auto with = [&](std::vector<ResidualLink> parts) {
    std::vector<ResidualLink> links = history.links(0, 1);
    links.insert(links.end(), parts.begin(), parts.end());
    return links;
  };
  state_after(history, with({merged.links[1]}), Status::invalid_argument);
  state_after(history, with({merged.links[0], merged.links[2]}), Status::invalid_argument);
  state_after(history, {merged.links[1]}, Status::invalid_argument);
  ResidualLink wide = merged.links[0];
  wide.joint.width = kJointSymbolWidthMax + 1;
  state_after(history, with({wide}), Status::invalid_argument);

  for (size_t cut = 0; cut < merged.payload.size(); cut += 1 + merged.payload.size() / 50) {
    std::vector<ResidualLink> parts = merged.links;
    for (ResidualLink& part : parts) part.payload_bytes = cut;
    const auto links = with(parts);
    State state{std::vector<int32_t>(history.count()), Bytes(history.count())};
    CHECK(residual_state({links.data(), links.size(), {}, history.origins.data()}, state.values.data(),
                         state.activity.data()) != Status::ok);
  }
  // One escape more than there are symbols for, which only a reader of all checkpoints can know.
  REQUIRE(merged.payload[0] < 0x7F);
  merged.payload[0] += 1;
  merged.payload.insert(merged.payload.begin() + merged.payload[0], 0);
  std::vector<ResidualLink> parts = merged.links;
  for (ResidualLink& part : parts) {
    part.payload = merged.payload.data();
    part.payload_bytes = merged.payload.size();
  }
  state_after(history, with(parts), Status::corrupt);
}

}  // namespace firn::test
