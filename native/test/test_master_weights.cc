#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "check.h"
#include "firn/dtype.h"
#include "firn/lossless.h"
#include "firn/master_weights.h"

namespace {

using namespace firn;
using firn::test::Random;
using Bytes = std::vector<uint8_t>;
using Words = std::vector<uint32_t>;
using Halves = std::vector<uint16_t>;

uint16_t rounded(MasterKind kind, uint32_t pattern) {
  const float value = std::bit_cast<float>(pattern);
  return kind == MasterKind::bf16 ? f32_to_bf16(value) : f32_to_f16(value);
}

Halves rounded(MasterKind kind, const Words& words) {
  Halves halves;
  for (const uint32_t word : words) halves.push_back(rounded(kind, word));
  return halves;
}

Bytes encoded(const Words& words, const Halves& reference, const std::vector<MasterSegment>& segments) {
  Bytes out;
  CHECK_EQ(master_encode(words.data(), reference.data(), {segments.data(), segments.size(), words.size()}, &out),
           Status::ok);
  return out;
}

Status decode(const Bytes& payload, const Halves& reference, const std::vector<MasterSegment>& segments, Words* out) {
  return master_decode(payload.data(), payload.size(), reference.data(),
                       {segments.data(), segments.size(), out->size()}, out->data());
}

Words weights(size_t count, uint64_t seed) {
  Random random(seed);
  Words words;
  for (size_t i = 0; i < count; ++i) {
    double sum = -6;
    for (int j = 0; j < 12; ++j) sum += random.unit();
    words.push_back(std::bit_cast<uint32_t>(static_cast<float>(0.02 * sum)));
  }
  return words;
}

const std::vector<MasterKind> kKinds = {MasterKind::bf16, MasterKind::f16};

}  // namespace

TEST_CASE("masters come back from their reference, and take the bits that rounding cut") {
  for (const MasterKind kind : kKinds) {
    const Words words = weights(100000, 1);
    const Halves reference = rounded(kind, words);
    const std::vector<MasterSegment> segments = {{100000, kind}};
    const Bytes payload = encoded(words, reference, segments);
    CHECK_EQ(int{payload[0]}, int{kMasterMode});
    Words again(words.size());
    REQUIRE(decode(payload, reference, segments, &again) == Status::ok);
    CHECK(again == words);
    const double bits = 8.0 * static_cast<double>(payload.size()) / static_cast<double>(words.size());
    CHECK(bits < (kind == MasterKind::bf16 ? 16.05 : 13.3));
  }
}

TEST_CASE(
    "every edge of rounding comes back: ties, zeros, subnormals, infinities, NaN, and originals that were not rounded "
    "from them") {
  for (const MasterKind kind : kKinds) {
    Words words;
    Halves reference;
    // For every 16-bit pattern: values around its own binary32 pattern, with it and its neighbours as reference.
    for (uint32_t half = 0; half < 65536; half += 37) {
      const float value = kind == MasterKind::bf16 ? bf16_to_f32(static_cast<uint16_t>(half))
                                                    : f16_to_f32(static_cast<uint16_t>(half));
      const uint32_t word = std::bit_cast<uint32_t>(value);
      for (const uint32_t by : {0u, 1u, 0xFFFu, 0x1000u, 0x1001u, 0x7FFFu, 0x8000u, 0x8001u}) {
        for (const uint32_t pattern : {word + by, word - by}) {
          words.insert(words.end(), 2, pattern);
          reference.push_back(rounded(kind, pattern));
          reference.push_back(static_cast<uint16_t>(half));
        }
      }
    }
    const std::vector<MasterSegment> segments = {{static_cast<uint32_t>(words.size()), kind}};
    Words again(words.size());
    REQUIRE(decode(encoded(words, reference, segments), reference, segments, &again) == Status::ok);
    CHECK(again == words);
  }
}

TEST_CASE("segments without a reference, of both dtypes, and empty blocks come back") {
  const Words words = weights(5000, 2);
  const std::vector<MasterSegment> segments = {{1000, MasterKind::nothing},
                                                {1500, MasterKind::f16},
                                                {0, MasterKind::bf16},
                                                {2000, MasterKind::bf16},
                                                {500, MasterKind::nothing}};
  Halves reference;
  for (size_t i = 1000; i < 4500; ++i)
    reference.push_back(rounded(i < 2500 ? MasterKind::f16 : MasterKind::bf16, words[i]));
  Words again(words.size());
  REQUIRE(decode(encoded(words, reference, segments), reference, segments, &again) == Status::ok);
  CHECK(again == words);
  Words none;
  CHECK_EQ(decode(encoded(none, {}, {}), {}, {}, &none), Status::ok);
}

TEST_CASE("the documents' example") {
  const std::vector<float> values = {1.0f, 1.00390625f, -0.3f, 0.0f};
  Words words;
  for (const float value : values) words.push_back(std::bit_cast<uint32_t>(value));
  words.push_back(0x3F818000);  // a tie that goes away from zero
  const Halves reference = rounded(MasterKind::bf16, words);
  const std::vector<MasterSegment> segments = {{5, MasterKind::bf16}};
  const Bytes payload = encoded(words, reference, segments);
  std::string text;
  for (const uint8_t byte : payload) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x ", byte);
    text += digits;
  }
  CHECK_EQ(text, std::string("0a 01 04 00 80 81 3f 0b 00 00 00 00 80 9a 99 00 00 00 00 00 "));
  Words again(words.size());
  REQUIRE(decode(payload, reference, segments, &again) == Status::ok);
  CHECK(again == words);
}

TEST_CASE("a master payload that no encoder writes is refused") {
  const Words words = weights(40, 3);
  const Halves reference = rounded(MasterKind::f16, words);
  const std::vector<MasterSegment> segments = {{40, MasterKind::f16}};
  const Bytes payload = encoded(words, reference, segments);
  Words again(words.size());
  for (size_t size = 0; size < payload.size(); ++size) {
    const Bytes cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK(decode(cut, reference, segments, &again) != Status::ok);
  }
  Bytes other = payload;
  other[0] = 9;
  CHECK_EQ(decode(other, reference, segments, &again), Status::unsupported);
  Bytes longer = payload;
  longer.push_back(0);
  CHECK(decode(longer, reference, segments, &again) != Status::ok);
  // More exceptions than elements, one behind the last, a block that needs a previous one, and a rest of more bits than
  // were cut.
  const auto payload_of = [](const Bytes& exceptions, const Bytes& rests) {
    Bytes made{kMasterMode};
    made.insert(made.end(), exceptions.begin(), exceptions.end());
    made.push_back(static_cast<uint8_t>(rests.size()));
    made.insert(made.end(), rests.begin(), rests.end());
    made.push_back(0);
    return made;
  };
  const Halves ones(2, 0x3C00);
  const std::vector<MasterSegment> two = {{2, MasterKind::f16}};
  Words pair(2);
  CHECK_EQ(decode(payload_of({0}, {0, 1, 0, 2, 0}), ones, two, &pair), Status::ok);
  CHECK_EQ(decode(payload_of({3}, {0, 1, 0, 2, 0}), ones, two, &pair), Status::corrupt);
  CHECK_EQ(decode(payload_of({1, 2, 0, 0, 0, 0}, {0, 1, 0, 2, 0}), ones, two, &pair), Status::corrupt);
  CHECK_EQ(decode(payload_of({0}, {4}), ones, two, &pair), Status::corrupt);
  CHECK_EQ(decode(payload_of({0}, {0, 1, 0, 0, 0x20}), ones, two, &pair), Status::corrupt);
}
