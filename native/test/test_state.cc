#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "check.h"
#include "firn/state.h"
#include "optimizer_state/level_fit.h"
#include "optimizer_state/zigzag.h"

namespace {

using namespace firn;
using firn::test::Random;
using Bytes = std::vector<uint8_t>;
using Floats = std::vector<float>;

constexpr float kInfinity = INFINITY;

double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

// Moments of a matrix whose squared gradients are a product of rows and columns, and of a vector after it.
struct Moments {
  Floats first, second, earlier;
  std::vector<StateSegment> segments;
  StateLayout layout() const { return {segments.data(), segments.size(), second.size()}; }
};

Moments moments(uint32_t rows, uint32_t columns, uint32_t vector, uint32_t column = 0) {
  Random random(rows * 1000 + columns);
  Moments result;
  const uint32_t matrix = rows * columns - column;
  result.segments = {{matrix, columns, column}, {vector, 0, 0}};
  Floats of_row(rows), of_column(columns);
  for (float& value : of_row) value = static_cast<float>(2 * normal(random));
  for (float& value : of_column) value = static_cast<float>(2 * normal(random));
  for (uint32_t i = 0; i < matrix + vector; ++i) {
    const double scale =
        i < matrix ? static_cast<double>(of_row[(i + column) / columns] + of_column[(i + column) % columns]) : 0.0;
    const double before = normal(random), now = 0.8 * before + 0.6 * normal(random);
    result.earlier.push_back(static_cast<float>(1e-9 * std::exp2(scale + before)));
    result.second.push_back(static_cast<float>(1e-9 * std::exp2(scale + now)));
    result.first.push_back(
        static_cast<float>(0.25 * normal(random) * std::sqrt(static_cast<double>(result.second.back()))));
  }
  return result;
}

Bytes encoded(StateKind kind, const Floats& values, const Floats* reference, const StateLayout& layout) {
  Bytes out;
  CHECK_EQ(state_encode(kind, values.data(), reference ? reference->data() : nullptr, layout, &out), Status::ok);
  return out;
}

Floats decoded(StateKind kind, const Bytes& payload, const Floats* reference, const StateLayout& layout) {
  Floats out(layout.count);
  CHECK_EQ(
      state_decode(kind, payload.data(), payload.size(), reference ? reference->data() : nullptr, layout, out.data()),
      Status::ok);
  return out;
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
}

TEST_CASE("second moments come back within their level, whatever the earlier checkpoint is") {
  const Moments m = moments(96, 64, 96, 5);
  const StateLayout layout = m.layout();
  const Bytes alone = encoded(StateKind::second_moment, m.second, nullptr, layout);
  const Bytes behind = encoded(StateKind::second_moment, m.second, &m.earlier, layout);
  CHECK(!state_needs_previous(alone.data(), alone.size()));
  CHECK(state_needs_previous(behind.data(), behind.size()));
  CHECK(behind.size() < alone.size());
  CHECK(alone.size() * 8 < layout.count * 3);
  const Floats rebuilt = decoded(StateKind::second_moment, alone, nullptr, layout);
  CHECK(same_bits(rebuilt, decoded(StateKind::second_moment, behind, &m.earlier, layout)));
  double bias = 0;
  for (size_t i = 0; i < rebuilt.size(); ++i) {
    const double octaves = std::log2(static_cast<double>(rebuilt[i]) / static_cast<double>(m.second[i]));
    CHECK(octaves > -0.51 && octaves < 0.51);
    bias += octaves;
  }
  CHECK(std::fabs(bias / static_cast<double>(rebuilt.size())) < 0.02);
}

TEST_CASE("levels are those of their own values again") {
  const Moments m = moments(20, 30, 7);
  const Floats rebuilt = decoded(StateKind::second_moment,
                                 encoded(StateKind::second_moment, m.second, nullptr, m.layout()), nullptr, m.layout());
  CHECK(same_bits(rebuilt,
                  decoded(StateKind::second_moment, encoded(StateKind::second_moment, rebuilt, &m.earlier, m.layout()),
                          &m.earlier, m.layout())));
}

TEST_CASE("first moments change no element of the next update by more than half a step") {
  const Moments m = moments(64, 48, 33);
  const StateLayout layout = m.layout();
  const Floats second =
      decoded(StateKind::second_moment, encoded(StateKind::second_moment, m.second, nullptr, layout), nullptr, layout);
  const Bytes payload = encoded(StateKind::first_moment, m.first, &second, layout);
  CHECK(payload.size() * 8 < layout.count * 3);
  const Floats rebuilt = decoded(StateKind::first_moment, payload, &second, layout);
  for (size_t i = 0; i < rebuilt.size(); ++i) {
    const double denominator = std::sqrt(static_cast<double>(second[i])) + 1e-8;
    CHECK(std::fabs(static_cast<double>(rebuilt[i]) - static_cast<double>(m.first[i])) / denominator <=
          0.5001 * static_cast<double>(kFirstMomentStep));
  }
}

TEST_CASE("momentum comes back within a share of its row's root mean square") {
  const Moments m = moments(40, 50, 21);
  const Floats rebuilt =
      decoded(StateKind::momentum, encoded(StateKind::momentum, m.first, nullptr, m.layout()), nullptr, m.layout());
  for (size_t row = 0; row < 40; ++row) {
    double squares = 0;
    for (size_t i = 50 * row; i < 50 * row + 50; ++i)
      squares += static_cast<double>(m.first[i]) * static_cast<double>(m.first[i]);
    const double root = std::sqrt(squares / 50);
    for (size_t i = 50 * row; i < 50 * row + 50; ++i) {
      CHECK(std::fabs(static_cast<double>(rebuilt[i]) - static_cast<double>(m.first[i])) <=
            0.55 * 1.2 * static_cast<double>(kMomentumStep) * root);
    }
  }
}

TEST_CASE("clusters take twelve bits an element, and values come back within a 255th of their cluster") {
  const Moments m = moments(64, 32, 8);
  const StateLayout layout = m.layout();
  const Bytes payload = encoded(StateKind::clusters, m.first, nullptr, layout);
  CHECK_EQ(payload.size(), 1 + 2 * 128 + layout.count / 2 + layout.count);
  const Floats rebuilt = decoded(StateKind::clusters, payload, nullptr, layout);
  double worst = 0, largest = 0;
  for (size_t i = 0; i < rebuilt.size(); ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(rebuilt[i]) - static_cast<double>(m.first[i])));
    largest = std::max(largest, std::fabs(static_cast<double>(m.first[i])));
  }
  CHECK(worst <= largest / 255);
}

TEST_CASE("blocks that have no place among the levels come back exact") {
  const Moments m = moments(8, 8, 3);
  const Floats reference(m.second.size(), 1e-8f);
  for (const StateKind kind :
       {StateKind::second_moment, StateKind::first_moment, StateKind::momentum, StateKind::clusters}) {
    const Floats* const second = kind == StateKind::first_moment ? &reference : nullptr;
    for (const float odd : {NAN, kInfinity, -kInfinity}) {
      Floats values = m.second;
      values[5] = odd;
      CHECK(same_bits(values, decoded(kind, encoded(kind, values, second, m.layout()), second, m.layout())));
    }
  }
  Floats negative = m.second, huge = m.first;
  negative[2] = -1e-9f;
  huge[3] = 1e9f;
  CHECK(same_bits(negative,
                  decoded(StateKind::second_moment, encoded(StateKind::second_moment, negative, nullptr, m.layout()),
                          nullptr, m.layout())));
  CHECK(same_bits(huge, decoded(StateKind::first_moment, encoded(StateKind::first_moment, huge, &reference, m.layout()),
                                &reference, m.layout())));
}

TEST_CASE("no number comes back as an infinity, and a negative zero has a place") {
  constexpr float kLargest = std::numeric_limits<float>::max();
  const Moments m = moments(8, 8, 3);
  for (const size_t places : {size_t{1}, m.first.size()}) {
    Floats momentum(m.first.begin(), m.first.begin() + static_cast<ptrdiff_t>(places));
    for (const float largest : {kLargest, -kLargest, kLargest / 2}) {
      momentum.back() = largest;
      const StateSegment segment{static_cast<uint32_t>(places), 8, 0};
      const StateLayout layout{&segment, 1, places};
      for (const float value :
           decoded(StateKind::momentum, encoded(StateKind::momentum, momentum, nullptr, layout), nullptr, layout))
        CHECK(std::isfinite(value));
    }
  }
  Floats zero = m.second, negative_zero = m.second;
  zero[5] = 0.0f;
  negative_zero[5] = -0.0f;
  CHECK(encoded(StateKind::second_moment, zero, nullptr, m.layout()) ==
        encoded(StateKind::second_moment, negative_zero, nullptr, m.layout()));
}

TEST_CASE("zeros come back as zeros, also whole rows and columns of them, and cost little") {
  Moments m = moments(64, 64, 0);
  for (size_t i = 0; i < m.second.size(); ++i) {
    if (i / 64 % 2 == 0 || i % 64 == 9) m.second[i] = m.first[i] = 0;
  }
  const Bytes payload = encoded(StateKind::second_moment, m.second, nullptr, m.layout());
  CHECK(payload.size() * 8 < m.layout().count * 2);
  const Floats second = decoded(StateKind::second_moment, payload, nullptr, m.layout());
  const Floats first = decoded(StateKind::first_moment, encoded(StateKind::first_moment, m.first, &second, m.layout()),
                               &second, m.layout());
  for (size_t i = 0; i < m.second.size(); ++i) {
    CHECK_EQ(second[i] == 0, m.second[i] == 0);
    if (m.first[i] == 0) CHECK_EQ(first[i], 0.0f);
  }
}

TEST_CASE("state blocks of no, of one and of a whole block's elements round-trip") {
  for (const uint32_t count : {0u, 1u, 2u, 131072u}) {
    const Floats values(count, 1.5e-7f);
    const StateSegment segment{count, count == 131072 ? 131072u : 0u, 0};
    const StateLayout layout{&segment, 1, count};
    for (const StateKind kind :
         {StateKind::second_moment, StateKind::first_moment, StateKind::momentum, StateKind::clusters}) {
      const Floats dummy(count + 1, 1e-12f);
      const Floats* const reference = kind == StateKind::first_moment ? &dummy : nullptr;
      const Floats rebuilt = decoded(kind, encoded(kind, values, reference, layout), reference, layout);
      for (const float value : rebuilt) CHECK(value > 1e-7f && value < 2.2e-7f);
    }
  }
}

TEST_CASE("payloads of state are the same bytes everywhere") {
  const Floats second{1e-9f, 4e-9f, 1.1e-9f, 3e-9f, 0, 2.5e-8f}, first{1e-5f, -2e-5f, 3e-6f, 0, 0, -4e-5f};
  const StateSegment segment{6, 0, 0};
  const StateLayout layout{&segment, 1, 6};
  const auto hex = [](const Bytes& bytes) {
    std::string text;
    for (const uint8_t byte : bytes) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", byte);
      text += digits;
    }
    return text;
  };
  CHECK_EQ(hex(encoded(StateKind::second_moment, second, nullptr, layout)),
           std::string("01175c0f030052a005838c7044d22d02f5554701fe50"));
  CHECK_EQ(hex(encoded(StateKind::first_moment, first, &second, layout)),
           std::string("01cdcc4c3e77cc2b320118039b33200919db6f"));
  CHECK_EQ(hex(encoded(StateKind::momentum, first, nullptr, layout)),
           std::string("01cdcccc3e03005f20048dc66eb6095eb6a6"));
}

TEST_CASE("damaged payloads of state are refused or mean other numbers") {
  const Moments m = moments(30, 20, 11);
  const StateLayout layout = m.layout();
  Random random(7);
  for (const StateKind kind :
       {StateKind::second_moment, StateKind::first_moment, StateKind::momentum, StateKind::clusters}) {
    const bool with_reference = kind == StateKind::second_moment || kind == StateKind::first_moment;
    const Floats* const reference = with_reference ? &m.earlier : nullptr;
    const Bytes whole = encoded(kind, m.second, reference, layout);
    Floats out(layout.count);
    for (size_t size = 0; size < whole.size(); size += 1 + size / 40) {
      CHECK(state_decode(kind, whole.data(), size, reference ? reference->data() : nullptr, layout, out.data()) !=
            Status::ok);
    }
    Bytes longer = whole;
    longer.push_back(0);
    CHECK(state_decode(kind, longer.data(), longer.size(), reference ? reference->data() : nullptr, layout,
                       out.data()) != Status::ok);
    for (int i = 0; i < 2000; ++i) {
      Bytes damaged = whole;
      damaged[random.next() % damaged.size()] ^= static_cast<uint8_t>(1u << random.next() % 8);
      (void)state_decode(kind, damaged.data(), damaged.size(), reference ? reference->data() : nullptr, layout,
                         out.data());
    }
  }
}

TEST_CASE("layouts and neighbours that break their ranges are refused") {
  const Floats values(8, 1e-9f);
  Bytes out;
  Floats rebuilt(8);
  const StateSegment good{8, 4, 0}, shorter{7, 4, 0}, shifted{8, 4, 4};
  const auto encode = [&](StateKind kind, const StateSegment& segment, const Floats* reference) {
    return state_encode(kind, values.data(), reference ? reference->data() : nullptr, {&segment, 1, 8}, &out);
  };
  CHECK_EQ(encode(StateKind::second_moment, good, nullptr), Status::ok);
  CHECK_EQ(encode(StateKind::second_moment, shorter, nullptr), Status::invalid_argument);
  CHECK_EQ(encode(StateKind::second_moment, shifted, nullptr), Status::invalid_argument);
  CHECK_EQ(encode(StateKind::first_moment, good, nullptr), Status::invalid_argument);
  CHECK_EQ(encode(StateKind::momentum, good, &values), Status::invalid_argument);
  CHECK_EQ(encode(static_cast<StateKind>(4), good, nullptr), Status::invalid_argument);
  const Bytes later{2, 23};
  CHECK_EQ(state_decode(StateKind::second_moment, later.data(), 2, nullptr, {&good, 1, 8}, rebuilt.data()),
           Status::invalid_argument);
  const Bytes unknown{3};
  CHECK_EQ(state_decode(StateKind::second_moment, unknown.data(), 1, nullptr, {&good, 1, 8}, rebuilt.data()),
           Status::unsupported);
}

TEST_CASE("zigzag numbers come back") {
  for (const int32_t value : {0, 1, -1, 2, -2, 16777215, -16777215}) CHECK_EQ(from_zigzag(to_zigzag(value)), value);
  CHECK_EQ(to_zigzag(1), 1u);
  CHECK_EQ(to_zigzag(-1), 2u);
}

}  // namespace
