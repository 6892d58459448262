#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "check.h"
#include "firn/buckets.h"
#include "firn/delta.h"

namespace {

using namespace firn;
using firn::test::Random;
using Bytes = std::vector<uint8_t>;
using Floats = std::vector<float>;

constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::f16, Dtype::bf16};

Bytes stored(const Floats& values, Dtype dtype) {
  Bytes bytes(values.size() * dtype_bytes(dtype));
  if (!values.empty()) convert(values.data(), Dtype::f32, values.size(), bytes.data(), dtype);
  return bytes;
}

Floats values_of(const Bytes& bytes, Dtype dtype) {
  Floats values(bytes.size() / dtype_bytes(dtype));
  if (!values.empty()) convert(bytes.data(), dtype, values.size(), values.data(), Dtype::f32);
  return values;
}

// Bell-shaped, of many exponents.
Floats weights(size_t count, uint64_t seed, double scale) {
  Random random(seed);
  Floats values;
  for (size_t i = 0; i < count; ++i) {
    const double around = random.unit() + random.unit() + random.unit() - 1.5;
    values.push_back(static_cast<float>(scale * around * around * around));
  }
  return values;
}

Floats sum(const Floats& a, const Floats& b) {
  Floats values(a);
  for (size_t i = 0; i < b.size(); ++i) values[i] += b[i];
  return values;
}

Bytes encoded(const Bytes& current, const Bytes& previous, Dtype dtype, uint32_t bits) {
  Bytes out;
  const BucketElements elements{current.data(), dtype, current.size() / dtype_bytes(dtype)};
  CHECK_EQ(bucket_encode(elements, previous.data(), bits, &out), Status::ok);
  return out;
}

Status decode(const Bytes& payload, const Bytes& previous, Dtype dtype, Bytes* out) {
  out->assign(previous.size(), 0xEE);
  const BucketElements before{previous.data(), dtype, previous.size() / dtype_bytes(dtype)};
  return bucket_decode(payload.data(), payload.size(), before, out->data());
}

// The rebuilt elements of the paper's section 3.1.1, computed with maps: changes by (exponent, sign), of which the
// largest exponents are stored, each as the mean of its ends.
Bytes by_the_paper(const Bytes& current, const Bytes& previous, Dtype dtype, uint32_t bits) {
  const Floats now = values_of(current, dtype), before = values_of(previous, dtype);
  std::map<std::pair<int, bool>, Floats> buckets;
  const auto key_of = [](float delta) {
    return std::pair<int, bool>(static_cast<int>(std::bit_cast<uint32_t>(delta) >> 23 & 0xFF), delta < 0);
  };
  for (size_t i = 0; i < now.size(); ++i) {
    const float delta = now[i] - before[i];
    if (delta != 0 && std::isfinite(delta)) buckets[key_of(delta)].push_back(delta);
  }
  std::vector<std::pair<int, bool>> order;
  for (const auto& [key, deltas] : buckets) order.push_back(key);
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    return buckets[a].size() > buckets[b].size();
  });
  order.resize(std::min(order.size(), (size_t{1} << bits) - 1));
  std::map<std::pair<int, bool>, float> values;
  for (const auto& key : order) {
    const auto [least, most] = std::minmax_element(buckets[key].begin(), buckets[key].end());
    values[key] = static_cast<float>((double{*least} + double{*most}) / 2);
  }
  Bytes rebuilt = previous;
  const size_t size = dtype_bytes(dtype);
  for (size_t i = 0; i < now.size(); ++i) {
    const float delta = now[i] - before[i];
    if (delta == 0 || !std::isfinite(delta)) continue;
    const auto kept = values.find(key_of(delta));
    if (kept == values.end()) continue;
    const Bytes element = stored({before[i] + kept->second}, dtype);
    if (std::isfinite(values_of(element, dtype)[0]))
      std::copy(element.begin(), element.end(), rebuilt.begin() + static_cast<ptrdiff_t>(i * size));
  }
  return rebuilt;
}

}  // namespace

TEST_CASE("blocks of every dtype, length and number of bits come back as the paper rebuilds them") {
  for (const Dtype dtype : kDtypes) {
    for (const size_t count : {0, 1, 7, 64, 1000, 131072}) {
      for (const uint32_t bits : {1u, 2u, 3u, 5u, 8u}) {
        const Floats before = weights(count, 1, 1), moves = weights(count, 2, 0.05);
        const Bytes previous = stored(before, dtype), current = stored(sum(before, moves), dtype);
        const Bytes payload = encoded(current, previous, dtype, bits);
        // The bound of docs/format.md, with the byte of the mode.
        CHECK(1 + payload.size() <= 2048 + current.size());
        Bytes again;
        CHECK_EQ(decode(payload, previous, dtype, &again), Status::ok);
        CHECK(again == by_the_paper(current, previous, dtype, bits));
      }
    }
  }
}

TEST_CASE("elements that are not finite, before or after, stay as they are, bit for bit") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const Dtype dtype : kDtypes) {
    const Bytes previous = stored({nan, inf, -inf, 1, 1, 1, -0.0f, 60000}, dtype);
    const Bytes current = stored({1, 1, 1, nan, inf, 2, -0.0f, 65000}, dtype);
    Bytes again;
    CHECK_EQ(decode(encoded(current, previous, dtype, 8), previous, dtype, &again), Status::ok);
    Bytes expected = stored({nan, inf, -inf, 1, 1, 2, -0.0f, 65000}, dtype);
    CHECK(again == expected);
  }
  // A sum that overflows the dtype leaves the element: bits keep one bucket, whose value is the mean of 60000
  // and 40000.
  const Bytes previous = stored({0, 20000}, Dtype::f16), current = stored({40000, 65000}, Dtype::f16);
  Bytes payload = encoded(current, previous, Dtype::f16, 1), again;
  CHECK_EQ(decode(payload, stored({0, 60000}, Dtype::f16), Dtype::f16, &again), Status::ok);
  CHECK_EQ(values_of(again, Dtype::f16)[1], 60000.0f);
}

TEST_CASE("a block that did not change takes a head alone") {
  const Bytes previous = stored(weights(5000, 3, 1), Dtype::f32);
  const Bytes expected = {0, 0};
  CHECK(encoded(previous, previous, Dtype::f32, 8) == expected);
}

TEST_CASE("the documents' example") {
  const Bytes previous = stored({1, 1, 1, 1, 1}, Dtype::f32), current = stored({5, 7, -1, 2, 1}, Dtype::f32);
  const Bytes expected = {0x03, 0x00, 0x00, 0xA0, 0x40, 0x00, 0x00, 0x00, 0xC0, 0x00,
                          0x00, 0x80, 0x3F, 0x22, 0x22, 0x5B, 0x00};
  CHECK(encoded(current, previous, Dtype::f32, 2) == expected);
}

TEST_CASE("payloads that no encoder writes are refused") {
  const Bytes previous = stored(weights(40, 4, 1), Dtype::f32);
  const Bytes current = stored(sum(values_of(previous, Dtype::f32), weights(40, 5, 0.1)), Dtype::f32);
  const Bytes payload = encoded(current, previous, Dtype::f32, 2);
  Bytes again;
  REQUIRE(payload[0] == 3);
  for (size_t size = 0; size < payload.size(); ++size) {
    const Bytes cut(payload.begin(), payload.begin() + static_cast<ptrdiff_t>(size));
    CHECK(decode(cut, previous, Dtype::f32, &again) != Status::ok);
  }
  const auto changed = [&](size_t at, Bytes bytes) {
    Bytes copy = payload;
    std::copy(bytes.begin(), bytes.end(), copy.begin() + static_cast<ptrdiff_t>(at));
    return decode(copy, previous, Dtype::f32, &again);
  };
  CHECK_EQ(changed(1, {0, 0, 0, 0}), Status::corrupt);           // a value of zero
  CHECK_EQ(changed(1, {0, 0, 0x80, 0x7F}), Status::corrupt);     // infinity
  CHECK_EQ(changed(1, {1, 0, 0xC0, 0x7F}), Status::corrupt);     // not a number
  CHECK_EQ(changed(13, {0x11, 0x11}), Status::corrupt);          // more codes than there are
  CHECK_EQ(changed(13, {0x33, 0x33}), Status::corrupt);          // fewer
  CHECK_EQ(changed(13, {0x00, 0x00}), Status::corrupt);          // none
  Bytes longer = payload;
  longer.push_back(0);
  CHECK_EQ(decode(longer, previous, Dtype::f32, &again), Status::corrupt);
  // A length that is left over, and bits behind the last symbol.
  CHECK_EQ(decode({0, 0x10}, previous, Dtype::f32, &again), Status::corrupt);
  CHECK_EQ(decode({0, 0, 1}, previous, Dtype::f32, &again), Status::corrupt);
  CHECK_EQ(decode({0, 0}, previous, Dtype::f32, &again), Status::ok);
  CHECK(again == previous);
}

TEST_CASE("merged deltas rebuild every checkpoint as their own payloads do, in fewer bytes where changes agree") {
  for (const Dtype dtype : kDtypes) {
    for (const size_t count : {0, 1, 9, 1000, 131072}) {
      for (const uint32_t width : {2u, 3u, 4u}) {
        for (const uint32_t bits : {1u, 3u, 8u}) {
          const Bytes start = stored(weights(count, 1, 1), dtype);
          std::vector<Bytes> states{start}, payloads;
          for (uint32_t j = 0; j < width; ++j) {
            const Floats moved = sum(values_of(states.back(), dtype), weights(count, 10 + j, 0.02));
            payloads.push_back(encoded(stored(moved, dtype), states.back(), dtype, bits));
            Bytes next;
            CHECK_EQ(decode(payloads.back(), states.back(), dtype, &next), Status::ok);
            states.push_back(next);
          }
          std::vector<BucketPayload> given;
          size_t bytes_apart = 0;
          for (const Bytes& payload : payloads) {
            given.push_back({payload.data(), payload.size()});
            bytes_apart += payload.size();
          }
          Bytes merged;
          CHECK_EQ(bucket_merge(given, count, &merged), Status::ok);
          CHECK(merged.size() <= bytes_apart + 1 + 3 * (width - 1));
          if (count > 100000 && bits == 1) CHECK(merged.size() < bytes_apart * 3 / 4);
          for (uint32_t position = 0; position < width; ++position) {
            Bytes out(start.size());
            const BucketElements before{start.data(), dtype, count};
            CHECK_EQ(merged_bucket_decode(merged.data(), merged.size(), {width, position}, before, out.data()),
                     Status::ok);
            CHECK(out == states[position + 1]);
          }
        }
      }
    }
  }
}

TEST_CASE("merged payloads that no encoder writes are refused") {
  const Bytes before = stored({1, 1, 1}, Dtype::f32);
  const BucketElements previous{before.data(), Dtype::f32, 3};
  const auto said = [&](const Bytes& payload, uint32_t width = 2, uint32_t position = 1) {
    Bytes out(before.size());
    return merged_bucket_decode(payload.data(), payload.size(), {width, position}, previous, out.data());
  };
  // Two checkpoints of one bucket each, of 1 and 2; no list, and of three elements (1 0), (0 1), (1 1) field by field.
  const Bytes joint = {1, 1, 0, 0, 0x80, 0x3F, 1, 0, 0, 0, 0x40, 0, 0, 0x9C};
  CHECK_EQ(said(joint), Status::ok);
  Bytes second(before.size());
  CHECK_EQ(merged_bucket_decode(joint.data(), joint.size(), {2, 1}, previous, second.data()), Status::ok);
  CHECK(second == stored({2, 3, 4}, Dtype::f32));
  for (size_t size = 0; size < joint.size(); ++size)
    CHECK(said(Bytes(joint.begin(), joint.begin() + static_cast<ptrdiff_t>(size))) != Status::ok);
  const auto changed = [&](size_t at, uint8_t byte) {
    Bytes copy = joint;
    copy[at] = byte;
    return said(copy);
  };
  CHECK_EQ(changed(0, 2), Status::corrupt);      // a mode that does not exist
  CHECK_EQ(changed(4, 0), Status::ok);           // another value
  CHECK_EQ(changed(13, 0x9D), Status::corrupt);  // bits behind the last element
  CHECK_EQ(changed(12, 1), Status::corrupt);     // one symbol, and a length
  CHECK_EQ(said({1, 0, 0, 1, 1, 0, 0x11, 0}), Status::corrupt);        // lists a bucket that does not exist
  CHECK_EQ(said({1, 0, 0, 0x80, 0x20}), Status::corrupt);              // lists more than 4095
  CHECK_EQ(said({0, 2, 0, 0, 0, 0}), Status::ok);                      // apart: no changes
  CHECK_EQ(said({0, 2, 0, 0, 0}), Status::truncated);
  CHECK_EQ(said({0, 9, 0, 0, 0, 0}), Status::truncated);
  CHECK_EQ(said(joint, 2, 2), Status::invalid_argument);
  CHECK_EQ(said(joint, 5, 0), Status::invalid_argument);
  CHECK_EQ(said(joint, 1, 0), Status::invalid_argument);
  // Three buckets in fields of two bits leave none over; with two buckets a field of 3 is none.
  CHECK_EQ(said({1, 2, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0, 0xC0}), Status::corrupt);
  Bytes out;
  const BucketPayload one{joint.data(), joint.size()};
  CHECK_EQ(bucket_merge(std::vector<BucketPayload>{one}, 3, &out), Status::invalid_argument);
  CHECK_EQ(bucket_merge(std::vector<BucketPayload>(2, {joint.data(), 3}), 3, &out), Status::truncated);
}

TEST_CASE("arguments out of range are refused") {
  const Bytes elements(4 * 10);
  Bytes out;
  CHECK_EQ(bucket_encode({elements.data(), Dtype::f32, 10}, elements.data(), 0, &out), Status::invalid_argument);
  CHECK_EQ(bucket_encode({elements.data(), Dtype::f32, 10}, elements.data(), 9, &out), Status::invalid_argument);
  CHECK_EQ(bucket_encode({elements.data(), Dtype::f32, kBlockElementsMax + 1}, elements.data(), 3, &out),
           Status::invalid_argument);
}
