#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "check.h"
#include "common/fixed_log2.h"
#include "entropy/range_coder.h"
#include "entropy/rans.h"
#include "firn/checksum.h"
#include "firn/lossless.h"
#include "kernel_data.h"
#include "lossless/exact/coder.h"

namespace {

using namespace firn;
using firn::test::Random;
using Bytes = std::vector<uint8_t>;

constexpr ElementKind kKinds[] = {ElementKind::bytes, ElementKind::f16,    ElementKind::bf16,   ElementKind::f32,
                                  ElementKind::f64,   ElementKind::word16, ElementKind::word32, ElementKind::word64};

double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

uint16_t half_bits(float value) {  // truncating: any 16-bit pattern will do here
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const int exponent = static_cast<int>(bits >> 23 & 0xFF) - 112;
  if (exponent <= 0) return static_cast<uint16_t>(bits >> 16 & 0x8000);
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | static_cast<uint32_t>(exponent) << 10 | (bits >> 13 & 0x3FF));
}

void append_number(ElementKind kind, double value, Bytes* out) {
  const auto push = [&](auto word) {
    uint8_t bytes[sizeof word];
    std::memcpy(bytes, &word, sizeof word);
    out->insert(out->end(), bytes, bytes + sizeof word);
  };
  const float f = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  switch (kind) {
    case ElementKind::bytes: return push(static_cast<uint8_t>(static_cast<int64_t>(value * 1000)));
    case ElementKind::f16: return push(half_bits(f));
    case ElementKind::bf16: return push(static_cast<uint16_t>(bits >> 16));
    case ElementKind::f32: return push(f);
    case ElementKind::f64: return push(value);
    case ElementKind::word16: return push(static_cast<uint16_t>(static_cast<int64_t>(value * 1000)));
    case ElementKind::word32: return push(static_cast<uint32_t>(static_cast<int64_t>(value * 100000)));
    case ElementKind::word64: return push(static_cast<uint64_t>(static_cast<int64_t>(value * 1e9)));
  }
}

struct Pair {
  Bytes before, now;
};

// Weights like a layer's, and the same after an update of `step`.
Pair weights(Random& random, ElementKind kind, size_t count, double step) {
  Pair pair;
  for (size_t i = 0; i < count; ++i) {
    const double w = 0.02 * normal(random);
    append_number(kind, w, &pair.before);
    append_number(kind, w + step * normal(random), &pair.now);
  }
  return pair;
}

Bytes random_bytes(Random& random, size_t size) {
  Bytes bytes(size);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.next());
  return bytes;
}

Bytes encode(const Bytes& now, const Bytes* before, ElementKind kind) {
  Bytes out{0xEE};  // appended to
  CHECK_EQ(exact_encode(now.data(), before ? before->data() : nullptr, now.size() / element_bytes(kind), kind, &out),
           Status::ok);
  CHECK_EQ(out[0], uint8_t{0xEE});
  out.erase(out.begin());
  CHECK(out.size() <= 1 + now.size());
  return out;
}

Status decode(const Bytes& payload, const Bytes* before, size_t count, ElementKind kind, Bytes* out) {
  constexpr size_t kGuard = 64;
  out->assign(count * element_bytes(kind) + kGuard, 0x5A);
  const Status status =
      exact_decode(payload.data(), payload.size(), before ? before->data() : nullptr, count, kind, out->data());
  CHECK(std::all_of(out->end() - kGuard, out->end(), [](uint8_t b) { return b == 0x5A; }));
  out->resize(count * element_bytes(kind));
  return status;
}

// Returns the payload's size.
size_t check_round_trip(const Bytes& now, const Bytes* before, ElementKind kind) {
  const Bytes payload = encode(now, before, kind);
  Bytes out;
  CHECK_EQ(decode(payload, before, now.size() / element_bytes(kind), kind, &out), Status::ok);
  CHECK(out == now);
  if (before && exact_is_standalone(payload.data(), payload.size())) {
    CHECK_EQ(decode(payload, nullptr, now.size() / element_bytes(kind), kind, &out), Status::ok);
    CHECK(out == now);
  }
  if (!before) CHECK(exact_is_standalone(payload.data(), payload.size()));
  return payload.size();
}

}  // namespace

TEST_CASE("exact: every kind comes back byte for byte, alone and against a previous block, at every size class") {
  Random random(1);
  for (const ElementKind kind : kKinds) {
    for (const size_t count : {0, 1, 2, 3, 7, 100, 1000, 16384, 16385, 20001}) {
      const Pair pair = weights(random, kind, count, 1e-3);
      check_round_trip(pair.now, nullptr, kind);
      check_round_trip(pair.now, &pair.before, kind);
      check_round_trip(pair.now, &pair.now, kind);
      const Bytes noise = random_bytes(random, count * element_bytes(kind));
      check_round_trip(noise, nullptr, kind);
      check_round_trip(noise, &pair.before, kind);
      check_round_trip(pair.now, &noise, kind);
    }
  }
}

TEST_CASE("exact: NaN payloads, both zeros, infinities, denormals and extreme words survive") {
  Random random(2);
  for (const ElementKind kind : kKinds) {
    const size_t size = element_bytes(kind);
    for (const size_t count : {size_t{300}, size_t{17000}}) {
      Bytes now, before;
      for (size_t i = 0; i < count * size; i += size) {
        for (Bytes* bytes : {&now, &before}) {
          const uint64_t special[] = {0,
                                      ~uint64_t{0},
                                      uint64_t{1} << (8 * size - 1),
                                      (uint64_t{1} << (8 * size - 1)) - 1,
                                      1,
                                      0x7F800001,
                                      0xFFC00000,
                                      0x7FF0000000000001,
                                      0x7C01,
                                      0xFC00,
                                      0x7F81,
                                      random.next(),
                                      0x3F800000};
          const uint64_t word = special[random.below(std::size(special))];
          bytes->insert(bytes->end(), reinterpret_cast<const uint8_t*>(&word),
                        reinterpret_cast<const uint8_t*>(&word) + size);
        }
      }
      check_round_trip(now, nullptr, kind);
      check_round_trip(now, &before, kind);
    }
  }
}

TEST_CASE("exact: the largest difference of each kind survives") {
  // The ordered words of the two blocks are 2^(w-1) apart.
  for (const ElementKind kind : kKinds) {
    for (const size_t count : {size_t{40}, size_t{17000}}) {
      const size_t size = element_bytes(kind);
      Bytes low(count * size, 0), high(count * size, 0);
      for (size_t i = 0; i < count; ++i) {
        low[i * size] = high[i * size] = static_cast<uint8_t>(i % 3);
        low[i * size + size - 1] = static_cast<uint8_t>(i % 2 ? 0x80 : 0);
        high[i * size + size - 1] = static_cast<uint8_t>(i % 2 ? 0 : 0x80);
      }
      Bytes out;
      ExactOutput target{nullptr, low.data(), count, kind};
      for (const bool adaptive : {true, false}) {
        if (adaptive && count > kAdaptiveElementsMax) continue;
        const ExactInput input{high.data(), low.data(), count, kind};
        Bytes payload;
        if (adaptive) encode_adaptive_difference(input, &payload);
        else encode_difference(input, plan_difference(input), &payload);
        out.assign(count * size, 0);
        target.current = out.data();
        ByteReader in(payload.data(), payload.size());
        CHECK_EQ(adaptive ? decode_adaptive_difference(in, target) : decode_difference(in, target), Status::ok);
        CHECK(out == high);
      }
    }
  }
}

TEST_CASE("exact: constant and repeated blocks cost almost nothing") {
  for (const ElementKind kind : kKinds) {
    const size_t size = element_bytes(kind);
    const Bytes constant(5000 * size, 0x3C);
    CHECK_EQ(check_round_trip(constant, nullptr, kind), 1 + size);
    Random random(3);
    const Bytes noise = random_bytes(random, 5000 * size);
    CHECK_EQ(check_round_trip(noise, &noise, kind), size_t{1});
    CHECK_EQ(check_round_trip(noise, nullptr, kind), 1 + noise.size());
  }
}

TEST_CASE("exact: weights shrink as their exponents allow, small blocks included") {
  Random random(4);
  for (const size_t count : {size_t{2000}, size_t{60000}}) {
    const Pair pair = weights(random, ElementKind::f32, count, 2e-5);
    const auto raw = static_cast<double>(pair.now.size());
    CHECK(raw / static_cast<double>(check_round_trip(pair.now, nullptr, ElementKind::f32)) > 1.19);
    CHECK(raw / static_cast<double>(check_round_trip(pair.now, &pair.before, ElementKind::f32)) > 1.8);
    const Pair small = weights(random, ElementKind::bf16, count, 2e-5);
    const auto raw16 = static_cast<double>(small.now.size());
    CHECK(raw16 / static_cast<double>(check_round_trip(small.now, nullptr, ElementKind::bf16)) > 1.45);
    CHECK(raw16 / static_cast<double>(check_round_trip(small.now, &small.before, ElementKind::bf16)) > 5);
  }
}

TEST_CASE("exact: floats made from a shorter type cost what that type holds, alone and against a previous block") {
  Random random(5);
  const size_t count = 60000;
  Pair pair = weights(random, ElementKind::f32, count, 2e-5);
  for (Bytes* block : {&pair.now, &pair.before}) {
    for (size_t i = 0; i < count; ++i) std::memset(block->data() + 4 * i, 0, 2);
  }
  const auto raw = static_cast<double>(pair.now.size());
  CHECK(raw / static_cast<double>(check_round_trip(pair.now, nullptr, ElementKind::f32)) > 2.9);
  CHECK(raw / static_cast<double>(check_round_trip(pair.now, &pair.before, ElementKind::f32)) > 6);
}

TEST_CASE("exact: floats negated, or scaled by a power of two, cost next to nothing, or what their exponents do") {
  for (const ElementKind kind : {ElementKind::f32, ElementKind::bf16, ElementKind::f64}) {
    Random numbers(6);
    Pair negated, doubled;
    for (size_t i = 0; i < 60000; ++i) {
      const double w = 0.02 * normal(numbers);
      append_number(kind, w, &negated.before);
      append_number(kind, -w, &negated.now);
      append_number(kind, w, &doubled.before);
      append_number(kind, 2 * w, &doubled.now);
    }
    const auto raw = static_cast<double>(negated.now.size());
    CHECK(check_round_trip(negated.now, &negated.before, kind) < 100);
    CHECK(raw / static_cast<double>(check_round_trip(doubled.now, &doubled.before, kind)) >
          (kind == ElementKind::bf16 ? 4 : 8));
  }
}

TEST_CASE("exact: context modes give the same bytes and blocks at every instruction set") {
  Random random(12);
  for (const ElementKind kind : {ElementKind::f16, ElementKind::bf16, ElementKind::f32}) {
    for (const size_t count : {2049, 2080, 5003, 40000}) {
      for (const double step : {0.0, 1e-7, 2e-5, 1e-3, 0.1}) {
        Pair pair = weights(random, kind, count, step);
        // Words of any kind among them, and changed at few places.
        for (size_t k = 0; k < count / 100; ++k)
          pair.now[random.below(pair.now.size())] = static_cast<uint8_t>(random.next());
        Bytes first_alone, first_against;
        firn::test::for_each_isa([&] {
          const Bytes alone = encode(pair.now, nullptr, kind), against = encode(pair.now, &pair.before, kind);
          if (first_alone.empty()) {
            first_alone = alone;
            first_against = against;
          }
          CHECK(alone == first_alone && against == first_against);
          Bytes out;
          CHECK_EQ(decode(first_alone, nullptr, count, kind, &out), Status::ok);
          CHECK(out == pair.now);
          CHECK_EQ(decode(first_against, &pair.before, count, kind, &out), Status::ok);
          CHECK(out == pair.now);
        });
      }
    }
  }
}

TEST_CASE("exact: fields too long for one window, and cut off fields, are the same at every instruction set") {
  Random random(13);
  for (const ElementKind kind : {ElementKind::bf16, ElementKind::f32}) {
    const size_t count = 4000;
    // Noise against noise: nearly every symbol is the word itself.
    const Bytes before = random_bytes(random, count * element_bytes(kind)),
                now = random_bytes(random, count * element_bytes(kind));
    const ExactInput input{now.data(), before.data(), count, kind};
    Bytes payload{9};
    CHECK_EQ(encode_context_difference(input, plan_context_difference(input), &payload), Status::ok);
    firn::test::for_each_isa([&] {
      Bytes out;
      CHECK_EQ(decode(payload, &before, count, kind, &out), Status::ok);
      CHECK(out == now);
      for (const size_t less : {1, 2, 50, 500}) {
        CHECK_EQ(
            decode(Bytes(payload.begin(), payload.end() - static_cast<ptrdiff_t>(less)), &before, count, kind, &out),
            Status::truncated);
      }
    });
  }
}

TEST_CASE("exact: exponents follow the level of the elements around them") {
  Random random(14);
  for (const ElementKind kind : {ElementKind::bf16, ElementKind::f32}) {
    const size_t count = 60000;
    Bytes now;
    for (size_t i = 0; i < count; ++i)
      append_number(kind, std::exp2(static_cast<double>(i / 3000) - 10) * normal(random), &now);
    // One scale for all would take more than four bits an exponent.
    const double bits = 8.0 * static_cast<double>(check_round_trip(now, nullptr, kind)) / static_cast<double>(count);
    CHECK(bits < 8.0 * static_cast<double>(element_bytes(kind)) - 8 + 2.7);
  }
}

TEST_CASE("exact: a large block may have what none of its counted elements has") {
  Random random(16);
  for (const ElementKind kind : {ElementKind::bf16, ElementKind::f32}) {
    const size_t count = 70000, size = element_bytes(kind);
    Pair pair = weights(random, kind, count, 1e-3);
    const size_t without = check_round_trip(pair.now, &pair.before, kind);
    // Zeros that become NaN, of the lowest context and the last symbol, at places of every remainder.
    for (size_t at = 0; at < count; at += count / 7) {
      for (size_t b = 0; b < size; ++b) {
        pair.before[at * size + b] = 0;
        pair.now[at * size + b] = 0xFF;
      }
    }
    const Bytes payload = encode(pair.now, &pair.before, kind);
    CHECK_EQ(payload[0], 9);
    CHECK(payload.size() < without + without / 500 + 200);
    check_round_trip(pair.now, &pair.before, kind);
  }
}

TEST_CASE("exact: one word in a hundred changed by one takes under 0.11 bit a word") {
  Random random(15);
  const size_t count = 131072;
  Pair pair = weights(random, ElementKind::bf16, count, 0);
  for (size_t i = 0; i < count; ++i) {
    if (random.below(100) != 0) continue;
    uint16_t word;
    std::memcpy(&word, &pair.now[2 * i], 2);
    word = static_cast<uint16_t>(word + (random.below(2) ? 1 : -1));
    std::memcpy(&pair.now[2 * i], &word, 2);
  }
  CHECK(8.0 * static_cast<double>(check_round_trip(pair.now, &pair.before, ElementKind::bf16)) / count < 0.11);
}

TEST_CASE("exact: a previous block never makes a block larger") {
  Random random(5);
  for (const ElementKind kind : kKinds) {
    for (const size_t count : {size_t{3000}, size_t{30000}}) {
      const Pair pair = weights(random, kind, count, 1e-3), other = weights(random, kind, count, 1e-3);
      const size_t alone = encode(pair.now, nullptr, kind).size();
      // Large blocks choose by estimates, which are good to a hundredth.
      CHECK(encode(pair.now, &other.before, kind).size() <= alone + alone / 100);
      CHECK(encode(pair.now, &pair.before, kind).size() <= alone);
    }
  }
}

TEST_CASE("exact: the size stays near the entropy of the exponents") {
  Random random(6);
  const size_t count = 100000;
  const Pair pair = weights(random, ElementKind::f32, count, 0);
  SymbolCounts exponents{};
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, &pair.now[4 * i], 4);
    ++exponents[bits >> 23 & 0xFF];
  }
  double bits = 24.0 * count;
  for (const uint32_t n : exponents) {
    if (n > 0) bits -= n * std::log2(static_cast<double>(n) / count);
  }
  CHECK(static_cast<double>(check_round_trip(pair.now, nullptr, ElementKind::f32)) < bits / 8 * 1.003);
}

TEST_CASE("exact: arguments out of range are refused") {
  Bytes out;
  const Bytes bytes(64, 1);
  CHECK_EQ(exact_encode(bytes.data(), nullptr, 1, static_cast<ElementKind>(8), &out), Status::invalid_argument);
  CHECK_EQ(exact_encode(bytes.data(), nullptr, kExactBytesMax / 4 + 1, ElementKind::f32, &out),
           Status::invalid_argument);
  CHECK(out.empty());
  const uint8_t same = 4, unknown = 10, raw = 0;
  uint8_t target[64];
  CHECK_EQ(exact_decode(&same, 1, nullptr, 4, ElementKind::f32, target), Status::invalid_argument);
  CHECK_EQ(exact_decode(&unknown, 1, nullptr, 4, ElementKind::f32, target), Status::unsupported);
  CHECK(exact_is_standalone(&unknown, 1));
  CHECK_EQ(exact_decode(nullptr, 0, nullptr, 4, ElementKind::f32, target), Status::truncated);
  CHECK_EQ(exact_decode(&raw, 1, nullptr, 0, ElementKind::f32, target), Status::ok);
  CHECK_EQ(exact_decode(&same, 1, bytes.data(), 0, ElementKind::f32, target), Status::corrupt);
}

namespace {

struct Sample {
  Bytes payload, before;
  size_t count;
  ElementKind kind;
  bool with_before;
};

// Payloads of every mode, written by the mode's own encoder.
std::vector<Sample> samples_of_every_mode(Random& random, const std::vector<ElementKind>& kinds, size_t count) {
  std::vector<Sample> samples;
  for (const ElementKind kind : kinds) {
    const Pair pair = weights(random, kind, count, 1e-3);
    const ExactInput input{pair.now.data(), pair.before.data(), count, kind};
    const auto add = [&](uint8_t mode, const std::function<void(Bytes*)>& write) {
      Sample sample{{mode}, pair.before, count, kind, mode >= 4 && mode != 8};
      write(&sample.payload);
      Bytes out;
      CHECK_EQ(decode(sample.payload, sample.with_before ? &sample.before : nullptr, count, kind, &out), Status::ok);
      CHECK(out == pair.now);
      samples.push_back(std::move(sample));
    };
    add(0, [&](Bytes* out) { out->insert(out->end(), pair.now.begin(), pair.now.end()); });
    add(2, [&](Bytes* out) { encode_planes(input, plan_planes(input, false), out); });
    add(5, [&](Bytes* out) { encode_planes(input, plan_planes(input, true), out); });
    add(6, [&](Bytes* out) { encode_difference(input, plan_difference(input), out); });
    if (exponents_supports(kind)) add(8, [&](Bytes* out) { CHECK_EQ(encode_exponents(input, out), Status::ok); });
    if (context_difference_supports(kind)) {
      add(9, [&](Bytes* out) {
        CHECK_EQ(encode_context_difference(input, plan_context_difference(input), out), Status::ok);
      });
    }
    if (count > kAdaptiveElementsMax) continue;
    if (adaptive_alone_supports(kind)) add(3, [&](Bytes* out) { encode_adaptive_alone(input, out); });
    add(7, [&](Bytes* out) { encode_adaptive_difference(input, out); });
  }
  return samples;
}

Status decode(const Sample& sample, const Bytes& payload, Bytes* out) {
  return decode(payload, sample.with_before ? &sample.before : nullptr, sample.count, sample.kind, out);
}

}  // namespace

TEST_CASE("exact: stored bytes of every mode decode for ever") {
  const float now[6] = {1.0f, 1.5f, -2.0f, 0.0f, 0.25f, 1.0f},
              before[6] = {1.0f, 1.25f, -2.0f, 0.0f, -0.25f, 1.0000001f};
  const Bytes payloads[] = {
      {0x00, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0xc0, 0x3f, 0x00, 0x00, 0x00, 0xc0,
       0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3e, 0x00, 0x00, 0x80, 0x3f},
      {0x02, 0x00, 0x7f, 0x7f, 0x80, 0x00, 0x7d, 0x7f, 0x00, 0x00, 0x80, 0x00,
       0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00},
      {0x03, 0x80, 0xdf, 0x80, 0x00, 0x4b, 0x6d, 0x10, 0xa3, 0xc4, 0xea, 0xc6,
       0xef, 0x50, 0xfe, 0xf8, 0xf8, 0x27, 0x41, 0xf6, 0x3d, 0x7a, 0xe6, 0xc0},
      {0x05, 0x01, 0x00, 0x00, 0x00, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
       0x02},
      {0x06, 0x13, 0x80, 0xb3, 0x64, 0x8e, 0xf9, 0x32, 0x0f, 0x47, 0xd9, 0x27, 0xd8, 0x1f, 0xa7, 0x39, 0x08,
       0xe5, 0x94, 0xed, 0x38, 0x00, 0x00, 0x94, 0x40, 0x00, 0x00, 0x00, 0x0e, 0x80, 0x00, 0x00, 0x80},
      {0x07, 0x80, 0x99, 0x4c, 0xd0, 0x00, 0xf4, 0xdd, 0xb9, 0x0f, 0x00, 0x47, 0xd0},
      {0x08, 0x85, 0x01, 0x01, 0x40, 0x06, 0x84, 0xfc, 0x38, 0x86, 0xab, 0xe0, 0x05, 0x0d, 0x92, 0x6f, 0x01, 0x01,
       0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x80, 0x00, 0x00, 0x00},
      {0x09, 0x7f, 0x05, 0x84, 0xf1, 0x3b, 0xfb, 0x11, 0x04, 0x09,
       0x49, 0x4a, 0x94, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa0, 0x4f},
  };
  for (const Bytes& payload : payloads) {
    float out[6] = {};
    CHECK_EQ(exact_decode(payload.data(), payload.size(), before, 6, ElementKind::f32, out), Status::ok);
    CHECK(std::memcmp(out, now, sizeof now) == 0);
  }
  const Bytes constant{1, 0xAB, 0xCD}, same{4};
  uint8_t pair[4] = {};
  CHECK_EQ(exact_decode(constant.data(), 3, nullptr, 2, ElementKind::word16, pair), Status::ok);
  CHECK(pair[0] == 0xAB && pair[1] == 0xCD && pair[2] == 0xAB && pair[3] == 0xCD);
  const uint8_t earlier[4] = {9, 8, 7, 6};
  CHECK_EQ(exact_decode(same.data(), 1, earlier, 2, ElementKind::word16, pair), Status::ok);
  CHECK(std::memcmp(pair, earlier, 4) == 0);
}

TEST_CASE("exact: the bytes written for given blocks stay what they are") {
  Random random(20);
  uint32_t checksum = 0;
  for (const size_t count : {size_t{60}, size_t{3000}, size_t{17000}}) {
    for (const Sample& sample : samples_of_every_mode(random, {std::begin(kKinds), std::end(kKinds)}, count)) {
      checksum = crc32c(sample.payload.data(), sample.payload.size(), checksum);
    }
  }
  for (const ElementKind kind : kKinds) {
    const Pair pair = weights(random, kind, 40000, 1e-4);
    const Bytes alone = encode(pair.now, nullptr, kind), against = encode(pair.now, &pair.before, kind);
    checksum = crc32c(against.data(), against.size(), crc32c(alone.data(), alone.size(), checksum));
  }
  CHECK_EQ(checksum, 1102060483u);
}

TEST_CASE("exact: every truncation and every extension of every mode is refused, or is another block's only encoding") {
  Random random(7);
  for (const Sample& sample : samples_of_every_mode(random, {std::begin(kKinds), std::end(kKinds)}, 60)) {
    std::vector<Bytes> edited;
    for (size_t size = 0; size < sample.payload.size(); ++size) {
      edited.emplace_back(sample.payload.begin(), sample.payload.begin() + static_cast<ptrdiff_t>(size));
    }
    for (const uint8_t more : {uint8_t{0}, uint8_t{1}}) {
      edited.push_back(sample.payload);
      edited.back().push_back(more);
    }
    for (const Bytes& payload : edited) {
      Bytes out;
      if (decode(sample, payload, &out) != Status::ok) continue;
      // Only the adaptive modes have no redundancy at all: nearly every byte sequence of theirs stands for some block.
      const bool alone = payload[0] == 3;
      CHECK(alone || payload[0] == 7);
      const ExactInput input{out.data(), sample.before.data(), sample.count, sample.kind};
      Bytes again{payload[0]};
      if (alone) encode_adaptive_alone(input, &again);
      else if (payload[0] == 7) encode_adaptive_difference(input, &again);
      CHECK(again == payload);
    }
  }
}

TEST_CASE("exact: 100000 mutations never crash and never write outside") {
  Random random(8);
  std::vector<Sample> samples = samples_of_every_mode(random, {std::begin(kKinds), std::end(kKinds)}, 50);
  for (Sample& sample : samples_of_every_mode(random, {ElementKind::bf16}, 17000)) samples.push_back(std::move(sample));
  const size_t large_samples = 6, small = samples.size() - large_samples;
  for (int round = 0; round < 100000; ++round) {
    // The large ones take long; a few do.
    const Sample& sample = samples[round % 100 == 0 ? small + random.below(large_samples) : random.below(small)];
    Bytes payload = sample.payload;
    for (uint64_t edits = 1 + random.below(3); edits > 0 && !payload.empty(); --edits) {
      const uint64_t kind = random.below(8);
      // Headers are at the front: half of the edits go there.
      const size_t at =
          random.below(2) ? random.below(payload.size()) : random.below(std::min<size_t>(payload.size(), 40));
      if (kind == 0) payload.push_back(static_cast<uint8_t>(random.next()));
      else if (kind == 1) payload.resize(at);
      else if (kind < 5) payload[at] ^= static_cast<uint8_t>(1u << random.below(8));
      else payload[at] = static_cast<uint8_t>(random.next());
    }
    Bytes out;
    decode(sample, payload, &out);
  }
}

TEST_CASE("exact: an adaptive payload that decodes is the only one for its block") {
  Random random(9);
  for (const ElementKind kind : {ElementKind::f32, ElementKind::bf16, ElementKind::bytes}) {
    size_t accepted = 0;
    for (int round = 0; round < 20000; ++round) {
      Bytes payload = random_bytes(random, random.below(12));
      const size_t count = 1 + random.below(3);
      Bytes out(count * element_bytes(kind));
      const ByteReader in(payload.data(), payload.size());
      if (decode_adaptive_alone(in, {out.data(), nullptr, count, kind}) != Status::ok) continue;
      ++accepted;
      Bytes again;
      encode_adaptive_alone({out.data(), nullptr, count, kind}, &again);
      CHECK(again == payload);
    }
    CHECK(accepted > 0);
  }
}

TEST_CASE("range coder: mixed messages come back and have one encoding") {
  Random random(10);
  for (int round = 0; round < 2000; ++round) {
    const size_t steps = random.below(60);
    const uint64_t seed = random.next();
    const double skew = random.unit();
    Bytes bytes;
    RangeEncoder encoder(&bytes);
    std::vector<BlockBit> models(4), decoder_models(4);
    const auto run = [&](auto&& bit, auto&& raw) {
      Random message(seed);
      for (size_t i = 0; i < steps; ++i) {
        const size_t model = message.below(4);
        if (message.below(5) == 0) {
          const uint32_t count = static_cast<uint32_t>(message.below(65));
          raw(count == 64 ? message.next() : message.next() & ((uint64_t{1} << count) - 1), count);
        } else {
          bit(model, message.unit() < skew);
        }
      }
    };
    run([&](size_t m, uint32_t b) { encoder.bit(models[m], b); },
        [&](uint64_t value, uint32_t count) { encoder.raw(value, count); });
    encoder.finish();
    RangeDecoder decoder(bytes.data(), bytes.size());
    run([&](size_t m, uint32_t b) { CHECK_EQ(decoder.bit(decoder_models[m]), b); },
        [&](uint64_t value, uint32_t count) { CHECK_EQ(decoder.raw(count), value); });
    CHECK(decoder.finished());
    bytes.push_back(0);
    RangeDecoder longer(bytes.data(), bytes.size());
    for (auto& model : decoder_models) model = BlockBit();
    run([&](size_t m, uint32_t) { longer.bit(decoder_models[m]); },
        [&](uint64_t, uint32_t count) { longer.raw(count); });
    CHECK(!longer.finished());
  }
}

TEST_CASE("rans: every lane count, precision and number of contexts comes back") {
  Random random(11);
  for (const size_t count : {size_t{1}, size_t{5}, size_t{16383}, size_t{16384}, size_t{16389}, size_t{50000}}) {
    for (const double rare : {0.5, 0.01, 0.0005, 0.0}) {
      for (const size_t contexts : {size_t{1}, size_t{3}, size_t{32}}) {
        Bytes symbols(count), context(count);
        std::vector<SymbolCounts> counts(contexts, SymbolCounts{});
        for (size_t i = 0; i < count; ++i) {
          context[i] = static_cast<uint8_t>(random.below(contexts));
          symbols[i] = static_cast<uint8_t>(random.unit() < rare ? random.next() : 77 + context[i]);
          ++counts[context[i]][symbols[i]];
        }
        const RansModel model = rans_model(counts);
        for (const SymbolFrequencies& table : model.tables) {
          uint32_t sum = 0;
          for (const uint16_t frequency : table) sum += frequency;
          CHECK_EQ(sum, 1u << model.bits);
        }
        Bytes header, bytes, out(count);
        RangeEncoder encoder(&header);
        write_rans_model(encoder, model);
        encoder.finish();
        RangeDecoder decoder(header.data(), header.size());
        RansModel read;
        CHECK(read_rans_model(decoder, static_cast<uint32_t>(contexts), &read) && decoder.finished());
        CHECK(read.bits == model.bits && read.tables == model.tables);
        rans_encode(symbols.data(), contexts > 1 ? context.data() : nullptr, count, model, &bytes);
        ByteReader in(bytes.data(), bytes.size());
        CHECK_EQ(rans_decode(in, contexts > 1 ? context.data() : nullptr, count, read, out.data()), Status::ok);
        CHECK(out == symbols && in.left() == 0);
      }
    }
  }
}

TEST_CASE("fixed_log2: the fixed-point logarithm is right to a thousandth and exact at powers of two") {
  Random random(12);
  for (uint32_t bit = 0; bit < 32; ++bit) CHECK_EQ(fixed_log2(1u << bit), bit << kLog2FractionBits);
  for (int i = 0; i < 20000; ++i) {
    const uint32_t n = 1 + static_cast<uint32_t>(random.next() >> (32 + random.below(32)));
    CHECK_NEAR(fixed_log2(n) / 65536.0, std::log2(static_cast<double>(n)), 1e-3);
  }
}
