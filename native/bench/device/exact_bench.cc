#include <algorithm>
#include <cstring>
#include <string>

#include "bench/device/device_bench.h"
#include "firn/delta.h"
#include "lossless/exact/coder.h"
#include "entropy/rans_team_symbols.h"
#include "lossless/float/exact_team.h"
#include "lossless/float/exponent_levels.h"
#include "lossless/float/relate_team.h"

namespace firn::bench {
namespace {

constexpr size_t kBlock = kBlockElementsMax, kBlocks = kDeviceElements / kBlock;

// A checkpoint and the one before it, on both sides.
struct ExactData {
  ElementKind kind;
  std::vector<uint8_t> current, previous;
  const void *d_current, *d_previous;
  const ExactTeamBlock* d_blocks;

  ExactData(DeviceBench& bench, std::vector<DeviceBuffer>& buffers, ElementKind of) : kind(of) {
    const Dtype dtype = kind == ElementKind::f32 ? Dtype::f32 : Dtype::bf16;
    std::vector<float> values = bench_weights(kDeviceElements, 1);
    const auto stored = [&] {
      std::vector<uint8_t> bytes(values.size() * dtype_bytes(dtype));
      convert(values.data(), Dtype::f32, values.size(), bytes.data(), dtype);
      return bytes;
    };
    previous = stored();
    const std::vector<float> moves = bench_weights(kDeviceElements, 2);
    for (size_t i = 0; i < values.size(); ++i) values[i] += moves[i] / 128;
    current = stored();
    std::vector<ExactTeamBlock> blocks;
    for (size_t b = 0; b < kBlocks; ++b) blocks.push_back({b * kBlock, static_cast<uint32_t>(kBlock)});
    d_current = bench.up(buffers, current);
    d_previous = bench.up(buffers, previous);
    d_blocks = bench.up(buffers, blocks);
  }
  size_t size() const { return element_bytes(kind); }
  ExactInput input(size_t block) const {
    return {current.data() + block * kBlock * size(), previous.data() + block * kBlock * size(), kBlock, kind};
  }
};

// Whether check(block) holds for every sixteenth block: the processor takes a while for all.
template <typename Check>
bool sampled(Check check) {
  for (size_t b = 0; b < kBlocks; b += 16) {
    if (!check(b)) return false;
  }
  return true;
}

void bench_planes(DeviceBench& bench, const ExactData& data, const std::string& suffix) {
  std::vector<DeviceBuffer> buffers;
  constexpr size_t kCounts = size_t{ExactPlanesKernel::kPlanesMax} * ExactPlanesKernel::kValues;
  uint8_t* const planes = bench.room<uint8_t>(buffers, data.current.size());
  uint32_t* const counts = bench.room<uint32_t>(buffers, kBlocks * kCounts);
  const ExactPlanesKernel arguments{data.d_current,    nullptr, data.kind, data.d_blocks,
                                    uint32_t{kBlocks}, planes,  counts};
  bench.measure({.name = "exact_planes" + suffix,
                 .bytes = 2 * data.current.size(),
                 .bar = 0,
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::exact_planes, arguments)); },
                 .on_processor =
                     [&](size_t first, size_t count) {
                       for (size_t b = first; b < first + count; ++b) plan_planes(data.input(b), false);
                     },
                 .elements = kBlocks,
                 .same =
                     [&] {
                       const std::vector<uint8_t> found = bench.down(planes, data.current.size());
                       return sampled([&](size_t b) {
                         const PlanesPlan plan = plan_planes(data.input(b), false);
                         const size_t bytes = kBlock * data.size();
                         return std::memcmp(plan.planes.get(), found.data() + b * bytes, bytes) == 0;
                       });
                     }});
}

// Streams of the most significant planes, a block each.
void bench_rans(DeviceBench& bench, const ExactData& data, const std::string& suffix) {
  if (!bench.wants("rans_encode" + suffix)) return;
  std::vector<DeviceBuffer> buffers;
  std::vector<uint8_t> symbols(kBlocks * kBlock);
  std::vector<RansModel> models;
  std::vector<RansTeamSymbol> tables;
  for (size_t b = 0; b < kBlocks; ++b) {
    const PlanesPlan plan = plan_planes(data.input(b), false);
    std::memcpy(&symbols[b * kBlock], plan.planes.get(), kBlock);
    models.push_back(rans_model({plan.counts[0]}));
    const std::vector<RansTeamSymbol> table = rans_team_symbols(models.back().tables[0]);
    tables.insert(tables.end(), table.begin(), table.end());
  }
  const uint8_t* const d_symbols = bench.up(buffers, symbols);
  const RansTeamSymbol* const d_tables = bench.up(buffers, tables);
  uint8_t* const rooms = bench.room<uint8_t>(buffers, 2 * symbols.size());
  std::vector<RansTeamStream> streams;
  for (size_t b = 0; b < kBlocks; ++b)
    streams.push_back({d_symbols + b * kBlock, d_tables + b * 256, rooms + 2 * (b + 1) * kBlock,
                       static_cast<uint32_t>(kBlock), models[b].bits});
  const RansTeamStream* const d_streams = bench.up(buffers, streams);
  RansTeamResult* const results = bench.room<RansTeamResult>(buffers, kBlocks);
  const auto encode = [&](size_t b, std::vector<uint8_t>& out) {
    out.clear();
    rans_encode(&symbols[b * kBlock], nullptr, kBlock, models[b], &out);
  };
  bench.measure({.name = "rans_encode" + suffix,
                 .bytes = symbols.size(),
                 .bar = 0,
                 .on_device =
                     [&] {
                       bench.check(bench.device().run(&DeviceTable::rans_encode,
                                                      RansEncodeTeamKernel{d_streams, kBlocks, results}));
                     },
                 .on_processor =
                     [&](size_t first, size_t count) {
                       std::vector<uint8_t> out;
                       for (size_t b = first; b < first + count; ++b) encode(b, out);
                     },
                 .elements = kBlocks,
                 .same =
                     [&] {
                       const std::vector<RansTeamResult> found = bench.down(results, kBlocks);
                       std::vector<uint8_t> out;
                       return sampled([&](size_t b) {
                         encode(b, out);
                         const size_t bytes = 2 * size_t{found[b].words};
                         if (bytes > out.size()) return false;
                         const std::vector<uint8_t> words = bench.down(streams[b].end - bytes, bytes);
                         return std::equal(words.begin(), words.end(), out.end() - static_cast<ptrdiff_t>(bytes));
                       });
                     }});
}

// The processor's share of this includes finding levels, which a device leaves to it.
void bench_relate(DeviceBench& bench, const ExactData& data, const std::string& suffix) {
  if (!bench.wants("exact_relate" + suffix)) return;
  std::vector<DeviceBuffer> buffers;
  constexpr size_t kChunks = ExactRelateKernel::kChunksMax;
  const FloatKernels& kernels = float_kernels(data.kind);
  std::vector<uint8_t> exponents(kDeviceElements), rest(3 * kBlock), firsts(kBlocks * kChunks), phases(firsts.size());
  const auto level = [&](size_t b) {
    std::vector<ExponentSum> sums;
    for (size_t at = 0; at < kBlock; at += kExponentChunk)
      sums.push_back(kernels.sum_exponents(&exponents[b * kBlock + at], kExponentChunk));
    return find_exponent_levels(sums);
  };
  for (size_t b = 0; b < kBlocks; ++b) {
    kernels.cut(data.input(b).current, kBlock, &exponents[b * kBlock], {rest.data(), rest.data() + 2 * kBlock});
    const ExponentLevels levels = level(b);
    for (size_t chunk = 0; chunk < kChunks; ++chunk) {
      firsts[b * kChunks + chunk] = levels.first_exponent(chunk);
      phases[b * kChunks + chunk] = levels.context(chunk);
    }
  }
  uint8_t* const contexts = bench.room<uint8_t>(buffers, kDeviceElements);
  uint8_t* const symbols = bench.room<uint8_t>(buffers, kDeviceElements);
  const ExactRelateKernel arguments{bench.up(buffers, exponents),
                                    data.d_blocks,
                                    kBlocks,
                                    bench.up(buffers, firsts),
                                    bench.up(buffers, phases),
                                    contexts,
                                    symbols,
                                    bench.room<uint32_t>(buffers, kBlocks * ExactRelateKernel::kKeys),
                                    bench.room<ExactTeamRelated>(buffers, kBlocks)};
  const auto relate = [&](size_t b, std::vector<uint8_t>& to) {
    const ExponentLevels levels = level(b);
    to.resize(kBlock);
    for (size_t chunk = 0; chunk < kChunks; ++chunk)
      kernels.relate(&exponents[b * kBlock + chunk * kExponentChunk], kExponentChunk, levels.first_exponent(chunk),
                     &to[chunk * kExponentChunk]);
  };
  bench.measure({.name = "exact_relate" + suffix,
                 .bytes = 3 * kDeviceElements,
                 .bar = 0,
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::exact_relate, arguments)); },
                 .on_processor =
                     [&](size_t first, size_t count) {
                       std::vector<uint8_t> to;
                       for (size_t b = first; b < first + count; ++b) relate(b, to);
                     },
                 .elements = kBlocks,
                 .same =
                     [&] {
                       const std::vector<uint8_t> found = bench.down(symbols, kDeviceElements);
                       std::vector<uint8_t> to;
                       return sampled([&](size_t b) {
                         relate(b, to);
                         return std::memcmp(to.data(), &found[b * kBlock], kBlock) == 0;
                       });
                     }});
}

void bench_cut(DeviceBench& bench, const ExactData& data, const std::string& suffix) {
  std::vector<DeviceBuffer> buffers;
  uint8_t* const exponents = bench.room<uint8_t>(buffers, kDeviceElements);
  uint8_t* const rest = bench.room<uint8_t>(buffers, data.current.size() - kDeviceElements);
  ExponentSum* const sums = bench.room<ExponentSum>(buffers, kBlocks * ExactCutKernel::kChunksMax);
  const ExactCutKernel arguments{data.d_current, data.kind, data.d_blocks, kBlocks, exponents, rest, sums};
  const auto cut = [&](size_t b, std::vector<uint8_t>& of, std::vector<uint8_t>& others) {
    of.resize(kBlock), others.resize(kBlock * (data.size() - 1));
    uint8_t* const low = others.data();
    float_kernels(data.kind)
        .cut(data.input(b).current, kBlock, of.data(),
             data.kind == ElementKind::f32 ? FloatRest{low, low + 2 * kBlock} : FloatRest{nullptr, low});
  };
  bench.measure({.name = "exact_cut" + suffix,
                 .bytes = 2 * data.current.size(),
                 .bar = 0,
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::exact_cut, arguments)); },
                 .on_processor =
                     [&](size_t first, size_t count) {
                       std::vector<uint8_t> of, others;
                       for (size_t b = first; b < first + count; ++b) cut(b, of, others);
                     },
                 .elements = kBlocks,
                 .same =
                     [&] {
                       const std::vector<uint8_t> found = bench.down(exponents, kDeviceElements),
                                                  found_rest = bench.down(rest, data.current.size() - kDeviceElements);
                       std::vector<uint8_t> of, others;
                       return sampled([&](size_t b) {
                         cut(b, of, others);
                         return std::memcmp(of.data(), &found[b * kBlock], of.size()) == 0 &&
                                std::memcmp(others.data(), &found_rest[b * others.size()], others.size()) == 0;
                       });
                     }});
}

void bench_differences(DeviceBench& bench, const ExactData& data, const std::string& suffix) {
  std::vector<DeviceBuffer> buffers;
  uint8_t* const contexts = bench.room<uint8_t>(buffers, kDeviceElements);
  uint8_t* const symbols = bench.room<uint8_t>(buffers, kDeviceElements);
  uint32_t* const counts = bench.room<uint32_t>(buffers, kBlocks * ExactDifferenceKernel::kKeys);
  ExactTeamDifferences* const found = bench.room<ExactTeamDifferences>(buffers, kBlocks);
  const ExactDifferenceKernel arguments{data.d_current, data.d_previous, data.kind, data.d_blocks, kBlocks,
                                        contexts,       symbols,         counts,    found};
  const auto run = [&] { bench.check(bench.device().run(&DeviceTable::exact_differences, arguments)); };
  bench.measure({.name = "exact_differences" + suffix,
                 .bytes = 2 * data.current.size() + 2 * kDeviceElements,
                 .bar = 0,
                 .on_device = run,
                 .on_processor =
                     [&](size_t first, size_t count) {
                       for (size_t b = first; b < first + count; ++b) plan_context_difference(data.input(b));
                     },
                 .elements = kBlocks,
                 .same =
                     [&] {
                       const std::vector<uint8_t> of = bench.down(symbols, kDeviceElements);
                       const std::vector<uint32_t> of_counts =
                           bench.down(counts, kBlocks * ExactDifferenceKernel::kKeys);
                       return sampled([&](size_t b) {
                         const ContextDifferencePlan plan = plan_context_difference(data.input(b));
                         return std::memcmp(plan.symbols.get(), &of[b * kBlock], kBlock) == 0 &&
                                std::memcmp(plan.counts.data(), &of_counts[b * ExactDifferenceKernel::kKeys],
                                            plan.counts.size() * sizeof(uint32_t)) == 0;
                       });
                     }});
  if (!bench.wants("exact_fields" + suffix)) return;
  run();
  std::vector<uint64_t> places;
  uint64_t bytes = 0;
  for (const ExactTeamDifferences& of : bench.down(found, kBlocks)) {
    places.push_back(bytes);
    bytes += (of.field_bits + 7) / 8;
  }
  uint8_t* const fields = bench.room<uint8_t>(buffers, bytes);
  const ExactFieldsKernel packed{data.d_current, data.d_previous, data.kind,                    data.d_blocks,
                                 kBlocks,        symbols,         bench.up(buffers, places), fields};
  const std::vector<uint8_t> of_symbols = bench.down(symbols, kDeviceElements);
  const auto put = [&](size_t b, std::vector<uint8_t>& out) {
    const ExactInput input = data.input(b);
    const uint64_t size = (b + 1 < kBlocks ? places[b + 1] : bytes) - places[b];
    out.resize(size + kFieldSlackBytes);
    return float_kernels(data.kind)
        .put_fields(input.current, input.previous, &of_symbols[b * kBlock], kBlock, size, out.data());
  };
  bench.measure({.name = "exact_fields" + suffix,
                 .bytes = 2 * data.current.size() + kDeviceElements + bytes,
                 .bar = 0,
                 .on_device = [&] { bench.check(bench.device().run(&DeviceTable::exact_fields, packed)); },
                 .on_processor =
                     [&](size_t first, size_t count) {
                       std::vector<uint8_t> out;
                       for (size_t b = first; b < first + count; ++b) put(b, out);
                     },
                 .elements = kBlocks,
                 .same =
                     [&] {
                       const std::vector<uint8_t> there = bench.down(fields, bytes);
                       std::vector<uint8_t> out;
                       return sampled([&](size_t b) {
                         const size_t written = put(b, out);
                         return places[b] + written <= bytes &&
                                std::memcmp(out.data(), &there[places[b]], written) == 0;
                       });
                     }});
}

}  // namespace

void device_bench_exact(DeviceBench& bench) {
  for (const ElementKind kind : {ElementKind::bf16, ElementKind::f32}) {
    const std::string suffix = kind == ElementKind::f32 ? " f32" : " bf16";
    bool wanted = false;
    for (const char* const name :
         {"exact_planes", "rans_encode", "exact_cut", "exact_relate", "exact_differences", "exact_fields"})
      wanted |= bench.wants(name + suffix);
    if (!wanted) continue;
    std::vector<DeviceBuffer> buffers;
    const ExactData data(bench, buffers, kind);
    bench_planes(bench, data, suffix);
    bench_rans(bench, data, suffix);
    bench_cut(bench, data, suffix);
    bench_relate(bench, data, suffix);
    bench_differences(bench, data, suffix);
  }
}

}  // namespace firn::bench
