#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "check.h"
#include "firn/bitmask.h"
#include "firn/delta.h"
#include "simd/each_isa.h"

namespace {

using namespace firn;
using firn::test::Random;
using Bytes = std::vector<uint8_t>;
using States = std::vector<uint16_t>;

// Weights whose exponents are near each other, as bf16.
States weights(size_t count, uint64_t seed) {
  Random random(seed);
  States states;
  for (size_t i = 0; i < count; ++i) {
    const auto rest = static_cast<uint16_t>(65536 * random.unit());
    states.push_back(static_cast<uint16_t>((rest & 0x80FF) | 0x3C00));
  }
  return states;
}

States changed_in(States states, double share, uint64_t seed) {
  Random random(seed);
  for (uint16_t& state : states)
    if (random.unit() < share) state = static_cast<uint16_t>(state ^ 1);
  return states;
}

Bytes encoded(const States& current, const States* previous) {
  Bytes out;
  CHECK_EQ(bitmask_encode(current.data(), previous ? previous->data() : nullptr, current.size(), ElementKind::bf16,
                          &out),
           Status::ok);
  return out;
}

Status decode(const Bytes& payload, const States* previous, States* out) {
  return bitmask_decode(payload.data(), payload.size(), previous ? previous->data() : nullptr, out->size(),
                        ElementKind::bf16, out->data());
}

}  // namespace

TEST_CASE("blocks of every length and share of changed states come back, in the same bytes at every level") {
  for (const size_t count : {0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 1000, 131072}) {
    for (const double share : {0.0, 0.03, 0.5, 0.9, 1.0}) {
      const States previous = weights(count, 1), current = changed_in(previous, share, 2);
      limit_isa(Isa::scalar);
      const Bytes reference = encoded(current, &previous);
      for_each_isa([&] {
        CHECK(encoded(current, &previous) == reference);
        States again(count);
        CHECK_EQ(decode(reference, &previous, &again), Status::ok);
        CHECK(again == current);
        CHECK_EQ(bitmask_changed(current.data(), previous.data(), count),
                 static_cast<size_t>(std::inner_product(current.begin(), current.end(), previous.begin(), size_t{0},
                                                        std::plus<>(), std::not_equal_to<>())));
      });
      CHECK(reference.size() <= 1 + 2 * count);
    }
  }
}

TEST_CASE("a bit a state and two bytes for each that changed, as the paper's equation 2 has it, or the block whole") {
  const size_t count = 131072;
  const States previous = weights(count, 3);
  for (const double share : {0.0, 0.01, 0.15, 0.4}) {
    const States current = changed_in(previous, share, 4);
    const Bytes payload = encoded(current, &previous);
    CHECK(bitmask_needs_previous(payload.data(), payload.size()));
    CHECK_EQ(payload.size(), 1 + count / 8 + 2 * bitmask_changed(current.data(), previous.data(), count));
  }
  // From 15/16 on the mask is not even tried; below it an exact block may be shorter.
  for (const double share : {0.92, 1.0}) {
    const Bytes payload = encoded(changed_in(previous, share, 5), &previous);
    CHECK(!bitmask_needs_previous(payload.data(), payload.size()));
    CHECK(payload.size() < 2 * count);
  }
  // Without a previous block it is whole, and nothing is longer than the states and a byte.
  CHECK(!bitmask_needs_previous(encoded(previous, nullptr).data(), 1));
}

TEST_CASE("the documents' example") {
  const States previous = {0x3F80, 0x3F81, 0xBE9A, 0, 0x3F82, 0x4000, 0x4001, 0x4002, 0x4003, 0x4004};
  States current = previous;
  current[1] = 0x3F90;
  current[8] = 0x4100;
  const Bytes expected = {0x0B, 0x02, 0x01, 0x90, 0x3F, 0x00, 0x41};
  CHECK(encoded(current, &previous) == expected);
}

TEST_CASE("payloads that no encoder writes are refused") {
  const States previous = weights(10, 6);
  States current = previous, again(10);
  current[3] = static_cast<uint16_t>(current[3] ^ 1);
  const Bytes payload = encoded(current, &previous);
  REQUIRE(bitmask_needs_previous(payload.data(), payload.size()));
  for (size_t size = 0; size < payload.size(); ++size)
    CHECK_EQ(decode(Bytes(payload.begin(), payload.begin() + static_cast<ptrdiff_t>(size)), &previous, &again),
             Status::truncated);
  Bytes longer = payload;
  longer.push_back(0);
  CHECK_EQ(decode(longer, &previous, &again), Status::corrupt);
  Bytes padded = payload;
  padded[2] |= 4;  // the eleventh state of ten
  CHECK_EQ(decode(padded, &previous, &again), Status::corrupt);
  CHECK_EQ(decode(payload, nullptr, &again), Status::invalid_argument);
  CHECK_EQ(decode({4}, &previous, &again), Status::corrupt);  // an exact block that is the previous one
  CHECK_EQ(decode({200}, &previous, &again), Status::unsupported);
  Bytes out;
  CHECK_EQ(bitmask_encode(current.data(), nullptr, 10, ElementKind::word16, &out), Status::invalid_argument);
  CHECK_EQ(bitmask_encode(current.data(), nullptr, kBlockElementsMax + 1, ElementKind::f16, &out),
           Status::invalid_argument);
}
