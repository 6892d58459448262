#include "kernel_data.h"

namespace firn::test {
namespace {

bool same_bits(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }

// The value of a finite 16-bit float, from its definition.
double f16_value(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), mantissa = static_cast<int>(bits & 1023);
  const double magnitude = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("widening float16 is exact for every pattern and narrowing brings it back") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float wide = f16_to_f32(static_cast<uint16_t>(bits));
    const uint32_t magnitude = bits & 0x7FFF;
    if (magnitude > 0x7C00) {
      CHECK(std::isnan(wide));
      CHECK(std::isnan(f16_to_f32(f32_to_f16(wide))));
      continue;
    }
    if (magnitude == 0x7C00) CHECK(std::isinf(wide) && std::signbit(wide) == (bits > 0x7FFF));
    else CHECK(static_cast<double>(wide) == f16_value(bits) && std::signbit(wide) == (bits > 0x7FFF));
    CHECK_EQ(f32_to_f16(wide), bits);
  }
}

TEST_CASE("narrowing to float16 rounds to nearest, ties to even, at every midpoint") {
  for (uint32_t low = 0; low < 0x7C00; ++low) {
    const double above = low == 0x7BFF ? 65536.0 : f16_value(low + 1);  // past the largest, infinity stands for 2^16
    const float middle = static_cast<float>((f16_value(low) + above) / 2);
    const uint32_t even = low & 1 ? low + 1 : low;
    for (const uint32_t sign : {0u, 0x8000u}) {
      const float s = sign ? -1.0f : 1.0f;
      CHECK_EQ(f32_to_f16(s * middle), sign | even);
      CHECK_EQ(f32_to_f16(s * std::nextafter(middle, 0.0f)), sign | low);
      CHECK_EQ(f32_to_f16(s * std::nextafter(middle, 1e9f)), sign | (low + 1));
    }
  }
  CHECK_EQ(f32_to_f16(1e30f), 0x7C00);
  CHECK_EQ(f32_to_f16(-INFINITY), 0xFC00);
  CHECK_EQ(f32_to_f16(-1e-30f), 0x8000);
}

TEST_CASE("narrowing to bfloat16 rounds to nearest, ties to even, at every midpoint") {
  for (uint32_t low = 0; low < 0x7F80; ++low) {
    const uint32_t middle = low << 16 | 0x8000, even = low & 1 ? low + 1 : low;
    for (const uint32_t sign : {0u, 0x80000000u}) {
      CHECK_EQ(f32_to_bf16(std::bit_cast<float>(sign | low << 16)), sign >> 16 | low);
      CHECK_EQ(f32_to_bf16(std::bit_cast<float>(sign | middle)), sign >> 16 | even);
      CHECK_EQ(f32_to_bf16(std::bit_cast<float>(sign | (middle - 1))), sign >> 16 | low);
      CHECK_EQ(f32_to_bf16(std::bit_cast<float>(sign | (middle + 1))), sign >> 16 | (low + 1));
    }
  }
  CHECK_EQ(f32_to_bf16(std::bit_cast<float>(0x7F800001u)), 0x7FC0);  // stays NaN though its payload is cut off
  CHECK(same_bits(bf16_to_f32(0xFF80), -INFINITY));
}

TEST_CASE("every level converts every pair of dtypes alike, at any address and length") {
  Random random(11);
  for (const size_t count : kCounts) {
    const std::vector<float> values = wild_floats(random, count);
    for (const Dtype from : kDtypes) {
      for (const Dtype to : kDtypes) {
        const Elements in(values, from, 1 + random.below(7));
        std::vector<uint8_t> expected;
        for_each_isa([&] {
          std::vector<uint8_t> out(3 + count * dtype_bytes(to) + 1, 0xA5);
          convert(in.data(), from, count, out.data() + 3, to);
          CHECK_EQ(out.back(), 0xA5);  // nothing past the end
          if (active_isa() == Isa::scalar) expected = out;
          CHECK(out == expected);
        });
      }
    }
  }
}

TEST_CASE("every level widens every 16-bit pattern as the scalar functions do") {
  std::vector<uint16_t> words(0x10000);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) words[bits] = static_cast<uint16_t>(bits);
  std::vector<float> wide(words.size());
  for_each_isa([&] {
    convert(words.data(), Dtype::f16, words.size(), wide.data(), Dtype::f32);
    for (const uint16_t word : words) CHECK(same_bits(wide[word], f16_to_f32(word)));
    convert(words.data(), Dtype::bf16, words.size(), wide.data(), Dtype::f32);
    for (const uint16_t word : words) CHECK(same_bits(wide[word], bf16_to_f32(word)));
  });
}

}  // namespace firn::test
