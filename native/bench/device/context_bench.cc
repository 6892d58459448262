#include <bit>
#include <cstring>

#include "bench/device/device_bench.h"
#include "context/blocks/block_modes.h"
#include "context/dense/dense_encode_tokens.h"
#include "context/dense/dense_sample_team.h"
#include "firn/context_coder.h"
#include "firn/delta.h"

namespace firn::bench {
namespace {

constexpr uint32_t kTables = 8, kSymbolsUsed = 12;
constexpr size_t kDistinct = 64;   // blocks with content of their own
constexpr size_t kBlocks = 4096;   // a tensor of half a billion weights
constexpr size_t kBlock = kBlockElementsMax;

uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Blocks of symbols that halve in frequency, faster or slower by context, at 0.6 to 2 bits a symbol.
struct ContextData {
  std::vector<uint8_t> contexts, symbols;

  ContextData() : contexts(kDistinct * kBlock), symbols(kDistinct * kBlock) {
    for (size_t i = 0; i < contexts.size(); ++i) {
      const uint64_t bits = mixed(i + 1);
      contexts[i] = static_cast<uint8_t>(bits % kTables);
      const auto run = static_cast<uint32_t>(std::countl_zero(bits | 1));
      symbols[i] = static_cast<uint8_t>(std::min(run / (1 + contexts[i] / 4), kSymbolsUsed - 1));
    }
  }
};

// All blocks on the device: the distinct ones over and over, each at an address of its own.
struct OnDevice {
  uint8_t *contexts, *symbols;

  OnDevice(DeviceBench& bench, std::vector<DeviceBuffer>& buffers, const ContextData& data)
      : contexts(fill(bench, buffers, data.contexts)), symbols(fill(bench, buffers, data.symbols)) {}

 private:
  static uint8_t* fill(DeviceBench& bench, std::vector<DeviceBuffer>& buffers, const std::vector<uint8_t>& from) {
    uint8_t* const to = bench.room<uint8_t>(buffers, kBlocks * kBlock);
    for (size_t at = 0; at < kBlocks * kBlock; at += from.size())
      bench.check(bench.device().upload(to + at, from.data(), from.size()));
    bench.check(bench.device().wait());
    return to;
  }
};

std::vector<ContextPiece> pieces_of(size_t elements) {
  std::vector<ContextPiece> pieces;
  for (size_t at = 0; at < elements; at += kContextPieceMax) pieces.push_back({at, kContextPieceMax, 0});
  return pieces;
}

void bench_counts(DeviceBench& bench, const ContextData& data, const OnDevice& there) {
  std::vector<DeviceBuffer> buffers;
  const std::vector<ContextPiece> pieces = pieces_of(kBlocks * kBlock);
  uint32_t* const counts = bench.room<uint32_t>(buffers, kCountsRow);
  const ContextCountsKernel arguments{there.symbols, there.contexts, bench.up(buffers, pieces),
                                      static_cast<uint32_t>(pieces.size()), counts};
  std::vector<uint32_t> expected(kCountsRow);
  for (size_t i = 0; i < data.symbols.size(); ++i)
    expected[data.contexts[i] * kCountsSymbols + data.symbols[i]] += kBlocks / kDistinct;
  bench.measure({.name = "context_counts",
                 .bytes = 2 * kBlocks * kBlock,
                 .bar = 0.3,
                 .on_device =
                     [&] {
                       bench.check(bench.device().clear(counts, kCountsRow * sizeof(uint32_t)));
                       bench.check(bench.device().run(&DeviceTable::context_counts, arguments));
                     },
                 .on_processor =
                     [&](size_t first, size_t blocks) {
                       ContextCounts own;
                       const auto count = static_cast<uint32_t>(kBlock), slot = uint32_t{0};
                       for (size_t b = first; b < first + blocks; ++b) {
                         const size_t at = b % kDistinct * kBlock;
                         own.add({{&data.contexts[at], kBlock, &count, &slot, 1}, &data.symbols[at], nullptr, 0});
                       }
                     },
                 .elements = kBlocks,
                 .same = [&] { return bench.down(counts, kCountsRow) == expected; }});
}

TableSet table_set() {
  TableSet set;
  set.slots = 1;
  set.contexts = kTables;
  for (uint32_t t = 0; t < kTables; ++t) {
    TableShape shape;
    for (uint32_t s = 0; s < kContextSymbols; ++s)
      shape.drops[s] = s < kSymbolsUsed ? static_cast<uint8_t>(s * (1 + t / 4)) : kShapeAbsent;
    set.shapes.push_back(shape);
    set.map.push_back(static_cast<uint8_t>(t));
  }
  return set;
}

void bench_tables(DeviceBench& bench, const ContextData& data, const OnDevice& there, const TableSet& set,
                  uint8_t* indexes) {
  std::vector<DeviceBuffer> buffers;
  const std::vector<ContextPiece> pieces = pieces_of(kBlocks * kBlock);
  std::vector<uint8_t> index_of(256);
  for (uint32_t t = 0; t < kTables; ++t) index_of[t] = static_cast<uint8_t>(t);
  uint32_t* const missing = bench.up(buffers, std::vector<uint32_t>(1));
  const ElementTablesKernel arguments{there.contexts, bench.up(buffers, pieces), static_cast<uint32_t>(pieces.size()),
                                      bench.up(buffers, set.map), bench.up(buffers, index_of), kTables, indexes,
                                      missing};
  bench.measure({.name = "element_tables",
                 .bytes = 2 * kBlocks * kBlock,
                 .bar = 0,
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::element_tables, arguments)); },
                 .on_processor =
                     [&](size_t first, size_t blocks) {
                       const auto count = static_cast<uint32_t>(kBlock), slot = uint32_t{0};
                       for (size_t b = first; b < first + blocks; ++b)
                         ElementTables(set, {&data.contexts[b % kDistinct * kBlock], kBlock, &count, &slot, 1});
                     },
                 .elements = kBlocks,
                 .same =
                     [&] {
                       // Each context has the table of its number.
                       const std::vector<uint8_t> found = bench.down(indexes, kBlocks * kBlock);
                       for (size_t at = 0; at < found.size(); at += data.contexts.size()) {
                         if (std::memcmp(&found[at], data.contexts.data(), data.contexts.size()) != 0) return false;
                       }
                       return bench.down(missing, 1)[0] == 0;
                     }});
}

void bench_dense(DeviceBench& bench, const ContextData& data, const OnDevice& there, const TableSet& set,
                 const uint8_t* indexes) {
  const SetCodes codes(set.shapes);
  const auto count = static_cast<uint32_t>(kBlock), slot = uint32_t{0};
  const auto encode_one = [&](size_t block) {
    const size_t at = block % kDistinct * kBlock;
    const ElementTables elements(set, {&data.contexts[at], kBlock, &count, &slot, 1});
    return encode_dense(codes, elements, &data.symbols[at], kLanesMax);
  };
  std::vector<LaneStream> expected;
  size_t stored = 0;
  for (size_t b = 0; b < kDistinct; ++b) stored += expected.emplace_back(encode_one(b)).bytes.size();

  std::vector<DeviceBuffer> buffers;
  constexpr size_t kRoom = dense_team_room(kBlock);
  uint8_t* const rooms = bench.room<uint8_t>(buffers, kBlocks * kRoom);
  const DenseTeamToken* const tokens = bench.up(buffers, dense_team_tokens(codes.symbol_tokens()));
  std::vector<DenseTeamBlock> blocks;
  for (size_t b = 0; b < kBlocks; ++b) {
    blocks.push_back({indexes + b * kBlock, there.symbols + b * kBlock, tokens, rooms + (b + 1) * kRoom, count, kTables,
                      kLanesMax});
  }
  DenseTeamResult* const results = bench.room<DenseTeamResult>(buffers, kBlocks);
  const DenseEncodeTeamKernel arguments{bench.up(buffers, blocks), static_cast<uint32_t>(kBlocks), results};
  bench.measure({.name = "dense_encode, 64 lanes",
                 .bytes = 2 * kBlocks * kBlock + stored * (kBlocks / kDistinct),
                 .bar = 0.1,
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::dense_encode, arguments)); },
                 .on_processor =
                     [&](size_t first, size_t many) {
                       for (size_t b = first; b < first + many; ++b) encode_one(b);
                     },
                 .elements = kBlocks,
                 .same =
                     [&] {
                       const std::vector<DenseTeamResult> found = bench.down(results, kBlocks);
                       for (size_t b = 0; b < kBlocks; ++b) {
                         const std::vector<uint8_t>& bytes = expected[b % kDistinct].bytes;
                         if (found[b].status != DenseTeamStatus::ok || found[b].bytes != bytes.size()) return false;
                         if (bench.down(rooms + (b + 1) * kRoom - bytes.size(), bytes.size()) != bytes) return false;
                       }
                       return true;
                     }});
}

// The whole tensor as one block: what a block of 131,072 weights takes is a launch.
void bench_sample(DeviceBench& bench, const ContextData& data, const OnDevice& there) {
  std::vector<DeviceBuffer> buffers;
  constexpr size_t kCounts = DenseSampleKernel::kCells;
  uint32_t* const counts = bench.room<uint32_t>(buffers, kCounts);
  const DenseSampleKernel arguments{there.contexts, there.symbols, static_cast<uint32_t>(kBlocks * kBlock), counts};
  const auto count_block = [&](size_t block, uint32_t* to) {
    const size_t at = block % kDistinct * kBlock;
    for (size_t i = at; i < at + kBlock; i += kDenseSampled)
      ++to[data.contexts[i] * kDenseTeamSymbols + data.symbols[i]];
  };
  std::vector<uint32_t> expected(kCounts);
  for (size_t b = 0; b < kBlocks; ++b) count_block(b, expected.data());
  bench.measure({.name = "dense_sample",
                 .bytes = 2 * kBlocks * kBlock,
                 .on_device =
                     [&] {
                       bench.check(bench.device().clear(counts, kCounts * sizeof(uint32_t)));
                       bench.check(bench.device().run(&DeviceTable::dense_sample, arguments));
                     },
                 .on_processor =
                     [&](size_t first, size_t many) {
                       std::vector<uint32_t> own(kCounts);
                       for (size_t b = first; b < first + many; ++b) count_block(b, own.data());
                     },
                 .elements = kBlocks,
                 .same = [&] { return bench.down(counts, kCounts) == expected; }});
}

}  // namespace

void device_bench_context(DeviceBench& bench) {
  bool is_wanted = false;
  for (const char* name : {"context_counts", "element_tables", "dense_encode, 64 lanes", "dense_sample"})
    is_wanted |= bench.wants(name);
  if (!is_wanted) return;
  const ContextData data;
  std::vector<DeviceBuffer> buffers;
  const OnDevice there(bench, buffers, data);
  const TableSet set = table_set();
  bench_counts(bench, data, there);
  bench_sample(bench, data, there);
  uint8_t* const indexes = bench.room<uint8_t>(buffers, kBlocks * kBlock);
  // Also what the dense mode reads, whether its own row is wanted or not.
  for (size_t at = 0; at < kBlocks * kBlock; at += data.contexts.size())
    bench.check(bench.device().upload(indexes + at, data.contexts.data(), data.contexts.size()));
  bench.check(bench.device().wait());
  bench_tables(bench, data, there, set, indexes);
  bench_dense(bench, data, there, set, indexes);
}

}  // namespace firn::bench
