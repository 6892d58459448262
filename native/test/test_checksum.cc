#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "checksum/crc32c_kernels.h"
#include "firn/checksum.h"
#include "simd/cpu_features.h"

namespace {

using namespace firn;
using firn::test::Random;

// Bit by bit, from the definition.
uint32_t reference(const std::vector<uint8_t>& bytes, uint32_t seed) {
  uint32_t state = ~seed;
  for (const uint8_t byte : bytes) {
    state ^= byte;
    for (int i = 0; i < 8; ++i) state = state & 1 ? state >> 1 ^ 0x82F63B78u : state >> 1;
  }
  return ~state;
}

std::vector<uint8_t> random_bytes(Random& random, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.next());
  return bytes;
}

}  // namespace

TEST_CASE("crc32c: the published examples come out") {
  CHECK_EQ(crc32c("123456789", 9), 0xE3069283u);
  CHECK_EQ(crc32c("", 0), 0u);
  // RFC 3720, appendix B.4.
  std::vector<uint8_t> bytes(32, 0);
  CHECK_EQ(crc32c(bytes.data(), 32), 0x8A9136AAu);
  bytes.assign(32, 0xFF);
  CHECK_EQ(crc32c(bytes.data(), 32), 0x62A8AB43u);
  for (size_t i = 0; i < 32; ++i) bytes[i] = static_cast<uint8_t>(i);
  CHECK_EQ(crc32c(bytes.data(), 32), 0x46DD794Eu);
  for (size_t i = 0; i < 32; ++i) bytes[i] = static_cast<uint8_t>(31 - i);
  CHECK_EQ(crc32c(bytes.data(), 32), 0x113FDB5Cu);
}

TEST_CASE("crc32c: every implementation agrees with the definition at every length and alignment") {
  Random random(1);
  std::vector<size_t> sizes;
  for (size_t size = 0; size < 200; ++size) sizes.push_back(size);
  for (const size_t size : {767, 768, 769, 1535, 1536, 12287, 12288, 12289, 13063, 40000}) sizes.push_back(size);
  for (const size_t size : sizes) {
    const size_t offset = random.below(9);
    const std::vector<uint8_t> padded = random_bytes(random, size + offset);
    const std::vector<uint8_t> bytes(padded.begin() + static_cast<ptrdiff_t>(offset), padded.end());
    const uint32_t seed = static_cast<uint32_t>(random.next()), expected = reference(bytes, seed);
    CHECK_EQ(crc32c(padded.data() + offset, size, seed), expected);
    CHECK_EQ(~scalar::crc32c(~seed, padded.data() + offset, size), expected);
#if FIRN_X86
    if (detected_isa() >= Isa::avx2) CHECK_EQ(~sse42::crc32c(~seed, padded.data() + offset, size), expected);
#endif
  }
}

TEST_CASE("crc32c: a checksum continues over any split") {
  Random random(2);
  const std::vector<uint8_t> bytes = random_bytes(random, 20000);
  const uint32_t whole = crc32c(bytes.data(), bytes.size());
  for (int round = 0; round < 200; ++round) {
    const size_t cut = random.below(bytes.size() + 1);
    CHECK_EQ(crc32c(bytes.data() + cut, bytes.size() - cut, crc32c(bytes.data(), cut)), whole);
  }
}
