#include <cstring>
#include <memory>

#include "bench/device/device_bench.h"
#include "entropy/token/token_table_format.h"
#include "entropy/token/tokens.h"
#include "firn/codebook_quant/assign.h"
#include "firn/delta.h"

namespace firn::bench {
namespace {

constexpr uint32_t kBins = 16;
constexpr auto kPruned = static_cast<uint8_t>(kBins), kProtected = static_cast<uint8_t>(kBins + 1);
constexpr uint32_t kLevels = kBins + 2;

std::vector<float> centroids() {
  std::vector<float> values(kBins);
  for (uint32_t i = 0; i < kBins; ++i) values[i] = 0.25f * (static_cast<float>(i) - 7.5f);
  return values;
}

// A fifth is pruned, and one in a hundred protected.
Partition partition() {
  Partition p;
  p.protect_magnitude_min = 2.6f;
  p.prune_below = 0.25f;
  return p;
}

// Everything that one dtype's rows work on.
struct Rows {
  Rows(DeviceBench& on, Dtype of) : bench(on), dtype(of), size(dtype_bytes(of)) {
    convert(bench_weights(kDeviceElements, 1).data(), Dtype::f32, kDeviceElements, elements.data(), dtype);
    levels.resize(kDeviceElements);
    size_t protected_count = 0;
    assign_levels(elements.data(), dtype, nullptr, dtype, kDeviceElements, p, map, levels.data(), &protected_count);
    words.resize(protected_count);
    gather_protected(elements.data(), dtype, levels.data(), kDeviceElements, kProtected, words.data());
    rebuilt.resize(elements.size());
    dequantize(levels.data(), kDeviceElements, dtype, table.data(), kLevels, kProtected, words.data(), words.size(),
               rebuilt.data());
    counts.resize(chunks);
    places.resize(chunks + 1);
    for (size_t i = 0; i < kDeviceElements; ++i) counts[i / kCodebookChunk] += levels[i] == kProtected;
    for (uint32_t c = 0; c < chunks; ++c) places[c + 1] = places[c] + counts[c];
    d_weights = bench.up(buffers, elements);
    d_levels = bench.up(buffers, levels);
    d_counts = bench.up(buffers, counts);
    d_places = bench.up(buffers, places);
    d_words = bench.up(buffers, words);
  }
  template <typename Kernel>
  auto runs(int32_t (*DeviceTable::*name)(void*, const Kernel*), Kernel kernel) {
    return [this, name, kernel] { bench.check(bench.device().run(name, kernel)); };
  }

  DeviceBench& bench;
  const Dtype dtype;
  const size_t size;
  const uint32_t chunks = codebook_chunks(kDeviceElements);
  const std::vector<float> centers = centroids();
  const Partition p = partition();
  const LevelMap map{centers.data(), kBins, kPruned, kProtected, nullptr};
  std::vector<uint8_t> elements = std::vector<uint8_t>(kDeviceElements * size), levels, rebuilt,
                       table = std::vector<uint8_t>(256 * size, 7);
  std::vector<uint16_t> words;
  std::vector<uint32_t> counts;
  std::vector<uint64_t> places;
  std::vector<DeviceBuffer> buffers;
  const uint8_t *d_weights = nullptr, *d_levels = nullptr;
  const uint32_t* d_counts = nullptr;
  const uint64_t* d_places = nullptr;
  const uint16_t* d_words = nullptr;
};

// Sketches and levels of weights, and elements of levels.
void bench_weights_and_levels(Rows& r, const std::string& suffix) {
  DeviceBench& bench = r.bench;
  const PartitionRule rule = partition_rule(r.p, false);
  Sketch* const sketch = bench.room<Sketch>(r.buffers, 1);
  const auto own_sketch = std::make_unique<Sketch>();
  sketch_quantized(r.elements.data(), r.dtype, nullptr, r.dtype, kDeviceElements, r.p, *own_sketch);
  const auto on_device = r.runs(&DeviceTable::sketch_quantized,
                                SketchQuantizedTeamKernel{r.d_weights, nullptr, r.dtype, r.dtype, kDeviceElements, rule,
                                                          sketch});
  bench.measure({.name = "sketch_quantized" + suffix,
                 .bytes = r.elements.size(),
                 .on_device =
                     [&] {
                       bench.check(bench.device().clear(sketch, sizeof(Sketch)));
                       on_device();
                     },
                 .on_processor =
                     [&](size_t first, size_t count) {
                       const auto own = std::make_unique<Sketch>();
                       sketch_quantized(r.elements.data() + first * r.size, r.dtype, nullptr, r.dtype, count, r.p,
                                        *own);
                     },
                 .elements = kDeviceElements,
                 .same =
                     [&] {
                       return std::memcmp(bench.down(sketch, 1).data(), own_sketch.get(), sizeof(Sketch)) == 0;
                     }});

  const BinSearch* const search =
      bench.up(r.buffers, std::vector<BinSearch>{make_bin_search(r.centers.data(), kBins, nullptr)});
  uint8_t* const found = bench.room<uint8_t>(r.buffers, kDeviceElements);
  uint32_t* const found_counts = bench.room<uint32_t>(r.buffers, r.chunks);
  bench.measure({.name = "assign_levels" + suffix,
                 .bytes = r.elements.size() + kDeviceElements,
                 .on_device = r.runs(&DeviceTable::assign_levels,
                                     AssignLevelsTeamKernel{r.d_weights, nullptr, r.dtype, r.dtype, kDeviceElements,
                                                            rule, search, kPruned, kProtected, found, found_counts}),
                 .on_processor =
                     [&](size_t first, size_t count) {
                       assign_levels(r.elements.data() + first * r.size, r.dtype, nullptr, r.dtype, count, r.p, r.map,
                                     r.levels.data() + first, nullptr);
                     },
                 .elements = kDeviceElements,
                 .same = [&] { return bench.down(found, kDeviceElements) == r.levels; }});

  uint16_t* const found_words = bench.room<uint16_t>(r.buffers, r.words.size());
  bench.measure({.name = "gather_protected" + suffix,
                 .bytes = kDeviceElements + 2 * r.words.size() * r.size,
                 .on_device = r.runs(&DeviceTable::gather_protected,
                                     GatherProtectedTeamKernel{r.d_weights, r.dtype, r.d_levels, kDeviceElements,
                                                               kProtected, r.d_places, found_words}),
                 .on_processor =
                     [&](size_t first, size_t count) {
                       std::vector<uint16_t> own(r.words.size());
                       gather_protected(r.elements.data() + first * r.size, r.dtype, r.levels.data() + first, count,
                                        kProtected, own.data());
                     },
                 .elements = kDeviceElements,
                 .same = [&] { return bench.down(found_words, r.words.size()) == r.words; }});

  const uint8_t* const d_table = bench.up(r.buffers, r.table);
  uint8_t* const rebuilt = bench.room<uint8_t>(r.buffers, r.rebuilt.size());
  uint8_t* const failures = bench.room<uint8_t>(r.buffers, r.chunks);
  bench.measure({.name = "dequantize" + suffix,
                 .bytes = kDeviceElements + r.rebuilt.size(),
                 .on_device = r.runs(&DeviceTable::dequantize,
                                     DequantizeTeamKernel{r.d_levels, kDeviceElements, r.dtype, d_table, kLevels,
                                                          kProtected, r.d_places, r.d_words, r.words.size(), rebuilt,
                                                          failures}),
                 .on_processor =
                     [&](size_t first, size_t count) {
                       const auto before = static_cast<size_t>(r.places[first / kCodebookChunk]);
                       const auto after = static_cast<size_t>(r.places[(first + count) / kCodebookChunk]);
                       dequantize(r.levels.data() + first, count, r.dtype, r.table.data(), kLevels, kProtected,
                                  r.words.data() + before, after - before, r.rebuilt.data() + first * r.size);
                     },
                 .elements = kDeviceElements,
                 .same = [&] { return bench.down(rebuilt, r.rebuilt.size()) == r.rebuilt; }});
}

// Counts of levels and places of words, which do not depend on the dtype.
void bench_counts(Rows& r) {
  DeviceBench& bench = r.bench;
  uint32_t* const found = bench.room<uint32_t>(r.buffers, r.chunks);
  bench.measure({.name = "count_levels",
                 .bytes = kDeviceElements,
                 .on_device = r.runs(&DeviceTable::count_levels,
                                     CountLevelsTeamKernel{r.d_levels, kDeviceElements, kProtected, found}),
                 .on_processor = nullptr,
                 .elements = kDeviceElements,
                 .same = [&] { return bench.down(found, r.chunks) == r.counts; }});
  uint64_t* const sums = bench.room<uint64_t>(r.buffers, size_t{r.chunks} + 1);
  // One team over the counts of all chunks: its time is what a block waits for.
  bench.measure({.name = "exclusive_sums",
                 .bytes = r.chunks * (sizeof(uint32_t) + sizeof(uint64_t)),
                 .on_device = r.runs(&DeviceTable::exclusive_sums, ExclusiveSumsTeamKernel{r.d_counts, r.chunks, sums}),
                 .on_processor = nullptr,
                 .elements = r.chunks,
                 .same = [&] { return bench.down(sums, size_t{r.chunks} + 1) == r.places; }});
}

// Fills in the codes of values and of short runs, and returns those of longer ones.
std::vector<LongRunCode> codes_of(const TokenTables& tables, uint32_t* values, uint32_t* runs) {
  const std::vector<uint8_t> stored = tables.serialize();
  LevelCodeSet set;
  read_token_tables(stored.data(), stored.size(), &set);
  std::vector<LongRunCode> long_runs;
  for (uint32_t level = 0; level < kLevels; ++level) {
    if (set[level].empty()) continue;
    const LevelCode code(set[level]);
    runs[level * kShortRuns + 1] = 0;
    for (size_t i = 0; i < code.codes().size(); ++i) {
      const uint32_t id = code.stored().ids[i];
      if (!token_is_run(id)) values[level * kLevels + id] = code.codes()[i];
      else if (run_length(id) < kShortRuns) runs[level * kShortRuns + run_length(id)] = code.codes()[i];
      else long_runs.push_back({long_run_place(level, run_length(id)), code.codes()[i]});
    }
  }
  return long_runs;
}

// Tokens of one block against levels of which a tenth moves: one team, whose time is what the block waits for.
void bench_tokens(Rows& r) {
  DeviceBench& bench = r.bench;
  constexpr auto kCount = static_cast<uint32_t>(kBlockElementsMax);
  const std::vector<uint8_t> current(r.levels.begin(), r.levels.begin() + kCount);
  std::vector<uint8_t> before = current;
  for (uint32_t i = 0; i < kCount; i += 10) before[i] = r.levels[kCount + i];
  TokenCounts counts;
  counts.add(before.data(), current.data(), kCount, kLevels);
  const uint8_t* const d_before = bench.up(r.buffers, before);
  uint32_t* const cursors = bench.room<uint32_t>(r.buffers, size_t{kTokenMembers} * kLevels);
  uint16_t* const keys = bench.room<uint16_t>(r.buffers, kCount);
  uint32_t* const numbers = bench.room<uint32_t>(r.buffers, 2);
  uint8_t* const failure = bench.room<uint8_t>(r.buffers, 1);
  const auto find_keys = r.runs(&DeviceTable::level_keys, LevelKeysTeamKernel{d_before, r.d_levels, kCount, kLevels,
                                                                              cursors, keys, numbers, failure});
  if (bench.wants("count_tokens") || bench.wants("encode_tokens")) find_keys();
  bench.measure({.name = "level_keys",
                 .bytes = kCount * size_t{4},
                 .on_device = find_keys,
                 .on_processor = nullptr,
                 .elements = kCount,
                 .same = [&] { return bench.down(failure, 1)[0] == 0; }});

  constexpr size_t kValues = size_t{kLevels} * kLevels, kRuns = size_t{kLevels} * kShortRuns;
  uint32_t* const tables = bench.room<uint32_t>(r.buffers, kValues + kRuns);
  CountedRun* const long_runs = bench.room<CountedRun>(r.buffers, long_runs_max(kCount) + 1);
  const auto count = r.runs(&DeviceTable::count_tokens, CountTokensTeamKernel{keys, kCount, kLevels, tables,
                                                                              tables + kValues, long_runs, numbers});
  bench.measure({.name = "count_tokens",
                 .bytes = kCount * size_t{2},
                 .on_device =
                     [&] {
                       bench.check(bench.device().clear(tables, (kValues + kRuns) * sizeof(uint32_t)));
                       count();
                     },
                 .on_processor =
                     [&](size_t first, size_t of) {
                       TokenCounts own;
                       own.add(before.data() + first, current.data() + first, of, kLevels);
                     },
                 .elements = kCount,
                 .same =
                     [&] {
                       const std::vector<uint32_t> found = bench.down(tables, kValues + kRuns);
                       TokenCounts own;
                       const Status added = own.add_counted({kLevels, kLevels, {found.begin(), found.begin() + kValues},
                                                             {found.begin() + kValues, found.end()},
                                                             bench.down(long_runs, bench.down(numbers, 1)[0])});
                       return added == Status::ok && own.build().serialize() == counts.build().serialize();
                     }});

  const TokenTables own_tables = counts.build();
  std::vector<uint8_t> own_stream;
  own_tables.encode(before.data(), current.data(), kCount, kLevels, &own_stream);
  std::vector<uint32_t> codes(kValues + kRuns, kNoTokenCode);
  const std::vector<LongRunCode> long_codes = codes_of(own_tables, codes.data(), codes.data() + kValues);
  const uint32_t* const d_codes = bench.up(r.buffers, codes);
  const LongRunCode* const d_long = bench.up(r.buffers, long_codes);
  constexpr size_t kRoom = size_t{kCount} * kCodeLengthMax / 32 + 2;
  uint32_t* const stream = bench.room<uint32_t>(r.buffers, kRoom);
  const auto encode = r.runs(&DeviceTable::encode_tokens,
                             EncodeTokensTeamKernel{keys, kCount, kLevels, d_codes, d_codes + kValues, d_long,
                                                    static_cast<uint32_t>(long_codes.size()), stream, numbers,
                                                    failure});
  bench.measure({.name = "encode_tokens",
                 .bytes = kCount * size_t{2},
                 .on_device =
                     [&] {
                       bench.check(bench.device().clear(stream, kRoom * sizeof(uint32_t)));
                       encode();
                     },
                 .on_processor = nullptr,
                 .elements = kCount,
                 .same =
                     [&] {
                       const std::vector<uint32_t> found = bench.down(stream, kRoom);
                       return bench.down(failure, 1)[0] == 0 && bench.down(numbers, 1)[0] <= 8 * own_stream.size() &&
                              std::memcmp(found.data(), own_stream.data(), own_stream.size()) == 0;
                     }});
}

}  // namespace

void device_bench_codebook(DeviceBench& bench) {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    Rows rows(bench, dtype);
    bench_weights_and_levels(rows, dtype == Dtype::f32 ? " f32" : " bf16");
    if (dtype == Dtype::f32) continue;
    bench_counts(rows);
    bench_tokens(rows);
  }
}

}  // namespace firn::bench
