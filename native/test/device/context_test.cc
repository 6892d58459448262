#include "context/blocks/context_counts_team.h"
#include "context/blocks/element_tables_team.h"
#include "context/blocks/block_modes.h"
#include "context/dense/dense_encode_tokens.h"
#include "context/dense/dense_sample_team.h"
#include "firn/context_coder.h"
#include "test/device/device_columns.h"

namespace firn::test {
namespace {

struct Pieces {
  uint32_t slots = 0;
  std::vector<ContextPiece> pieces;
  size_t elements = 0;
};

// Segments of any length, empty ones among them, cut as a caller cuts them.
Pieces random_pieces(Random& random, size_t largest) {
  Pieces p;
  p.slots = 1 + static_cast<uint32_t>(random.below(5));
  for (size_t segments = random.below(6); segments-- > 0;) {
    const auto slot = static_cast<uint32_t>(random.below(p.slots));
    for (size_t left = random_count(random, largest); left > 0;) {
      const size_t count = std::min<size_t>(left, random.below(3) == 0 ? 1 + random.below(100) : kContextPieceMax);
      p.pieces.push_back({p.elements, static_cast<uint32_t>(count), slot});
      p.elements += count, left -= count;
    }
  }
  return p;
}

// Mostly small numbers, like symbols and contexts of trained weights, or any.
std::vector<uint8_t> random_bytes(Random& random, size_t count, uint32_t bound) {
  std::vector<uint8_t> bytes(count);
  const bool skewed = random.below(2) == 0;
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(random.below(bound));
    if (skewed && random.below(4) != 0) byte = static_cast<uint8_t>(random.below(std::min(bound, 2u)));
  }
  return bytes;
}

}  // namespace

TEST_CASE("device: counts of symbols in contexts are those of the processor") {
  Random random(241);
  for (size_t round = 0; round < rounds(20); ++round) {
    const Pieces p = random_pieces(random, 70000);
    const std::vector<uint8_t> symbols = random_bytes(random, p.elements, kCountsSymbols),
                               contexts = random_bytes(random, p.elements, kCountsContexts);
    std::vector<uint32_t> expected(size_t{p.slots} * kCountsRow);
    for (const ContextPiece& piece : p.pieces) {
      for (uint64_t i = piece.first; i < piece.first + piece.count; ++i)
        ++expected[piece.slot * kCountsRow + contexts[i] * kCountsSymbols + symbols[i]];
    }
    for_each_column(random, [&](Arrays& arrays, auto run) {
      const std::vector<uint32_t> none(expected.size());
      uint32_t* const counts = arrays.add(none);
      run(&DeviceTable::context_counts,
          ContextCountsKernel{arrays.add(symbols), arrays.add(contexts), arrays.add(p.pieces),
                              static_cast<uint32_t>(p.pieces.size()), counts});
      CHECK(arrays.read(counts, expected.size()) == expected);
    });
  }
}

TEST_CASE("device: the table of each element is that of the processor") {
  Random random(242);
  for (size_t round = 0; round < rounds(20); ++round) {
    const Pieces p = random_pieces(random, 20000);
    TableSet set;
    set.slots = p.slots;
    set.shapes.resize(2 + random.below(30));
    set.contexts = 1 + static_cast<uint32_t>(random.below(kContextsMax));
    for (size_t i = 0; i < size_t{set.slots} * set.contexts; ++i)
      set.map.push_back(static_cast<uint8_t>(random.below(set.shapes.size())));
    // Sometimes a context that has no table.
    const uint32_t bound = random.below(3) == 0 ? kContextsMax : set.contexts;
    const std::vector<uint8_t> contexts = random_bytes(random, p.elements, bound);
    std::vector<uint32_t> segment_counts, segment_slots;
    for (const ContextPiece& piece : p.pieces) {
      segment_counts.push_back(piece.count);
      segment_slots.push_back(piece.slot);
    }
    const ElementTables expected(
        set, {contexts.data(), p.elements, segment_counts.data(), segment_slots.data(), p.pieces.size()});
    std::vector<uint8_t> index_of(256);
    for (size_t k = 0; k < expected.tables().size(); ++k) index_of[expected.tables()[k]] = static_cast<uint8_t>(k);
    for_each_column(random, [&](Arrays& arrays, auto run) {
      uint8_t* const indexes = arrays.add_output<uint8_t>(p.elements);
      uint32_t* const missing = arrays.add(std::vector<uint32_t>(1));
      run(&DeviceTable::element_tables,
          ElementTablesKernel{arrays.add(contexts), arrays.add(p.pieces), static_cast<uint32_t>(p.pieces.size()),
                              arrays.add(set.map), arrays.add(index_of), set.contexts, indexes, missing});
      CHECK((arrays.read(missing, 1)[0] == 0) == expected.complete());
      const std::vector<uint8_t> found = arrays.read(indexes, p.elements);
      CHECK(std::equal(found.begin(), found.end(), expected.indexes()));
    });
  }
}

TEST_CASE("device: symbols by table in every eighth element are counted as they lie there") {
  Random random(244);
  for (size_t round = 0; round < rounds(20); ++round) {
    const size_t count = random_count(random, 100000);
    const std::vector<uint8_t> indexes = random_bytes(random, count, kDenseTeamTables),
                               symbols = random_bytes(random, count, kDenseTeamSymbols);
    std::vector<uint32_t> expected(DenseSampleKernel::kCells);
    for (size_t i = 0; i < count; i += kSampled) ++expected[indexes[i] * kDenseTeamSymbols + symbols[i]];
    for_each_column(random, [&](Arrays& arrays, auto run) {
      uint32_t* const counts = arrays.add(std::vector<uint32_t>(DenseSampleKernel::kCells));
      run(&DeviceTable::dense_sample,
          DenseSampleKernel{arrays.add(indexes), arrays.add(symbols), static_cast<uint32_t>(count), counts});
      CHECK(arrays.read(counts, expected.size()) == expected);
    });
  }
}

namespace {

struct DenseCase {
  uint32_t tables, lanes;
  std::vector<EncoderToken> tokens;
  std::vector<uint8_t> indexes, symbols;
};

DenseCase random_dense(Random& random) {
  DenseCase c;
  c.tables = 1 + static_cast<uint32_t>(random.below(kDenseTeamTables));
  c.lanes = random.below(2) ? 64 : 32;
  const bool uncoded = random.below(6) == 0;  // some symbols without a code occur
  std::vector<std::vector<uint8_t>> coded(c.tables);
  for (uint32_t t = 0; t < c.tables; ++t) {
    std::vector<TokenWeight> weights(kContextSymbols);
    const auto present = 1 + random.below(kContextSymbols);
    for (size_t s = 0; s < present; ++s) {
      const uint64_t weight = random.below(3) == 0 ? 0 : uint64_t{1} << random.below(32);
      weights[random.below(3) == 0 ? random.below(kContextSymbols) : s] = {weight, true};
    }
    weights[0].weight = std::max<uint64_t>(weights[0].weight, weights[0].present ? 1 : 0);
    uint64_t all = 0;
    for (const TokenWeight& w : weights) all += w.weight;
    if (all == 0) weights[random.below(kContextSymbols)] = {1, true};
    append_encoder_tokens(share_slots(weights), &c.tokens);
    for (uint32_t s = 0; s < kContextSymbols; ++s) {
      if (c.tokens[t * kContextSymbols + s].coded()) coded[t].push_back(static_cast<uint8_t>(s));
    }
  }
  const size_t count = random.below(10) == 0 ? random.below(200) : random_count(random, 20000);
  for (size_t i = 0; i < count; ++i) {
    const auto t = static_cast<uint8_t>(random.below(c.tables));
    c.indexes.push_back(t);
    const bool any = uncoded && random.below(500) == 0;
    const std::vector<uint8_t>& of = coded[t];
    c.symbols.push_back(any ? static_cast<uint8_t>(random.below(kContextSymbols))
                            : of[random.below(2) ? 0 : random.below(of.size())]);
  }
  return c;
}

}  // namespace

TEST_CASE("device: streams of the dense mode are those of the processor") {
  Random random(243);
  for (size_t round = 0; round < rounds(10); ++round) {
    std::vector<DenseCase> cases;
    for (size_t n = 1 + random.below(4); n-- > 0;) cases.push_back(random_dense(random));
    for_each_column(random, [&](Arrays& arrays, auto run) {
      std::vector<DenseTeamBlock> blocks;
      std::vector<uint8_t*> rooms;
      for (const DenseCase& c : cases) {
        const size_t bytes = dense_team_room(c.symbols.size());
        uint8_t* const room = rooms.emplace_back(arrays.add_output<uint8_t>(bytes));
        blocks.push_back({arrays.add(c.indexes), arrays.add(c.symbols), arrays.add(dense_team_tokens(c.tokens)),
                          room + bytes, static_cast<uint32_t>(c.symbols.size()), c.tables, c.lanes});
      }
      DenseTeamResult* const results = arrays.add_output<DenseTeamResult>(blocks.size());
      run(&DeviceTable::dense_encode,
          DenseEncodeTeamKernel{arrays.add(blocks), static_cast<uint32_t>(blocks.size()), results});
      const std::vector<DenseTeamResult> found = arrays.read(results, blocks.size());
      for (size_t b = 0; b < cases.size(); ++b) {
        const DenseCase& c = cases[b];
        const LaneStream expected = encode_tokens(c.symbols.size(), c.lanes, [&](size_t i) -> const EncoderToken& {
          return c.tokens[c.indexes[i] * kContextSymbols + c.symbols[i]];
        });
        const DenseTeamStatus status = expected.lanes != c.lanes ? DenseTeamStatus::few_words
                                       : expected.bytes.empty()  ? DenseTeamStatus::uncoded
                                                                 : DenseTeamStatus::ok;
        CHECK_EQ(found[b].status, status);
        if (status != DenseTeamStatus::ok || found[b].status != status) continue;
        const size_t bytes = dense_team_room(c.symbols.size());
        CHECK_EQ(found[b].bytes, expected.bytes.size());
        const std::vector<uint8_t> room = arrays.read(rooms[b], bytes);
        CHECK(found[b].bytes == expected.bytes.size() &&
              std::equal(expected.bytes.begin(), expected.bytes.end(), room.end() - found[b].bytes));
      }
    });
  }
}

}  // namespace firn::test
