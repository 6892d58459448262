#include <algorithm>
#include <numeric>

#include "firn/delta.h"
#include "firn/residual_quant/lattice.h"
#include "residual_quant/lattice/lattice_kernels.h"
#include "test/kernel_data.h"

namespace firn::test {
namespace {

using Wide = __int128;

// The rules of docs/format-blocks.md, "Lattice blocks", for one element.
struct Element {
  int64_t k = 0;
  int activity = 0, sign = 0;  // sign as stored: 0, 1 plus, 2 minus
};

int64_t rounded(long double value) {
  const long double below = std::floor(value), rest = value - below;
  const auto whole = static_cast<int64_t>(below);
  return rest > 0.5L || (rest == 0.5L && whole % 2 != 0) ? whole + 1 : whole;
}

int64_t units(float weight, const LatticeSegment& s) {
  return rounded(std::ldexp(static_cast<long double>(weight), -s.exponent));
}

// Steps from k' to x.
int64_t moves(int64_t x, int64_t k, const LatticeSegment& s, uint32_t dead_zone) {
  const int64_t r = std::abs(x - k);
  if (r == 0 || r * 256 < int64_t{dead_zone} * s.step) return 0;
  const int64_t steps = std::max<int64_t>(1, (r + s.step / 2) / s.step);
  return x < k ? -steps : steps;
}

uint64_t zigzag(int64_t q, int64_t k) {
  return static_cast<uint64_t>(2 * std::abs(q)) - (q != 0 && (q < 0) != (k < 0));
}

Element after(const Element* before, int64_t q, const LatticeSegment& s) {
  constexpr int kLift[] = {0, 46, 54, 58, 62};
  Element e;
  e.k = before ? before->k << s.shift : 0;
  const int64_t steps = std::abs(q);
  if (steps > 0) e.k += (steps * s.step - s.offsets[std::min<int64_t>(steps, 3) - 1]) * (q < 0 ? -1 : 1);
  e.activity = before ? std::max({before->activity - 6, 0, kLift[std::min<int64_t>(steps, 4)]}) : 42;
  e.sign = !before || q == 0 ? 0 : q > 0 ? 1 : 2;
  return e;
}

uint8_t context(const Element& e, const LatticeSegment& s) {
  int rank = 0;
  for (const int from : {12, 28, 40, 48, 56}) rank += e.activity >= from;
  const int direction = e.sign == 0 ? 0 : (e.sign == 2) == (e.k < 0) ? 1 : 2;
  const int64_t twice = 2 * std::abs(e.k << s.shift);
  return static_cast<uint8_t>(rank * 9 + direction * 3 + (twice < s.step ? 0 : twice < 3 * int64_t{s.step} ? 1 : 2));
}

float value(const Element& e, const LatticeSegment& s) {
  return static_cast<float>(std::ldexp(static_cast<long double>(e.k) * (768 + s.gain), s.exponent - 10));
}

// The zone of one element, from the rate of its move.
uint32_t priced_zone(LatticeHysteresis hysteresis, uint8_t context, bool inwards) {
  if (hysteresis.dead_zone <= 128) return hysteresis.dead_zone;
  const double rate = hysteresis.rates[2 * context + inwards] / 64.0;
  const double zone = 128 + std::floor((hysteresis.dead_zone - 128) * rate + 0.5);
  return static_cast<uint32_t>(std::min(zone, std::max(192.0, double{1} * hysteresis.dead_zone)));
}

std::vector<uint8_t> random_prices(Random& random) {
  std::vector<uint8_t> rates(kLatticeRates);
  for (uint8_t& rate : rates) rate = static_cast<uint8_t>(random.below(256));
  return rates;
}

// A block and everything the calls should say about it.
struct Expected {
  std::vector<Element> elements;
  std::vector<uint8_t> symbols, contexts;
  std::vector<uint32_t> escapes;
  std::vector<LatticeStatistics> statistics;
  std::vector<float> values;
};

Expected expected_of(const std::vector<float>& weights, const std::vector<LatticeSegment>& segments,
                     const std::vector<Element>* previous, LatticeHysteresis hysteresis) {
  Expected out;
  size_t i = 0;
  for (const LatticeSegment& s : segments) {
    LatticeStatistics sums{};
    for (const size_t end = i + s.count; i < end; ++i) {
      const Element* before = previous ? &(*previous)[i] : nullptr;
      const int64_t x = units(weights[i], s), k = before ? before->k << s.shift : 0;
      const uint32_t zone = before && hysteresis.rates
                                ? priced_zone(hysteresis, context(*before, s), (x < k) != (k < 0))
                                : hysteresis.dead_zone;
      const int64_t q = moves(x, k, s, zone);
      const uint64_t z = zigzag(q, k);
      out.symbols.push_back(static_cast<uint8_t>(std::min<uint64_t>(z, 31)));
      if (z >= 31) out.escapes.push_back(static_cast<uint32_t>(z - 31));
      out.contexts.push_back(before ? context(*before, s) : 0);
      out.elements.push_back(after(before, q, s));
      out.values.push_back(value(out.elements.back(), s));
      sums.squares += x * x;
      sums.products += x * (k + q * s.step);
      if (q == 0) continue;
      const size_t j = static_cast<size_t>(std::min<int64_t>(std::abs(q), 3)) - 1;
      ++sums.counts[j];
      sums.residuals[j] += std::abs(x - k) - std::abs(q) * s.step;
      sums.signed_sums[j] += q < 0 ? -x : x;
    }
    out.statistics.push_back(sums);
  }
  return out;
}

// The state as the calls take and give it.
struct State {
  std::vector<int32_t> values;
  std::vector<uint8_t> activity;
  explicit State(size_t count) : values(count), activity(count) {}
  explicit State(const std::vector<Element>& elements) {
    for (const Element& e : elements) {
      values.push_back(static_cast<int32_t>(e.k));
      activity.push_back(static_cast<uint8_t>(e.activity * 4 + e.sign));
    }
  }
  LatticeState view() const { return {values.data(), activity.data()}; }
  bool operator==(const State&) const = default;
};

bool same(const LatticeStatistics& a, const LatticeStatistics& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

LatticeSegments view(const std::vector<LatticeSegment>& segments) { return {segments.data(), segments.size()}; }

// Runs the calls at every level and compares them with `want`. If `weights` is null, runs only the decoder's calls.
void check_block(const Elements* weights, const std::vector<LatticeSegment>& segments,
                 const std::vector<Element>* previous, LatticeHysteresis hysteresis, const Expected& want) {
  const size_t count = want.symbols.size();
  const State before = previous ? State(*previous) : State(0);
  const LatticeState state = previous ? before.view() : LatticeState{};
  for_each_isa([&] {
    const std::string where = std::string(isa_name(active_isa())) + ", " + show(count) + " elements";
    if (weights) {
      std::vector<uint8_t> symbols(count);
      std::vector<uint32_t> escapes{7};
      std::vector<LatticeStatistics> statistics(segments.size());
      CHECK(lattice_quantize(weights->data(), weights->dtype(), view(segments), state, hysteresis, symbols.data(),
                             &escapes, statistics.data()) == Status::ok);
      report(symbols == want.symbols, __FILE__, __LINE__, where + ": symbols");
      report(escapes == want.escapes, __FILE__, __LINE__, where + ": escapes");
      for (size_t i = 0; i < segments.size(); ++i) {
        report(same(statistics[i], want.statistics[i]), __FILE__, __LINE__,
               where + ": statistics of segment " + show(i));
      }
    }
    std::vector<uint8_t> contexts(count);
    CHECK(lattice_contexts(view(segments), state, contexts.data()) == Status::ok);
    report(contexts == want.contexts, __FILE__, __LINE__, where + ": contexts");
    State next(count);
    CHECK(lattice_apply(want.symbols.data(), want.escapes.data(), want.escapes.size(), view(segments), state,
                        next.values.data(), next.activity.data()) == Status::ok);
    report(next == State(want.elements), __FILE__, __LINE__, where + ": state");
    for (const Dtype dtype : kDtypes) {
      const Elements values(want.values, dtype, 1);
      std::vector<uint8_t> bytes(1 + count * dtype_bytes(dtype));
      CHECK(lattice_values(next.values.data(), view(segments), dtype, bytes.data() + 1) == Status::ok);
      const bool equal = std::equal(bytes.begin() + 1, bytes.end(), static_cast<const uint8_t*>(values.data()));
      report(equal, __FILE__, __LINE__, where + ": values");
    }
  });
}

// Weights as the kernels see them.
std::vector<float> seen(const Elements& elements) {
  std::vector<float> values(elements.count());
  for (size_t i = 0; i < values.size(); ++i) values[i] = elements.at(i);
  return values;
}

// One to four segments of `count` elements, weights near 0.05 inside the range of their units.
std::vector<LatticeSegment> random_segments(Random& random, size_t count, bool base) {
  std::vector<LatticeSegment> segments;
  while (count > 0) {
    LatticeSegment s;
    s.count = static_cast<uint32_t>(segments.size() == 3 ? count : 1 + random.below(count));
    s.exponent = -10 - static_cast<int32_t>(random.below(9));
    s.step = static_cast<int32_t>(1 + random.below(size_t{1} << random.below(17)));
    s.step = std::min(s.step, kLatticeStepMax);
    s.shift = base ? 0 : static_cast<int32_t>(random.below(2));
    for (int32_t& offset : s.offsets)
      offset = static_cast<int32_t>(random.below(2 * static_cast<uint64_t>(s.step) - 1)) - s.step + 1;
    s.gain = static_cast<int32_t>(random.below(1024));
    segments.push_back(s);
    count -= s.count;
  }
  return segments;
}

}  // namespace

TEST_CASE("lattice: the example of docs/format-blocks.md, section 11, is what the calls write and read") {
  struct Checkpoint {
    LatticeSegment segment;
    std::vector<float> x;
    std::vector<uint8_t> contexts, symbols;
    std::vector<uint32_t> escapes;
    std::vector<int32_t> values;
    std::vector<uint8_t> activity;
  };
  const Checkpoint checkpoints[] = {
      {{4, -10, 8, 0, {1, 0, 2}, 256},
       {21, -51, 3, 1000},
       {0, 0, 0, 0},
       {6, 11, 0, 31},
       {219},
       {22, -46, 0, 998},
       {168, 168, 168, 168}},
      {{4, -11, 10, 1, {2, 0, 0}, 260},
       {44, -100, -7, 1960},
       {29, 29, 27, 29},
       {0, 2, 1, 7},
       {},
       {44, -100, -8, 1956},
       {144, 186, 186, 250}},
      {{4, -11, 10, 0, {2, 0, 0}, 260},
       {44, -100, -8, 1956},
       {20, 32, 31, 53},
       {0, 0, 0, 0},
       {},
       {44, -100, -8, 1956},
       {120, 160, 160, 224}},
  };
  for_each_isa([&] {
    State state(4);
    LatticeState previous;
    for (const Checkpoint& c : checkpoints) {
      const LatticeSegments segments{&c.segment, 1};
      std::vector<float> weights(4), rebuilt(4);
      for (size_t i = 0; i < 4; ++i) weights[i] = std::ldexp(c.x[i], c.segment.exponent);
      std::vector<uint8_t> symbols(4), contexts(4);
      std::vector<uint32_t> escapes;
      LatticeStatistics sums;
      REQUIRE(lattice_quantize(weights.data(), Dtype::f32, segments, previous, 128, symbols.data(), &escapes, &sums) ==
              Status::ok);
      REQUIRE(lattice_contexts(segments, previous, contexts.data()) == Status::ok);
      CHECK(symbols == c.symbols && escapes == c.escapes && contexts == c.contexts);
      State next(4);
      REQUIRE(lattice_apply(symbols.data(), escapes.data(), escapes.size(), segments, previous, next.values.data(),
                            next.activity.data()) == Status::ok);
      CHECK(next.values == c.values && next.activity == c.activity);
      REQUIRE(lattice_values(next.values.data(), segments, Dtype::f32, rebuilt.data()) == Status::ok);
      if (c.segment.gain == 260) {
        constexpr uint32_t kBits[] = {0x3cb0b000, 0xbd48c800, 0xbb808000, 0x3f757480};
        for (size_t i = 0; i < 4; ++i) CHECK_EQ(std::bit_cast<uint32_t>(rebuilt[i]), kBits[i]);
      }
      state = next;
      previous = state.view();
    }
  });
}

TEST_CASE(
    "lattice: a chain of checkpoints has the symbols, contexts, states, values and sums of the rules at every level") {
  Random random(71);
  for (const size_t count : kCounts) {
    for (const Dtype dtype : kDtypes) {
      std::vector<float> path = plain_weights(random, count);
      std::vector<LatticeSegment> segments;
      Expected last;
      for (int checkpoint = 0; checkpoint < 4; ++checkpoint) {
        const std::vector<LatticeSegment> fresh = random_segments(random, count, checkpoint == 0);
        if (checkpoint == 0) segments = fresh;
        for (size_t i = 0; i < segments.size(); ++i) {  // the same tensors, with other parameters
          const LatticeSegment& other = fresh[i % std::max<size_t>(fresh.size(), 1)];
          if (checkpoint == 0) break;
          segments[i].shift = other.shift;
          segments[i].exponent -= other.shift;
          segments[i].step = other.step, segments[i].gain = other.gain;
          std::copy(other.offsets, other.offsets + kLatticeOffsets, segments[i].offsets);
        }
        const auto dead_zone = static_cast<uint32_t>(random.below(kLatticeDeadZoneMax + 1));
        const Elements weights(path, dtype, 1 + random.below(7));
        const std::vector<Element> previous = last.elements;
        const std::vector<Element>* before = checkpoint == 0 ? nullptr : &previous;
        const std::vector<uint8_t> rates = random_prices(random);
        const LatticeHysteresis hysteresis(dead_zone, random.below(2) ? rates.data() : nullptr);
        last = expected_of(seen(weights), segments, before, hysteresis);
        check_block(&weights, segments, before, hysteresis, last);
        for (float& weight : path) weight += random.below(4) ? 0.001f * gaussian(random) : 0.0f;
      }
    }
  }
}

TEST_CASE("lattice: weights and values at the ends of their ranges keep every sum exact") {
  Random random(72);
  for (const int32_t step : {1, 2, 3, 255, 65535}) {
    for (const int32_t far : {0, kLatticeValueMax}) {
      std::vector<LatticeSegment> segments(2);
      segments[0].count = 5, segments[1].count = kBlockElementsMax - 5;
      for (LatticeSegment& s : segments) s.step = step, s.offsets[2] = step - 1;
      std::vector<float> weights(kBlockElementsMax, static_cast<float>(kLatticeWeightMax));
      std::vector<Element> previous(kBlockElementsMax);
      for (size_t i = 0; i < weights.size(); ++i) {
        previous[i] = {far == 0 ? 0 : -far, 63, 2};
        if (random.below(16) == 0) weights[i] = static_cast<float>(random.below(1 << 20));
        if (random.below(16) == 0)
          previous[i].k = static_cast<int64_t>(random.below(2 * kLatticeValueMax)) - kLatticeValueMax;
      }
      const Elements elements(weights, Dtype::f32, 3);
      check_block(&elements, segments, &previous, 128, expected_of(weights, segments, &previous, 128));
    }
  }
}

TEST_CASE("lattice: ties, dead zones and the escape fall where the rules say") {
  LatticeSegment s;
  s.step = 10;
  struct Row {
    float x;
    int32_t k;
    uint32_t dead_zone, zigzag;
  };
  // 166: 0.6484 steps, so that 6 stays and 7 moves. A move past zero is inwards.
  for (const Row row : {Row{4, 0, 128, 0},     Row{5, 0, 128, 2},    Row{-5, 0, 128, 1},    Row{14, 0, 128, 2},
                        Row{15, 0, 128, 4},    Row{6, 0, 166, 0},    Row{7, 0, 166, 2},     Row{0, 0, 0, 0},
                        Row{1, 0, 0, 2},       Row{-1, 0, 0, 1},     Row{-30, -20, 128, 2}, Row{-10, -20, 128, 1},
                        Row{40, -20, 128, 11}, Row{150, 0, 128, 30}, Row{160, 0, 128, 32},  Row{-160, 0, 128, 31},
                        Row{0.5, 0, 0, 0},     Row{1.5, 0, 0, 2},    Row{39, 0, 1024, 0},   Row{40, 0, 1024, 8}}) {
    s.count = 40;  // the same element in every lane
    const std::vector<float> weights(s.count, row.x);
    const State previous{std::vector<Element>(s.count, Element{row.k, 0, 0})};
    for_each_isa([&] {
      std::vector<uint8_t> symbols(s.count);
      std::vector<uint32_t> escapes;
      LatticeStatistics sums;
      REQUIRE(lattice_quantize(weights.data(), Dtype::f32, {&s, 1}, previous.view(), row.dead_zone, symbols.data(),
                               &escapes, &sums) == Status::ok);
      for (const uint8_t symbol : symbols) CHECK_EQ(symbol, std::min(row.zigzag, 31u));
      CHECK_EQ(escapes.size(), row.zigzag >= 31 ? symbols.size() : 0);
      for (const uint32_t escape : escapes) CHECK_EQ(escape + 31, row.zigzag);
    });
  }
}

TEST_CASE("lattice: a move with a rate of its own happens from where it takes that much off the squared error") {
  LatticeSegment s;
  s.step = 256;
  // Above zero, never moved, within half a step of zero: context 0. With a mean zone of 160 the mean rate is a quarter
  // of a squared step.
  struct Row {
    uint8_t outwards, inwards;
    int32_t zone_up, zone_down;
  };
  for (const Row row : {Row{64, 64, 160, 160}, Row{0, 32, 128, 144}, Row{96, 0, 176, 128}, Row{128, 255, 192, 192},
                        Row{1, 3, 129, 130}}) {
    std::vector<uint8_t> rates(kLatticeRates, 64);
    rates[0] = row.outwards, rates[1] = row.inwards;
    s.count = 40;
    const State previous{std::vector<Element>(s.count, Element{16, 0, 0})};
    const auto moved = [&](int32_t by, uint32_t zone) {
      const std::vector<float> weights(s.count, static_cast<float>(16 + by));
      size_t each = 0;
      for_each_isa([&] {
        std::vector<uint8_t> symbols(s.count);
        std::vector<uint32_t> escapes;
        LatticeStatistics sums;
        REQUIRE(lattice_quantize(weights.data(), Dtype::f32, {&s, 1}, previous.view(), {zone, rates.data()},
                                 symbols.data(), &escapes, &sums) == Status::ok);
        each = static_cast<size_t>(
            std::count_if(symbols.begin(), symbols.end(), [](uint8_t symbol) { return symbol != 0; }));
        CHECK(each == 0 || each == s.count);
      });
      return each > 0;
    };
    CHECK(moved(row.zone_up, 160) && !moved(row.zone_up - 1, 160));
    CHECK(moved(-row.zone_down, 160) && !moved(1 - row.zone_down, 160));
    // The nearest point asks no rate; nor is a zone beyond the widest one cut.
    CHECK(moved(128, 128) && !moved(127, 128));
    CHECK(moved(-100, 100) && !moved(-99, 100));
    if (row.outwards == 128) CHECK(moved(300, 300) && !moved(299, 300));
  }
}

TEST_CASE("lattice: the largest and smallest exponents, gains and values rebuild exactly, subnormals included") {
  for (const int32_t exponent : {kLatticeExponentMin, -126 + 9, -100, 0, kLatticeExponentMax}) {
    for (const int32_t gain : {0, 1, 255, 256, kLatticeGainMax}) {
      std::vector<Element> elements;
      for (const int64_t k : {0, 1, 3, 255, 257, 8191, 1 << 22, kLatticeValueMax}) {
        elements.push_back({k, 0, 0});
        elements.push_back({-k, 0, 0});
      }
      LatticeSegment s;
      s.count = static_cast<uint32_t>(elements.size()), s.exponent = exponent, s.gain = gain;
      const State state(elements);
      for_each_isa([&] {
        std::vector<float> values(elements.size());
        REQUIRE(lattice_values(state.values.data(), {&s, 1}, Dtype::f32, values.data()) == Status::ok);
        for (size_t i = 0; i < values.size(); ++i) {
          CHECK(std::isfinite(values[i]));
          CHECK_EQ(std::bit_cast<uint32_t>(values[i]), std::bit_cast<uint32_t>(value(elements[i], s) + 0.0f));
        }
      });
    }
  }
}

// The error of moves with offsets and a gain, in units squared.
double error_of(const LatticeErrorSums& sums, const LatticeSegment& s) {
  const double gamma = (768.0 + s.gain) / 1024 - 1;
  double own = sums.residuals, crossed = sums.products;
  for (size_t j = 0; j < kLatticeOffsets; ++j) {
    const double offset = s.offsets[j];
    own += 2 * offset * sums.signed_residuals[j] + offset * offset * sums.weights[j];
    crossed += offset * sums.signed_products[j];
  }
  return own - 2 * gamma * (crossed - own) + gamma * gamma * (sums.squares - 2 * crossed + own);
}

TEST_CASE(
    "lattice: error sums give the error of any offsets and gain, weighted by gradients of any kind, the same at every "
    "level") {
  Random random(73);
  for (const size_t count : kCounts) {
    if (count == 0) continue;
    for (const bool base : {false, true}) {
      LatticeSegment s;
      s.count = static_cast<uint32_t>(count), s.step = 37, s.shift = base ? 0 : 1;
      std::vector<float> weights(count), gradients = wild_floats(random, count);
      State previous(count);
      for (size_t i = 0; i < count; ++i) {
        const bool far = random.below(50) == 0;  // an escape
        previous.values[i] = static_cast<int32_t>(random.below(2000)) - 1000;
        weights[i] = static_cast<float>((base ? 0 : 2 * previous.values[i]) +
                                        static_cast<int32_t>(random.below(far ? 4000 : 200)) - 100);
      }
      const LatticeState before = base ? LatticeState{} : previous.view();
      std::vector<uint8_t> symbols(count), activity(count);
      std::vector<uint32_t> escapes;
      LatticeStatistics statistics;
      REQUIRE(lattice_quantize(weights.data(), Dtype::f32, {&s, 1}, before, 156, symbols.data(), &escapes,
                               &statistics) == Status::ok);
      const float scale = 40.0f;
      for (const bool weighted : {false, true}) {
        const void* g = weighted ? gradients.data() : nullptr;
        const auto sums_of = [&] {
          LatticeErrorSums sums;
          CHECK_EQ(lattice_error_sums(weights.data(), Dtype::f32, g, Dtype::f32, &scale, symbols.data(), escapes.data(),
                                      escapes.size(), {&s, 1}, before, &sums),
                   Status::ok);
          return sums;
        };
        limit_isa(Isa::scalar);
        const LatticeErrorSums sums = sums_of();
        for_each_isa([&] {
          const LatticeErrorSums again = sums_of();
          CHECK(std::memcmp(&sums, &again, sizeof sums) == 0);
        });
        LatticeSegment fitted = s;
        fitted.offsets[0] = 9, fitted.offsets[1] = -5, fitted.offsets[2] = 30, fitted.gain = 310;
        std::vector<int32_t> values(count);
        REQUIRE(lattice_apply(symbols.data(), escapes.data(), escapes.size(), {&fitted, 1}, before, values.data(),
                              activity.data()) == Status::ok);
        double error = 0, fresh = 0;
        for (size_t i = 0; i < count; ++i) {
          const float h = gradients[i] * scale, square = h * h;
          const auto weight = static_cast<double>(!weighted ? 1 : square != square ? 0 : std::min(square, 0x1p40f));
          const double x = weights[i], off = x - values[i] * (768.0 + fitted.gain) / 1024,
                       over = std::fmod(std::fabs(x), s.step);
          error += weight * off * off;
          fresh += weight * std::pow(std::min(over, s.step - over), 2);
        }
        CHECK_NEAR(error_of(sums, fitted), error, 1e-9 * (error + sums.squares));
        CHECK_NEAR(sums.fresh, fresh, 1e-9 * fresh);
      }
    }
  }
}

TEST_CASE("lattice: error sums take the segments of a block apart") {
  Random random(77);
  const std::vector<float> weights = plain_weights(random, 6000);
  std::vector<LatticeSegment> segments(3, LatticeSegment{.exponent = -11, .step = 500});
  segments[0].count = 2500, segments[1].count = 3, segments[2].count = 3497;
  std::vector<uint8_t> symbols(6000);
  std::vector<uint32_t> escapes;
  std::vector<LatticeStatistics> statistics(3);
  REQUIRE(lattice_quantize(weights.data(), Dtype::f32, view(segments), {}, 128, symbols.data(), &escapes,
                           statistics.data()) == Status::ok);
  REQUIRE(escapes.empty());
  for_each_isa([&] {
    std::vector<LatticeErrorSums> sums(3);
    CHECK_EQ(lattice_error_sums(weights.data(), Dtype::f32, nullptr, Dtype::f32, nullptr, symbols.data(), nullptr, 0,
                                view(segments), {}, sums.data()),
             Status::ok);
    size_t first = 0;
    for (size_t i = 0; i < 3; first += segments[i++].count) {
      LatticeErrorSums alone;
      CHECK_EQ(lattice_error_sums(&weights[first], Dtype::f32, nullptr, Dtype::f32, nullptr, &symbols[first], nullptr,
                                  0, {&segments[i], 1}, {}, &alone),
               Status::ok);
      CHECK(std::memcmp(&alone, &sums[i], sizeof alone) == 0);
    }
  });
}

TEST_CASE("lattice: symbols and escapes that no encoder writes are refused wherever they are") {
  Random random(74);
  constexpr size_t kCount = 200;
  LatticeSegment s;
  s.count = kCount, s.step = 65535, s.shift = 3;
  for (int round = 0; round < 200; ++round) {
    const size_t at = random.below(kCount);
    const bool base = random.below(4) == 0;
    const int kind = static_cast<int>(random.below(base ? 4 : 6));
    std::vector<uint8_t> symbols(kCount);
    for (uint8_t& symbol : symbols) symbol = static_cast<uint8_t>(random.below(5));
    std::vector<uint32_t> escapes;
    State previous(kCount);
    for (int32_t& k : previous.values) k = static_cast<int32_t>(random.below(2000)) - 1000;
    switch (kind) {
      case 0: symbols[at] = static_cast<uint8_t>(32 + random.below(224)); break;
      case 1: symbols[at] = kLatticeEscape; break;  // and no escape
      case 2: escapes.push_back(0); break;          // and no symbol
      case 3:
        symbols[at] = kLatticeEscape, escapes.push_back(0xFFFFFFFF - static_cast<uint32_t>(random.below(1u << 31)));
        break;
      case 4:
        previous.values[at] = random.below(2) ? 1 << 20 : std::numeric_limits<int32_t>::min();
        break;                                                                      // shifted out of range
      case 5: previous.values[at] = kLatticeValueMax >> 3, symbols[at] = 2; break;  // moved out of range
    }
    for_each_isa([&] {
      State next(kCount);
      CHECK(lattice_apply(symbols.data(), escapes.data(), escapes.size(), {&s, 1},
                          base ? LatticeState{} : previous.view(), next.values.data(),
                          next.activity.data()) == Status::corrupt);
    });
  }
}

TEST_CASE("lattice: weights out of range and values no state holds are refused wherever they are") {
  Random random(75);
  constexpr size_t kCount = 100;
  LatticeSegment s;
  s.count = kCount;
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {nan, infinity, -infinity, 4194303.5f, 4194304.0f, -4194304.0f, 3e38f, -3e9f}) {
    std::vector<float> weights(kCount, 3.0f);
    std::vector<uint8_t> symbols(kCount);
    weights[random.below(kCount)] = bad;
    for_each_isa([&] {
      std::vector<uint32_t> escapes;
      LatticeStatistics sums;
      LatticeErrorSums errors;
      CHECK(lattice_quantize(weights.data(), Dtype::f32, {&s, 1}, {}, 128, symbols.data(), &escapes, &sums) ==
            Status::invalid_argument);
      std::fill(symbols.begin(), symbols.end(), uint8_t{0});
      CHECK(lattice_error_sums(weights.data(), Dtype::f32, nullptr, Dtype::f32, nullptr, symbols.data(), nullptr, 0,
                               {&s, 1}, {}, &errors) == Status::invalid_argument);
    });
  }
  const std::vector<float> weights(kCount, 3.0f);
  for (const int32_t bad : {kLatticeValueMax + 1, -kLatticeValueMax - 1, std::numeric_limits<int32_t>::min()}) {
    State previous(kCount);
    previous.values[random.below(kCount)] = bad;
    for_each_isa([&] {
      std::vector<uint8_t> symbols(kCount);
      std::vector<uint32_t> escapes;
      LatticeStatistics sums;
      LatticeErrorSums errors;
      CHECK(lattice_quantize(weights.data(), Dtype::f32, {&s, 1}, previous.view(), 128, symbols.data(), &escapes,
                             &sums) == Status::invalid_argument);
      std::fill(symbols.begin(), symbols.end(), uint8_t{0});
      CHECK(lattice_error_sums(weights.data(), Dtype::f32, nullptr, Dtype::f32, nullptr, symbols.data(), nullptr, 0,
                               {&s, 1}, previous.view(), &errors) == Status::invalid_argument);
    });
  }
}

TEST_CASE("lattice: parameters outside their ranges are refused by every call") {
  std::vector<LatticeSegment> wrong(15);
  for (LatticeSegment& s : wrong) s.count = 4, s.step = 10;
  wrong[0].count = 0;
  wrong[1].count = kBlockElementsMax + 1;
  wrong[2].exponent = kLatticeExponentMin - 1;
  wrong[3].exponent = kLatticeExponentMax + 1;
  wrong[4].step = 0;
  wrong[5].step = kLatticeStepMax + 1;
  wrong[6].shift = -1;
  wrong[7].shift = kLatticeShiftMax + 1;
  wrong[8].offsets[0] = 10;
  wrong[9].offsets[1] = -10;
  wrong[10].offsets[2] = std::numeric_limits<int32_t>::min();
  wrong[11].gain = -1;
  wrong[12].gain = kLatticeGainMax + 1;
  wrong[13].step = std::numeric_limits<int32_t>::min();
  wrong[14].step = std::numeric_limits<int32_t>::max();
  for (const LatticeSegment& s : wrong) {
    const LatticeSegments segments{&s, 1};
    uint8_t bytes[16] = {};
    int32_t values[4] = {};
    std::vector<uint32_t> escapes;
    LatticeStatistics sums;
    LatticeErrorSums errors;
    CHECK(lattice_quantize(bytes, Dtype::f32, segments, {}, 0, bytes, &escapes, &sums) == Status::invalid_argument);
    CHECK(lattice_contexts(segments, {}, bytes) == Status::invalid_argument);
    CHECK(lattice_apply(bytes, nullptr, 0, segments, {}, values, bytes) == Status::invalid_argument);
    CHECK(lattice_values(values, segments, Dtype::f32, bytes) == Status::invalid_argument);
    CHECK(lattice_place(bytes, Dtype::f32, segments, values) == Status::invalid_argument);
    CHECK(lattice_error_sums(bytes, Dtype::f32, nullptr, Dtype::f32, nullptr, bytes, nullptr, 0, segments, {},
                             &errors) == Status::invalid_argument);
  }
  const std::vector<LatticeSegment> halves(2, LatticeSegment{.count = kBlockElementsMax / 2 + 1});
  CHECK(lattice_contexts(view(halves), {}, nullptr) == Status::invalid_argument);
  LatticeSegment s;
  s.count = 1;
  const float weight = 0;
  uint8_t symbol;
  std::vector<uint32_t> escapes;
  LatticeStatistics sums;
  CHECK(lattice_quantize(&weight, Dtype::f32, {&s, 1}, {}, kLatticeDeadZoneMax + 1, &symbol, &escapes, &sums) ==
        Status::invalid_argument);
}

TEST_CASE("lattice: elements of any dtype are placed at the nearest unit, and bounded") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const size_t count = 1 + random.below(2 * kStepElements);
    const std::vector<LatticeSegment> segments = random_segments(random, count, round % 2 == 0);
    std::vector<float> numbers(count);
    for (float& number : numbers) {
      const auto bits = static_cast<uint32_t>(random.below(size_t{1} << 32));
      std::memcpy(&number, &bits, sizeof number);
      // Halves of units, which are ties.
      const float halves = static_cast<float>(random.below(99)) - 49;
      if (random.below(4) == 0) number = std::ldexp(halves, segments[0].exponent - 1);
      if (random.below(50) == 0) number = random.below(2) == 0 ? kInfinity : -kInfinity;
      if (random.below(50) == 0) number = kNan;
    }
    for (const Dtype dtype : kDtypes) {
      const Elements elements(numbers, dtype, 1);
      std::vector<int32_t> values(count), want;
      size_t i = 0;
      for (const LatticeSegment& s : segments) {
        for (const size_t end = i + s.count; i < end; ++i) {
          const float element = elements.at(i);
          const long double scaled = std::ldexp(static_cast<long double>(element), -s.exponent);
          const long double bounded =
              std::isnan(element) ? 0
                                  : std::min<long double>(std::max<long double>(scaled, -kLatticeValueMax),
                                                          kLatticeValueMax);
          want.push_back(static_cast<int32_t>(rounded(bounded)));
        }
      }
      CHECK(lattice_place(elements.data(), dtype, view(segments), values.data()) == Status::ok);
      CHECK(values == want);
    }
  }
}

TEST_CASE(
    "lattice: moving in place with the contexts of what comes next is what moving and then looking for them gives, at "
    "every level") {
  Random random(99);
  for (int round = 0; round < 400; ++round) {
    const size_t count = random.below(8) == 0 ? kStepElements : random.below(300);
    LatticeSegment segment = random_segments(random, 1, true)[0];
    if (random.below(4) == 0) segment.shift = static_cast<int32_t>(random.below(4));
    LatticeSegment next_segment = segment;
    if (random.below(2) == 0)
      next_segment.step = std::min(kLatticeStepMax, next_segment.step + static_cast<int32_t>(random.below(9)));
    if (random.below(4) == 0) next_segment.shift = 1;
    const LatticeRule rule = lattice_rule(segment, 0), next = lattice_rule(next_segment, 0);
    const uint64_t one_in = uint64_t{1} << random.below(9), kinds = round % 3 == 0 ? kLatticeEscape + 1u : 5;
    // Now and then a value that a move takes out of range, a symbol that is none, or an escape too few.
    const int32_t value_max = random.below(6) == 0 ? kLatticeValueMax : 4 * segment.step;
    State before(count);
    std::vector<uint8_t> symbols(count), contexts(count);
    std::vector<uint32_t> escapes;
    for (size_t i = 0; i < count; ++i) {
      before.values[i] = static_cast<int32_t>(random.below(2 * static_cast<uint64_t>(value_max) + 1)) - value_max;
      before.activity[i] = static_cast<uint8_t>(random.below(63) << 2 | random.below(3));
      symbols[i] = random.below(one_in) == 0 ? static_cast<uint8_t>(random.below(kinds)) : 0;
      if (symbols[i] == kLatticeEscape)
        escapes.push_back(static_cast<uint32_t>(random.below(random.below(50) == 0 ? UINT32_MAX : 200)));
    }
    if (count > 0 && random.below(20) == 0)
      symbols[random.below(count)] = static_cast<uint8_t>(kLatticeEscape + random.below(200));
    if (!escapes.empty() && random.below(10) == 0) escapes.pop_back();
    scalar::lattice_contexts(rule, before.values.data(), before.activity.data(), count, contexts.data());

    State want(count);
    SymbolCursor want_moves{symbols.data(), escapes.data(), escapes.size()};
    const bool want_done = scalar::lattice_apply(rule, want_moves, before.values.data(), before.activity.data(), count,
                                                 want.values.data(), want.activity.data());
    std::vector<uint8_t> want_contexts(count);
    if (want_done)
      scalar::lattice_contexts(next, want.values.data(), want.activity.data(), count, want_contexts.data());
    for_each_isa([&] {
      State state = before;
      std::vector<uint8_t> found = contexts;
      SymbolCursor moves{symbols.data(), escapes.data(), escapes.size()};
      const bool done =
          lattice_kernels().follow(rule, next, moves, state.values.data(), state.activity.data(), count, found.data());
      const std::string where = std::string(isa_name(active_isa())) + ", round " + show(round);
      report(done == want_done, __FILE__, __LINE__, where + ": whether it is corrupt");
      if (!done || !want_done) return;
      report(state == want, __FILE__, __LINE__, where + ": state");
      report(found == want_contexts, __FILE__, __LINE__, where + ": contexts");
      CHECK_EQ(moves.escapes_left, want_moves.escapes_left);
    });

    // The same moves from a base.
    SymbolCursor base_moves{symbols.data(), escapes.data(), escapes.size()};
    const bool base_done =
        scalar::lattice_apply(rule, base_moves, nullptr, nullptr, count, want.values.data(), want.activity.data());
    if (base_done)
      scalar::lattice_contexts(next, want.values.data(), want.activity.data(), count, want_contexts.data());
    for_each_isa([&] {
      State state(count);
      std::vector<uint8_t> found(count);
      SymbolCursor moves{symbols.data(), escapes.data(), escapes.size()};
      const bool done =
          lattice_kernels().begin(rule, next, moves, count, state.values.data(), state.activity.data(), found.data());
      const std::string where = std::string(isa_name(active_isa())) + ", base, round " + show(round);
      report(done == base_done, __FILE__, __LINE__, where + ": whether it is corrupt");
      if (!done || !base_done) return;
      report(state == want, __FILE__, __LINE__, where + ": state");
      report(found == want_contexts, __FILE__, __LINE__, where + ": contexts");
      CHECK_EQ(moves.escapes_left, base_moves.escapes_left);
    });
  }
}

TEST_CASE("lattice: errors do not build up, however many checkpoints follow each other") {
  const std::vector<float> first = real_weights("earlier"), second = real_weights("later");
  REQUIRE(first.size() == 9216 && second.size() == first.size());
  LatticeSegment s;
  s.count = static_cast<uint32_t>(first.size()), s.exponent = -20, s.step = 6000;
  State state(0);
  for (int checkpoint = 0; checkpoint < 40; ++checkpoint) {
    std::vector<float> weights(first.size()), rebuilt(first.size());
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] = first[i] + 0.1f * static_cast<float>(checkpoint) * (second[i] - first[i]);
    std::vector<uint8_t> symbols(s.count);
    std::vector<uint32_t> escapes;
    LatticeStatistics sums;
    const LatticeState before = checkpoint ? state.view() : LatticeState{};
    REQUIRE(lattice_quantize(weights.data(), Dtype::f32, {&s, 1}, before, 160, symbols.data(), &escapes, &sums) ==
            Status::ok);
    for (size_t j = 0; j < kLatticeOffsets; ++j) {  // what an encoder does with the sums
      s.offsets[j] = sums.counts[j] ? static_cast<int32_t>(-sums.residuals[j] / sums.counts[j]) : 0;
    }
    State next(s.count);
    REQUIRE(lattice_apply(symbols.data(), escapes.data(), escapes.size(), {&s, 1}, before, next.values.data(),
                          next.activity.data()) == Status::ok);
    REQUIRE(lattice_values(next.values.data(), {&s, 1}, Dtype::f32, rebuilt.data()) == Status::ok);
    for (size_t i = 0; i < weights.size(); ++i) CHECK(std::fabs(weights[i] - rebuilt[i]) <= 1.1f * 6000 * 0x1p-20f);
    LatticeErrorSums errors;
    REQUIRE(lattice_error_sums(weights.data(), Dtype::f32, nullptr, Dtype::f32, nullptr, symbols.data(), escapes.data(),
                               escapes.size(), {&s, 1}, before, &errors) == Status::ok);
    CHECK(error_of(errors, s) <= 1.5 * errors.fresh);
    state = next;
  }
}

}  // namespace firn::test
