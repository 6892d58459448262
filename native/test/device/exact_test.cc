#include "firn/context_coder.h"
#include "lossless/exact/coder.h"
#include "lossless/float/exact_team.h"
#include "lossless/float/exponent_levels.h"
#include "lossless/float/relate_team.h"
#include "test/device/device_columns.h"

namespace firn::test {
namespace {

constexpr ElementKind kKinds[] = {ElementKind::bytes, ElementKind::f16,    ElementKind::bf16,   ElementKind::f32,
                                  ElementKind::f64,   ElementKind::word16, ElementKind::word32, ElementKind::word64};
constexpr ElementKind kFloats[] = {ElementKind::bf16, ElementKind::f32, ElementKind::f16};

struct ExactCase {
  ElementKind kind;
  std::vector<ExactTeamBlock> blocks;
  std::vector<uint8_t> current, previous;

  size_t size() const { return element_bytes(kind); }
  size_t elements() const { return current.size() / size(); }
  ExactInput input(size_t b) const {
    return {current.data() + blocks[b].first * size(), previous.data() + blocks[b].first * size(), blocks[b].count,
            kind};
  }
};

// Any bits, or elements that moved a little from the previous ones.
ExactCase random_exact(Random& random, ElementKind kind) {
  ExactCase c{kind, {}, {}, {}};
  uint64_t first = 0;
  for (size_t n = 1 + random.below(4); n-- > 0;) {
    const size_t count = random_count(random, random.below(8) == 0 ? kBlockElementsMax : 40000);
    c.blocks.push_back({first, static_cast<uint32_t>(count)});
    first += count;
  }
  const size_t bytes = first * c.size();
  const bool wild = random.below(3) == 0;
  std::vector<float> floats = wild ? std::vector<float>() : random_floats(random, first);
  c.previous.resize(bytes);
  if (!wild && kind <= ElementKind::f32 && kind != ElementKind::bytes) {
    const Dtype dtype = kind == ElementKind::f32 ? Dtype::f32 : kind == ElementKind::f16 ? Dtype::f16 : Dtype::bf16;
    c.previous = elements(floats, dtype);
  } else {
    for (uint8_t& byte : c.previous) byte = static_cast<uint8_t>(random.below(256));
  }
  c.current = c.previous;
  const uint64_t still = 1 + random.below(20);  // one element in so many moves
  for (size_t i = 0; i < first; ++i) {
    if (random.below(still) != 0) continue;
    c.current[i * c.size()] = static_cast<uint8_t>(c.current[i * c.size()] + random.below(1 + (1u << random.below(8))));
    if (random.below(50) == 0)
      for (size_t k = 0; k < c.size(); ++k) c.current[i * c.size() + k] = static_cast<uint8_t>(random.below(256));
  }
  return c;
}

}  // namespace

TEST_CASE("device: byte planes and their counts are those of the processor") {
  Random random(244);
  for (size_t round = 0; round < rounds(24); ++round) {
    const ExactCase c = random_exact(random, kKinds[round % std::size(kKinds)]);
    const bool with_previous = random.below(2) == 0;
    for_each_column(random, [&](Arrays& arrays, auto run) {
      uint8_t* const planes = arrays.add_output<uint8_t>(c.current.size());
      constexpr size_t kCounts = size_t{ExactPlanesKernel::kPlanesMax} * ExactPlanesKernel::kValues;
      uint32_t* const counts = arrays.add_output<uint32_t>(c.blocks.size() * kCounts);
      run(&DeviceTable::exact_planes,
          ExactPlanesKernel{arrays.add(c.current), with_previous ? arrays.add(c.previous) : nullptr, c.kind,
                            arrays.add(c.blocks), static_cast<uint32_t>(c.blocks.size()), planes, counts});
      const std::vector<uint8_t> found = arrays.read(planes, c.current.size());
      const std::vector<uint32_t> found_counts = arrays.read(counts, c.blocks.size() * kCounts);
      for (size_t b = 0; b < c.blocks.size(); ++b) {
        const ExactInput input = c.input(b);
        const PlanesPlan plan = plan_planes(input, with_previous);
        CHECK(std::equal(plan.planes.get(), plan.planes.get() + input.bytes(),
                         found.data() + c.blocks[b].first * c.size()));
        for (size_t k = 0; k < plan.counts.size(); ++k) {
          CHECK(std::equal(plan.counts[k].begin(), plan.counts[k].end(),
                           &found_counts[b * kCounts + k * ExactPlanesKernel::kValues]));
        }
      }
    });
  }
}

TEST_CASE("device: exponents, their sums and the rest are those of the processor") {
  Random random(245);
  for (size_t round = 0; round < rounds(16); ++round) {
    const ExactCase c = random_exact(random, kFloats[round % 2]);
    const size_t rest_size = c.size() - 1;
    for_each_column(random, [&](Arrays& arrays, auto run) {
      uint8_t* const exponents = arrays.add_output<uint8_t>(c.elements());
      uint8_t* const rest = arrays.add_output<uint8_t>(c.elements() * rest_size);
      ExponentSum* const sums = arrays.add_output<ExponentSum>(c.blocks.size() * ExactCutKernel::kChunksMax);
      run(&DeviceTable::exact_cut,
          ExactCutKernel{arrays.add(c.current), c.kind, arrays.add(c.blocks), static_cast<uint32_t>(c.blocks.size()),
                         exponents, rest, sums});
      const std::vector<uint8_t> found = arrays.read(exponents, c.elements()),
                                 found_rest = arrays.read(rest, c.elements() * rest_size);
      const std::vector<ExponentSum> found_sums = arrays.read(sums, c.blocks.size() * ExactCutKernel::kChunksMax);
      const FloatKernels& kernels = float_kernels(c.kind);
      for (size_t b = 0; b < c.blocks.size(); ++b) {
        const size_t count = c.blocks[b].count, first = c.blocks[b].first;
        std::vector<uint8_t> of(count), others(count * rest_size);
        uint8_t* const low = others.data();
        kernels.cut(c.input(b).current, count, of.data(),
                    c.kind == ElementKind::f32 ? FloatRest{low, low + 2 * count} : FloatRest{nullptr, low});
        CHECK(std::equal(of.begin(), of.end(), found.begin() + static_cast<ptrdiff_t>(first)));
        CHECK(std::equal(others.begin(), others.end(), found_rest.begin() + static_cast<ptrdiff_t>(first * rest_size)));
        for (size_t at = 0; at < count; at += kExponentChunk) {
          const ExponentSum sum = kernels.sum_exponents(&of[at], std::min<size_t>(kExponentChunk, count - at));
          const ExponentSum& there = found_sums[b * ExactCutKernel::kChunksMax + at / kExponentChunk];
          CHECK_EQ(there.sum, sum.sum);
          CHECK_EQ(there.numbers, sum.numbers);
        }
      }
    });
  }
}

TEST_CASE("device: symbols of exponents and their counts are those of the processor") {
  Random random(247);
  for (size_t round = 0; round < rounds(16); ++round) {
    const ExactCase c = random_exact(random, kFloats[round % 2]);
    const FloatKernels& kernels = float_kernels(c.kind);
    const size_t blocks = c.blocks.size();
    std::vector<uint8_t> exponents(c.elements()), rest(c.elements() * 3), symbols(c.elements()),
        contexts(c.elements()), firsts(blocks * ExactRelateKernel::kChunksMax), phases(firsts.size());
    std::vector<uint32_t> counts(blocks * ExactRelateKernel::kKeys);
    std::vector<ExactTeamRelated> expected(blocks);
    uint8_t* const low = rest.data();
    kernels.cut(c.current.data(), c.elements(), exponents.data(), FloatRest{low, low + 2 * c.elements()});
    for (size_t b = 0; b < blocks; ++b) {
      const size_t count = c.blocks[b].count, first = c.blocks[b].first;
      if (count == 0) continue;
      std::vector<ExponentSum> sums;
      for (size_t at = 0; at < count; at += kExponentChunk)
        sums.push_back(kernels.sum_exponents(&exponents[first + at], std::min<size_t>(kExponentChunk, count - at)));
      const ExponentLevels levels = find_exponent_levels(sums);
      for (size_t chunk = 0; chunk < sums.size(); ++chunk) {
        const size_t at = first + chunk * kExponentChunk, n = std::min<size_t>(kExponentChunk, first + count - at);
        firsts[b * ExactRelateKernel::kChunksMax + chunk] = levels.first_exponent(chunk);
        phases[b * ExactRelateKernel::kChunksMax + chunk] = levels.context(chunk);
        kernels.relate(&exponents[at], n, levels.first_exponent(chunk), &symbols[at]);
        std::fill_n(&contexts[at], n, levels.context(chunk));
      }
      std::vector<uint32_t> all(size_t{kDifferenceContexts} * kContextSymbols);
      kernels.count_symbols(&symbols[first], &contexts[first], count, count > kCountedWholeMax ? kCountedStride : 1,
                            all.data());
      std::copy_n(all.begin(), ExactRelateKernel::kKeys, &counts[b * ExactRelateKernel::kKeys]);
      for (size_t i = first; i < first + count; ++i) {
        expected[b].changed += symbols[i] != 0;
        expected[b].occurring |= 1u << symbols[i];
      }
    }
    for_each_column(random, [&](Arrays& arrays, auto run) {
      uint8_t* const found_symbols = arrays.add_output<uint8_t>(c.elements());
      uint8_t* const found_contexts = arrays.add_output<uint8_t>(c.elements());
      uint32_t* const found_counts = arrays.add_output<uint32_t>(counts.size());
      ExactTeamRelated* const found = arrays.add_output<ExactTeamRelated>(blocks);
      run(&DeviceTable::exact_relate,
          ExactRelateKernel{arrays.add(exponents), arrays.add(c.blocks), static_cast<uint32_t>(blocks),
                            arrays.add(firsts), arrays.add(phases), found_contexts, found_symbols, found_counts,
                            found});
      CHECK(arrays.read(found_symbols, symbols.size()) == symbols);
      CHECK(arrays.read(found_contexts, contexts.size()) == contexts);
      CHECK(arrays.read(found_counts, counts.size()) == counts);
      const std::vector<ExactTeamRelated> results = arrays.read(found, blocks);
      for (size_t b = 0; b < blocks; ++b) {
        CHECK_EQ(results[b].changed, expected[b].changed);
        CHECK_EQ(results[b].occurring, expected[b].occurring);
      }
    });
  }
}

TEST_CASE("device: differences, their counts and fields are those of the processor") {
  Random random(246);
  for (size_t round = 0; round < rounds(24); ++round) {
    const ExactCase c = random_exact(random, kFloats[round % 3]);
    for_each_column(random, [&](Arrays& arrays, auto run) {
      const auto blocks = static_cast<uint32_t>(c.blocks.size());
      const void* const current = arrays.add(c.current);
      const void* const previous = arrays.add(c.previous);
      const ExactTeamBlock* const there = arrays.add(c.blocks);
      uint8_t* const contexts = arrays.add_output<uint8_t>(c.elements());
      uint8_t* const symbols = arrays.add_output<uint8_t>(c.elements());
      uint32_t* const counts = arrays.add_output<uint32_t>(size_t{blocks} * ExactDifferenceKernel::kKeys);
      ExactTeamDifferences* const found = arrays.add_output<ExactTeamDifferences>(blocks);
      run(&DeviceTable::exact_differences,
          ExactDifferenceKernel{current, previous, c.kind, there, blocks, contexts, symbols, counts, found});
      const std::vector<ExactTeamDifferences> results = arrays.read(found, blocks);
      std::vector<uint64_t> places;
      uint64_t bytes = 0;
      for (const ExactTeamDifferences& result : results) {
        places.push_back(bytes);
        bytes += (result.field_bits + 7) / 8;
      }
      uint8_t* const fields = arrays.add_output<uint8_t>(bytes);
      run(&DeviceTable::exact_fields,
          ExactFieldsKernel{current, previous, c.kind, there, blocks, symbols, arrays.add(places), fields});
      const std::vector<uint8_t> of_symbols = arrays.read(symbols, c.elements()),
                                 of_contexts = arrays.read(contexts, c.elements()),
                                 of_fields = arrays.read(fields, bytes);
      const std::vector<uint32_t> of_counts = arrays.read(counts, size_t{blocks} * ExactDifferenceKernel::kKeys);
      for (size_t b = 0; b < blocks; ++b) {
        const ExactInput input = c.input(b);
        if (input.count == 0) {
          CHECK_EQ(results[b].field_bits, 0u);
          continue;
        }
        const ContextDifferencePlan plan = plan_context_difference(input);
        CHECK_EQ(results[b].reference, plan.reference);
        CHECK_EQ(results[b].occurring, plan.occurring);
        CHECK_EQ((results[b].field_bits + 7) / 8, plan.field_bytes);
        CHECK(std::equal(plan.symbols.get(), plan.symbols.get() + input.count, of_symbols.data() + c.blocks[b].first));
        CHECK(
            std::equal(plan.contexts.get(), plan.contexts.get() + input.count, of_contexts.data() + c.blocks[b].first));
        CHECK(std::equal(plan.counts.begin(), plan.counts.end(), &of_counts[b * ExactDifferenceKernel::kKeys]));
        std::vector<uint8_t> expected(plan.field_bytes + kFieldSlackBytes);
        const size_t written = float_kernels(c.kind).put_fields(input.current, input.previous, plan.symbols.get(),
                                                                input.count, plan.field_bytes, expected.data());
        CHECK_EQ(written, plan.field_bytes);
        CHECK(places[b] + written <= bytes &&
              std::equal(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(written),
                         of_fields.begin() + static_cast<ptrdiff_t>(places[b])));
      }
    });
  }
}

}  // namespace firn::test
