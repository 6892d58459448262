#include "common/varint.h"
#include "entropy/rans_team_symbols.h"
#include "test/device/device_columns.h"

namespace firn::test {
namespace {

struct Stream {
  std::vector<uint8_t> symbols, expected;
  std::vector<RansTeamSymbol> table;
  uint32_t bits = 0;
};

// Symbols of any skew, from one that hardly ever changes to random ones, and what the processor makes of them.
Stream random_stream(Random& random) {
  Stream stream;
  const size_t count = kRansManyLanesFrom + (random.below(4) ? random.below(5000) : random.below(kBlockElementsMax));
  const uint64_t still = 1 + random.below(200), values = 1 + random.below(256);
  SymbolCounts counts{};
  for (size_t i = 0; i < count; ++i) {
    const bool moves = random.below(still) == 0;
    stream.symbols.push_back(static_cast<uint8_t>(moves ? random.below(values) : 7));
    ++counts[stream.symbols.back()];
  }
  const RansModel model = rans_model({counts});
  stream.bits = model.bits;
  rans_encode(stream.symbols.data(), nullptr, count, model, &stream.expected);
  stream.table = rans_team_symbols(model.tables[0]);
  return stream;
}

}  // namespace

TEST_CASE("device: streams of static rANS are those of the processor") {
  Random random(251);
  bool seen[2] = {};
  for (size_t round = 0; round < rounds(24); ++round) {
    std::vector<Stream> streams;
    for (size_t n = 1 + random.below(3); n-- > 0;) streams.push_back(random_stream(random));
    for (const Stream& stream : streams) seen[stream.bits == 14] = true;
    for_each_column(random, [&](Arrays& arrays, auto run) {
      std::vector<RansTeamStream> there;
      for (const Stream& stream : streams) {
        const auto count = static_cast<uint32_t>(stream.symbols.size());
        uint8_t* const room = arrays.add_output<uint8_t>(2 * size_t{count});
        there.push_back({arrays.add(stream.symbols), arrays.add(stream.table), room + 2 * size_t{count}, count,
                         stream.bits});
      }
      RansTeamResult* const found = arrays.add_output<RansTeamResult>(there.size());
      run(&DeviceTable::rans_encode,
          RansEncodeTeamKernel{arrays.add(there), static_cast<uint32_t>(there.size()), found});
      const std::vector<RansTeamResult> results = arrays.read(found, there.size());
      for (size_t s = 0; s < there.size(); ++s) {
        REQUIRE(results[s].words <= there[s].count);
        std::vector<uint8_t> bytes;
        append_varint(results[s].words, &bytes);
        for (const uint32_t state : results[s].states)
          for (uint32_t shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(state >> shift));
        const size_t word_bytes = 2 * size_t{results[s].words};
        const std::vector<uint8_t> words = arrays.read(there[s].end - word_bytes, word_bytes);
        bytes.insert(bytes.end(), words.begin(), words.end());
        CHECK(bytes == streams[s].expected);
      }
    });
  }
  CHECK(rounds(24) < 24 || (seen[0] && seen[1]));
}

}  // namespace firn::test
