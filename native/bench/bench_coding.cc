// Token coding, exact coding and checksums. Labels name the distributions, notes the resulting sizes.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "checksum/crc32c_kernels.h"
#include "firn/checksum.h"
#include "firn/delta.h"
#include "firn/lossless.h"

namespace firn::bench {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kBlock = kBlockElementsMax;
constexpr size_t kBlocks = 32;  // 4 Mi levels stand for 16 MiB of binary32

// SplitMix64.
struct Random {
  uint64_t state;
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Sum of uniforms: mean 0, variance 1.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }
};

std::string format(const char* pattern, double value) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

size_t total_size(const std::vector<Bytes>& parts) {
  size_t size = 0;
  for (const Bytes& part : parts) size += part.size();
  return size;
}

// Levels of normal values in `levels` bins of equal width; with probability `migration` an element draws a new value.
void bench_tokens(BenchReport& report, const std::string& label, uint32_t levels, double migration) {
  if (!report.wants("tokens count " + label) && !report.wants("tokens encode " + label) &&
      !report.wants("tokens decode " + label))
    return;
  Random random{levels + static_cast<uint64_t>(migration * 1e6)};
  const size_t count = kBlock * kBlocks;
  const auto draw = [&] {
    const double level = std::floor((random.normal() / 6 + 0.5) * levels);
    return static_cast<uint8_t>(level < 0 ? 0 : level >= levels ? levels - 1 : level);
  };
  Bytes previous(count), current(count), decoded(count);
  for (size_t i = 0; i < count; ++i) {
    previous[i] = draw();
    current[i] = random.unit() < migration ? draw() : previous[i];
  }
  TokenCounts counts;
  const auto add_all = [&] {
    counts = TokenCounts();
    for (size_t b = 0; b < kBlocks; ++b) counts.add(&previous[b * kBlock], &current[b * kBlock], kBlock, levels);
  };
  add_all();
  const TokenTables tables = counts.build();
  const uint64_t payload_bits = counts.payload_bits();
  std::vector<Bytes> payloads(kBlocks);
  const auto encode_all = [&] {
    for (size_t b = 0; b < kBlocks; ++b) {
      payloads[b].clear();
      tables.encode(&previous[b * kBlock], &current[b * kBlock], kBlock, levels, &payloads[b]);
    }
  };
  const auto decode_all = [&] {
    for (size_t b = 0; b < kBlocks; ++b) {
      tables.decode(payloads[b].data(), payloads[b].size(), &previous[b * kBlock], kBlock, levels,
                    &decoded[b * kBlock]);
    }
  };
  encode_all();
  const size_t payload_bytes = total_size(payloads), bytes = tables.serialize().size() + payload_bytes;
  report.measure("tokens count " + label, 4 * count, add_all, [&] { return counts.payload_bits() == payload_bits; });
  report.measure("tokens encode " + label, 4 * count, encode_all, [&] {
    return payload_bytes == total_size(payloads) && payload_bytes >= payload_bits / 8 &&
           payload_bytes <= payload_bits / 8 + kBlocks;
  });
  report.measure("tokens decode " + label, 4 * count, decode_all, [&] { return decoded == current; });
  report.note(
      "tokens " + label +
      format(": %.4f bit a level, tables included", 8.0 * static_cast<double>(bytes) / static_cast<double>(count)));
}

void bench_exact(BenchReport& report, const std::string& label, ElementKind kind, const Bytes& current,
                 const Bytes* previous) {
  if (!report.wants("exact encode " + label) && !report.wants("exact decode " + label)) return;
  const size_t block_bytes = kBlock * element_bytes(kind), blocks = current.size() / block_bytes;
  const auto before = [&](size_t b) { return previous ? previous->data() + b * block_bytes : nullptr; };
  std::vector<Bytes> coded(blocks);
  Bytes decoded(current.size());
  const auto encode_all = [&] {
    for (size_t b = 0; b < blocks; ++b) {
      coded[b].clear();
      exact_encode(&current[b * block_bytes], before(b), kBlock, kind, &coded[b]);
    }
  };
  const auto decode_all = [&] {
    for (size_t b = 0; b < blocks; ++b) {
      exact_decode(coded[b].data(), coded[b].size(), before(b), kBlock, kind, &decoded[b * block_bytes]);
    }
  };
  encode_all();
  const auto comes_back = [&] {
    decode_all();
    return decoded == current;
  };
  const size_t bytes = 4 * kBlock * blocks;  // of binary32, as everywhere
  report.measure("exact encode " + label, bytes, encode_all, comes_back);
  report.measure("exact decode " + label, bytes, decode_all, [&] { return decoded == current; });
  report.note("exact " + label +
              format(": ratio %.3f", static_cast<double>(current.size()) / static_cast<double>(total_size(coded))));
}

// Weights N(0, 0.02^2), and a later checkpoint moved by N(0, step^2).
void bench_exact_series(BenchReport& report, double step, const std::string& label) {
  Random random{7};
  const size_t count =
      kBlock * 8;  // 4 MiB of binary32: a block's work fits the second-level cache, a series of blocks does not
  Bytes before(4 * count), after(4 * count), before16(2 * count), after16(2 * count);
  for (size_t i = 0; i < count; ++i) {
    const float w = static_cast<float>(0.02 * random.normal()), moved = w + static_cast<float>(step * random.normal());
    std::memcpy(&before[4 * i], &w, 4);
    std::memcpy(&after[4 * i], &moved, 4);
    std::memcpy(&before16[2 * i], reinterpret_cast<const uint8_t*>(&w) + 2, 2);
    std::memcpy(&after16[2 * i], reinterpret_cast<const uint8_t*>(&moved) + 2, 2);
  }
  bench_exact(report, "f32 alone", ElementKind::f32, after, nullptr);
  bench_exact(report, "f32 delta " + label, ElementKind::f32, after, &before);
  bench_exact(report, "bf16 alone", ElementKind::bf16, after16, nullptr);
  bench_exact(report, "bf16 delta " + label, ElementKind::bf16, after16, &before16);
}

void bench_crc(BenchReport& report, const std::string& label, size_t size) {
  if (!report.wants("crc32c " + label)) return;
  Random random{9};
  Bytes bytes(size);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.next());
  uint32_t checksum = 0;
  report.measure(
      "crc32c " + label, size, [&] { checksum = crc32c(bytes.data(), bytes.size()); },
      [&] { return checksum == ~scalar::crc32c(~0u, bytes.data(), bytes.size()); });
}

}  // namespace

void bench_coding(BenchReport& report) {
  bench_tokens(report, "16 levels, 30 % moved", 16, 0.3);
  bench_tokens(report, "16 levels, 1 % moved", 16, 0.01);
  bench_tokens(report, "34 levels, 60 % moved", 34, 0.6);
  bench_exact_series(report, 1e-4, "step 1e-4");
  bench_crc(report, "1 MiB", size_t{1} << 20);
  bench_crc(report, "16 MiB", size_t{16} << 20);
}

}  // namespace firn::bench
