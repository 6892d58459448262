#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "check.h"
#include "context/lanes/table_codes.h"
#include "context/tables/cost_bits.h"
#include "context/tables/table_set.h"
#include "firn/checksum.h"
#include "firn/context_coder.h"
#include "firn/residual_quant/lattice.h"
#include "kernel_data.h"

namespace {

using namespace firn;
using firn::test::for_each_isa;
using firn::test::Random;
using Bytes = std::vector<uint8_t>;

struct Block {
  Bytes symbols, contexts;
  std::vector<uint32_t> counts, slots, escapes;

  ContextLayout layout() const {
    return {contexts.data(), contexts.size(), counts.data(), slots.data(), counts.size()};
  }
  ContextBlock view() const { return {layout(), symbols.data(), escapes.data(), escapes.size()}; }
};

// Movement of a made-up series: `moved` is the share of changed symbols in context 0, more in higher contexts.
struct Motion {
  double moved = 0.01;
  uint32_t contexts = 8;
  uint32_t symbols = 6;
  double escapes = 0;
  double spread = 2;  // ratio between the shares of the liveliest and the calmest context
};

Block random_block(Random& random, size_t count, uint32_t first_slot, uint32_t segments, const Motion& motion) {
  Block block;
  for (uint32_t i = 0; i < segments; ++i) {
    const size_t left = count - block.symbols.size();
    const size_t size = i + 1 == segments ? left : random.below(left + 1);
    for (size_t k = 0; k < size; ++k) {
      const auto context = static_cast<uint8_t>(std::min(random.below(motion.contexts), random.below(motion.contexts)));
      const double share =
          motion.moved * std::pow(motion.spread, static_cast<double>(context) / std::max(1u, motion.contexts - 1));
      uint8_t symbol = 0;
      if (random.unit() < motion.escapes) symbol = kContextEscape;
      else if (random.unit() < share) {
        symbol = 1;
        while (symbol + 1u < motion.symbols && random.below(2) == 0) ++symbol;
      }
      if (symbol == kContextEscape)
        block.escapes.push_back(static_cast<uint32_t>(random.next() >> (32 + random.below(32))));
      block.contexts.push_back(context);
      block.symbols.push_back(symbol);
    }
    block.counts.push_back(static_cast<uint32_t>(size));
    block.slots.push_back(first_slot + i);
  }
  return block;
}

ContextTables build(const std::vector<Block>& blocks, uint32_t slots) {
  ContextCounts counts;
  for (const Block& block : blocks) CHECK_EQ(counts.add(block.view()), Status::ok);
  ContextTables tables;
  CHECK_EQ(counts.build(slots, &tables), Status::ok);
  return tables;
}

Bytes encode(const ContextTables& tables, const Block& block) {
  Bytes payload;
  CHECK_EQ(tables.encode(block.view(), &payload), Status::ok);
  return payload;
}

// Decodes into guarded memory of exactly the right size.
Status decode(const ContextTables& tables, const Bytes& payload, const Block& block, Bytes* symbols,
              std::vector<uint32_t>* escapes) {
  constexpr size_t kGuard = 64;
  Bytes guarded(block.symbols.size() + kGuard, 0xA5);
  const Bytes exact = payload;  // no capacity past its end
  const Status status = tables.decode(exact.data(), exact.size(), block.layout(), guarded.data(), escapes);
  CHECK(std::all_of(guarded.end() - kGuard, guarded.end(), [](uint8_t b) { return b == 0xA5; }));
  guarded.resize(block.symbols.size());
  if (status == Status::ok)
    CHECK(std::all_of(guarded.begin(), guarded.end(), [](uint8_t s) { return s < kContextSymbols; }));
  *symbols = std::move(guarded);
  return status;
}

void check_comes_back(const ContextTables& tables, const Bytes& payload, const Block& block) {
  for_each_isa([&] {
    Bytes symbols;
    std::vector<uint32_t> escapes;
    CHECK_EQ(decode(tables, payload, block, &symbols, &escapes), Status::ok);
    CHECK(symbols == block.symbols);
    CHECK(escapes == block.escapes);
  });
}

// Everything comes back, through stored tables, at every instruction set level, and every level writes the same bytes.
// Returns the bytes of all payloads.
size_t check_round_trip(const std::vector<Block>& blocks, uint32_t slots) {
  const ContextTables made = build(blocks, slots);
  const Bytes stored = made.serialize();
  ContextTables parsed;
  CHECK_EQ(ContextTables::parse(stored.data(), stored.size(), slots, &parsed), Status::ok);
  CHECK(parsed.serialize() == stored);
  size_t bytes = 0;
  for (const Block& block : blocks) {
    Bytes payload;
    bool first = true;
    for_each_isa([&] {
      const Bytes now = encode(made, block);
      if (!first) CHECK(now == payload);
      payload = now;
      first = false;
    });
    CHECK(encode(parsed, block) == payload);
    bytes += payload.size();
    check_comes_back(parsed, payload, block);
  }
  return bytes;
}

// Ideal bits of a block under one distribution for each (slot, context).
double model_bits(const std::vector<Block>& blocks) {
  std::vector<std::vector<double>> counts(64 * 1024, std::vector<double>());
  for (const Block& block : blocks) {
    size_t at = 0;
    for (size_t i = 0; i < block.counts.size(); ++i) {
      for (uint32_t k = 0; k < block.counts[i]; ++k, ++at) {
        auto& row = counts[block.slots[i] * 64 + block.contexts[at]];
        row.resize(kContextSymbols);
        ++row[block.symbols[at]];
      }
    }
  }
  double bits = 0;
  for (const auto& row : counts) {
    double total = 0;
    for (const double c : row) total += c;
    for (const double c : row) bits += c > 0 ? c * std::log2(total / c) : 0;
  }
  return bits;
}

}  // namespace

TEST_CASE("context: costs are logarithms to 2^-15") {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t n = i < 5000 ? static_cast<uint64_t>(i) + 1 : (random.next() >> random.below(63)) | 1;
    CHECK_NEAR(static_cast<double>(cost_log2(n)) / 65536, std::log2(static_cast<double>(n)), 1.0 / 32768);
  }
}

TEST_CASE("context: shares of a code follow the weights, and every present token has a slot that leads back to it") {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<TokenWeight> tokens(1 + random.below(kCodeTokensMax));
    uint64_t all = 0;
    for (TokenWeight& token : tokens) {
      token.present = random.below(4) != 0;
      if (token.present) token.weight = random.next() >> (32 + random.below(32));
      all += token.weight;
    }
    tokens[0] = {1, true};
    const std::vector<uint32_t> starts = share_slots(tokens);
    const SlotFinder finder(starts);
    for (uint32_t slot = 0; slot < kSlots; slot += 7) {
      const uint32_t token = finder.find(slot);
      CHECK(starts[token] <= slot && slot < starts[token + 1]);
    }
    for (size_t j = 0; j < tokens.size(); ++j) CHECK_EQ(starts[j + 1] > starts[j], tokens[j].present);
  }
}

TEST_CASE("context: blocks of every kind come back identical") {
  Random random(3);
  for (const double moved : {0.0001, 0.003, 0.02, 0.1, 0.4, 0.95}) {
    for (const uint32_t contexts : {1u, 5u, 16u, 64u}) {
      const Motion motion{moved, contexts, 9, moved / 20, 3};
      check_round_trip({random_block(random, 20000, 0, 1, motion), random_block(random, 7001, 1, 3, motion)}, 6);
    }
  }
  for (size_t count = 0; count <= 70; ++count)
    check_round_trip({random_block(random, count, 2, 2, {0.3, 4, 32, 0.1, 1})}, 9);
  check_round_trip({random_block(random, 9000, 0, 4, {0.9, 20, 31, 0, 1})}, 4);
}

TEST_CASE("context: the largest block works in every mode and with every number of lanes") {
  Random random(4);
  for (const double moved : {0.00002, 0.0005, 0.002, 0.01, 0.05, 0.1, 0.5}) {
    check_round_trip({random_block(random, kBlockElementsMax, 0, 2, {moved, 12, 7, 0, 4})}, 2);
  }
}

// Symbols among `width`, those of higher contexts further up; every symbol may occur in every context.
Block spread_block(Random& random, size_t count, uint32_t contexts, uint32_t width) {
  Block block;
  block.counts = {static_cast<uint32_t>(count)};
  block.slots = {0};
  for (size_t i = 0; i < count; ++i) {
    const auto context = static_cast<uint32_t>(random.below(contexts));
    const uint32_t near = context * width / contexts + static_cast<uint32_t>(random.below(4)),
                   any = static_cast<uint32_t>(random.below(width));
    block.contexts.push_back(static_cast<uint8_t>(context));
    block.symbols.push_back(static_cast<uint8_t>(std::min(random.below(8) == 0 ? any : near, width - 1)));
  }
  return block;
}

TEST_CASE("context: few and many tables of few and many symbols are the same at every instruction set level") {
  Random random(31);
  for (const uint32_t contexts : {1, 2, 3, 4, 5, 8, 9, 20}) {
    for (const uint32_t width : {2, 5, 8, 9, 16, 17, 31})
      check_round_trip({spread_block(random, 20011, contexts, width)}, 1);
  }
}

TEST_CASE("context: tables from a part of a block's counts have a code for all that occurs") {
  Random random(32);
  Block block = spread_block(random, 50000, 12, 14);
  std::vector<uint32_t> counts(30 * kContextSymbols);
  for (size_t i = 0; i < 10000; ++i) counts[block.contexts[i] * kContextSymbols + block.symbols[i]] += 5;
  // Not counted: a symbol, and contexts beyond the last.
  block.symbols[20000] = 29;
  block.contexts[30000] = 29;
  uint32_t occurring = 0;
  for (const uint8_t symbol : block.symbols) occurring |= 1u << symbol;
  ContextTables some, none;
  CHECK_EQ(ContextTables::for_block({counts.data(), 30, occurring}, &some), Status::ok);
  CHECK_EQ(ContextTables::for_block({counts.data(), 30}, &none), Status::ok);
  const Bytes payload = encode(some, block);
  CHECK(payload.size() < encode(none, block).size() * 3 / 4);  // five bits a symbol, as they are
  check_comes_back(some, payload, block);
}

TEST_CASE("context: full blocks take at most 1.01 of the model's entropy") {
  Random random(5);
  for (const double moved : {0.01, 0.03, 0.06, 0.1, 0.3, 0.7}) {
    std::vector<Block> blocks;
    for (uint32_t b = 0; b < 4; ++b)
      blocks.push_back(random_block(random, kBlockElementsMax, b / 2, 1, {moved, 6, 5, 0, 1.4}));
    const double bytes =
        static_cast<double>(check_round_trip(blocks, 2)) + static_cast<double>(build(blocks, 2).serialize().size());
    const double ratio = 8 * bytes / model_bits(blocks);
    CHECK(ratio < 1.01);
    if (ratio >= 1.01) std::fprintf(stderr, "moved %g: %g\n", moved, ratio);
  }
}

TEST_CASE("context: a block without changes is one byte, and no counts need no table bytes") {
  Random random(6);
  const Block still = random_block(random, 5000, 0, 2, {0, 9, 4, 0, 1});
  const ContextTables tables = build({still}, 2);
  CHECK(tables.serialize().size() <= 2);
  CHECK(encode(tables, still) == Bytes{0});
  check_comes_back(tables, Bytes{0}, still);
  ContextTables none = build({}, 7);
  CHECK(none.serialize().empty());
  ContextTables parsed;
  CHECK_EQ(ContextTables::parse(nullptr, 0, 7, &parsed), Status::ok);
  check_comes_back(parsed, Bytes{0}, still);
}

TEST_CASE("context: a block without elements decodes from nothing but the payloads of one") {
  Random random(17);
  const ContextTables tables = build({random_block(random, 900, 0, 1, {0.3, 4, 5, 0, 1})}, 1);
  const ContextLayout empty;
  std::vector<uint32_t> escapes;
  const auto decoded = [&](const Bytes& payload) {
    return tables.decode(payload.data(), payload.size(), empty, nullptr, &escapes);
  };
  CHECK_EQ(decoded({0}), Status::ok);
  CHECK_EQ(decoded({1, 1}), Status::ok);  // dense and runs: a state at its end
  CHECK_EQ(decoded({2, 1}), Status::ok);
  CHECK_EQ(decoded({3}), Status::ok);
  for (const Bytes& payload : {Bytes{}, Bytes{0, 0}, Bytes{1}, Bytes{1, 2}, Bytes{2, 0}, Bytes{3, 0}, Bytes{4},
                               Bytes{33, 1, 1, 0}, Bytes{64}}) {
    CHECK(decoded(payload) != Status::ok);
  }
}

TEST_CASE("context: any tables encode any block") {
  Random random(7);
  const Block calm = random_block(random, 3000, 0, 1, {0.01, 3, 3, 0, 1}),
              wild = random_block(random, 3000, 0, 1, {0.9, 50, 32, 0.05, 1});
  const ContextTables tables = build({calm}, 1);
  const Bytes payload = encode(tables, wild);
  CHECK(payload.size() <= 3000 * 5 / 8 + 1 + 6 * wild.escapes.size() + 8);
  check_comes_back(tables, payload, wild);
  check_comes_back(build({}, 1), encode(build({}, 1), wild), wild);
}

TEST_CASE("context: late deltas have tables of tens of bytes and payloads near the entropy") {
  Random random(8);
  std::vector<Block> blocks;
  for (uint32_t b = 0; b < 6; ++b) blocks.push_back(random_block(random, 40000, b * 8, 8, {0.0004, 20, 4, 0, 3}));
  const ContextTables tables = build(blocks, 48);
  const size_t bytes = check_round_trip(blocks, 48);
  CHECK(tables.serialize().size() <= 40);
  CHECK_NEAR(tables.total_bits() / 8, static_cast<double>(bytes + tables.serialize().size()), 24);
}

TEST_CASE("context: stored bytes of format version 2 decode for ever, and are what the encoder writes") {
  struct Fixture {
    Bytes symbols;
    std::vector<uint32_t> escapes;
    Bytes tables, payload;
  };
  Bytes late(40, 0);
  late[17] = 1;
  const Fixture fixtures[] = {
      // docs/format-blocks.md, section 13
      {{0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0}, {}, {0xac, 0x66}, {0x09, 0xfa, 0x66, 0x22}},
      {late, {}, {0xbc, 0x64}, {0x0a, 0xc7, 0x69, 0x34}},
      {{0, 31, 0, 1, 0, 0, 31, 0, 2, 0, 0, 0},
       {4, 300},
       {0x83, 0x8b, 0xe8, 0x0f, 0x5a, 0x80},
       {0x2d, 0x03, 0x62, 0x4f, 0xa3, 0x09, 0xcf, 0xf8, 0xb4}},
  };
  for (const Fixture& f : fixtures) {
    const auto count = static_cast<uint32_t>(f.symbols.size());
    const Block block{f.symbols, Bytes(count, 0), {count}, {0}, f.escapes};
    const ContextTables made = build({block}, 1);
    CHECK(made.serialize() == f.tables);
    CHECK(encode(made, block) == f.payload);
    ContextTables parsed;
    REQUIRE(ContextTables::parse(f.tables.data(), f.tables.size(), 1, &parsed) == Status::ok);
    check_comes_back(parsed, f.payload, block);
  }
  // Every byte of larger ones, by checksum: all modes but raw, all numbers of lanes, a map.
  Random random(16);
  uint32_t checksum = 0;
  for (const double moved : {0.0003, 0.004, 0.02, 0.06, 0.3, 0.9}) {
    std::vector<Block> blocks;
    for (uint32_t b = 0; b < 3; ++b)
      blocks.push_back(random_block(random, b == 0 ? 131072 : 9000, 4 * b, 4, {moved / (1 + 4 * b), 12, 9, 0.0005, 1}));
    const ContextTables tables = build(blocks, 12);
    const Bytes stored = tables.serialize();
    checksum = crc32c(stored.data(), stored.size(), checksum);
    for (const Block& block : blocks) {
      const Bytes payload = encode(tables, block);
      checksum = crc32c(payload.data(), payload.size(), checksum);
    }
  }
  CHECK_EQ(checksum, 3693547692u);
}

TEST_CASE("context: different kinds of tensors get tables of their own, and the map costs little") {
  Random random(9);
  std::vector<Block> blocks;
  for (uint32_t slot = 0; slot < 60; ++slot) {
    const double moved = slot % 3 == 0 ? 0.3 : slot % 3 == 1 ? 0.02 : 0.001;
    blocks.push_back(random_block(random, 30000, slot, 1, {moved, 5, 4, 0, 2}));
  }
  const ContextTables tables = build(blocks, 60);
  const size_t bytes = check_round_trip(blocks, 60), stored = tables.serialize().size();
  CHECK(stored <= 150);
  CHECK(8 * static_cast<double>(bytes + stored) < 1.02 * model_bits(blocks));
}

TEST_CASE("context: counts merge in any order to the same tables") {
  Random random(10);
  std::vector<Block> blocks;
  for (uint32_t b = 0; b < 9; ++b) blocks.push_back(random_block(random, 4000, b, 2, {0.05 * b, 9, 8, 0.01, 2}));
  const ContextTables whole = build(blocks, 10);
  ContextCounts a, b;
  for (size_t i = blocks.size(); i-- > 0;) {
    ContextCounts one;
    CHECK_EQ(one.add(blocks[i].view()), Status::ok);
    CHECK_EQ((i % 2 ? a : b).merge(one), Status::ok);
  }
  CHECK_EQ(a.merge(b), Status::ok);
  ContextTables merged;
  CHECK_EQ(a.build(10, &merged), Status::ok);
  CHECK(merged.serialize() == whole.serialize());
  CHECK_EQ(merged.total_bits(), whole.total_bits());
}

TEST_CASE(
    "context: a move's rate is its bits beyond staying in its context, over the mean of all moves, whatever the order "
    "and the slots") {
  // Counts of symbols 0, 1 and 2 in two contexts of three slots. Bits are logarithms of (2 n0 + 1) / (2 n + 1).
  struct Seen {
    uint32_t slot;
    uint8_t context;
    uint32_t stays, inwards, outwards;
  };
  const Seen all[] = {{0, 3, 500, 20, 5}, {2, 3, 391, 11, 2}, {1, 50, 40, 100, 20}};
  const auto counted = [&](std::vector<size_t> order) {
    ContextCounts counts;
    for (const size_t i : order) {
      const Seen& seen = all[i];
      Block block;
      block.symbols.assign(seen.stays, 0);
      block.symbols.insert(block.symbols.end(), seen.inwards, 1);
      block.symbols.insert(block.symbols.end(), seen.outwards, 2);
      block.symbols.insert(block.symbols.end(), 9, 5);  // moves of more steps do not count
      block.contexts.assign(block.symbols.size(), seen.context);
      block.counts = {static_cast<uint32_t>(block.symbols.size())};
      block.slots = {seen.slot};
      CHECK(counts.add(block.view()) == Status::ok);
    }
    Bytes rates(kLatticeRates);
    CHECK(counts.symbol_rates(rates.data()) == Status::ok);
    return rates;
  };
  const Bytes rates = counted({0, 1, 2});
  CHECK(rates == counted({2, 0, 1}));
  const double outwards3 = std::log2(1783.0 / 15), inwards3 = std::log2(1783.0 / 63), outwards50 = std::log2(81.0 / 41);
  const double mean = (7 * outwards3 + 31 * inwards3 + 20 * outwards50 + 100 * 0) /
                      158;  // where moving is likelier than staying it costs nothing
  const auto rate = [&](double bits) {
    return static_cast<uint32_t>(std::min(255.0, std::round(bits / mean * kLatticeRateUnit)));
  };
  CHECK_EQ(rates[2 * 3], rate(outwards3));
  CHECK_EQ(rates[2 * 3 + 1], rate(inwards3));
  CHECK_EQ(rates[2 * 50], rate(outwards50));
  CHECK_EQ(rates[2 * 50 + 1], 0);
  CHECK_EQ(rates[0], kLatticeRateUnit);  // a context that never occurred

  const ContextCounts none;
  Bytes unit(kLatticeRates);
  REQUIRE(none.symbol_rates(unit.data()) == Status::ok);
  CHECK(unit == Bytes(kLatticeRates, kLatticeRateUnit));
}

TEST_CASE("context: thousands of slots are built in bounded work, and rows that never occur cost nearly nothing") {
  Random random(11);
  std::vector<Block> blocks;
  for (uint32_t slot = 0; slot < 4000; slot += 2)
    blocks.push_back(random_block(random, 300, slot, 1, {slot % 4 ? 0.2 : 0.02, 12, 5, 0, 2}));
  const ContextTables tables = build(blocks, 4000);
  CHECK(tables.serialize().size() < 2000);  // a byte for each of the slots that occur
  check_round_trip({blocks.begin(), blocks.begin() + 20}, 4000);
}

TEST_CASE("context: arguments outside their range are refused and leave the output alone") {
  Random random(12);
  const Block good = random_block(random, 100, 3, 2, {0.5, 6, 6, 0.1, 1});
  ContextCounts counts;
  const auto refused = [&](const std::function<void(Block&)>& spoil) {
    Block bad = good;
    spoil(bad);
    CHECK_EQ(counts.add(bad.view()), Status::invalid_argument);
  };
  refused([](Block& b) { b.symbols[5] = 32; });
  refused([](Block& b) { b.contexts[5] = 64; });
  refused([](Block& b) { ++b.counts[0]; });
  refused([](Block& b) { b.slots[0] = kContextSlotsMax; });
  refused([](Block& b) { b.escapes.push_back(1); });
  CHECK_EQ(counts.add(good.view()), Status::ok);
  ContextTables tables;
  CHECK_EQ(counts.build(4, &tables), Status::invalid_argument);  // slot 4 occurred
  REQUIRE(counts.build(5, &tables) == Status::ok);
  Bytes out{1, 2};
  Block bad = good;
  bad.slots[0] = 5;
  CHECK_EQ(tables.encode(bad.view(), &out), Status::invalid_argument);
  CHECK(out == (Bytes{1, 2}));
  Bytes symbols(100);
  std::vector<uint32_t> escapes;
  CHECK_EQ(tables.decode(out.data(), out.size(), bad.layout(), symbols.data(), &escapes), Status::invalid_argument);
  CHECK_EQ(tables.encode(good.view(), &out), Status::ok);
  CHECK(out.size() > 2 && out[0] == 1 && out[1] == 2);  // appended
}

TEST_CASE("context: truncated and extended payloads are refused") {
  Random random(13);
  for (const double moved : {0.004, 0.08, 0.6}) {
    for (const size_t count : {600u, 30000u}) {
      const Block block = random_block(random, count, 0, 1, {moved, 5, 12, 0.002, 2});
      const ContextTables tables = build({block}, 1);
      const Bytes payload = encode(tables, block);
      Bytes symbols;
      std::vector<uint32_t> escapes;
      for (size_t size = 0; size < payload.size(); size += 1 + size / 50) {
        for_each_isa([&] {
          CHECK(decode(tables, Bytes(payload.begin(), payload.begin() + static_cast<ptrdiff_t>(size)), block, &symbols,
                       &escapes) != Status::ok);
        });
      }
      for (const size_t extra : {1u, 2u, 3u}) {
        Bytes extended = payload;
        extended.resize(payload.size() + extra);
        for_each_isa([&] { CHECK(decode(tables, extended, block, &symbols, &escapes) != Status::ok); });
      }
    }
  }
}

TEST_CASE("context: damaged payloads end in the same status and symbols at every instruction set level") {
  Random random(14);
  for (const double moved : {0.004, 0.08, 0.6}) {
    for (const size_t count : {500u, 9000u, 60000u}) {
      const Block block = random_block(random, count, 0, 2, {moved, 9, 12, 0.002, 3});
      const ContextTables tables = build({block}, 2);
      const Bytes payload = encode(tables, block);
      for (int round = 0; round < 60; ++round) {
        Bytes damaged = payload;
        for (size_t edits = 1 + random.below(3); edits > 0; --edits) {
          damaged[random.below(round % 2 ? damaged.size() : std::min<size_t>(damaged.size(), 12))] ^=
              static_cast<uint8_t>(1 + random.below(255));
        }
        Status status = Status::ok;
        Bytes symbols;
        bool first = true;
        for_each_isa([&] {
          Bytes now;
          std::vector<uint32_t> escapes;
          const Status got = decode(tables, damaged, block, &now, &escapes);
          if (!first) CHECK_EQ(got, status);
          if (!first && got == Status::ok) CHECK(now == symbols);
          status = got;
          symbols = now;
          first = false;
        });
      }
    }
  }
}

TEST_CASE("context: damaged tables are refused or are the only form of what they mean") {
  Random random(15);
  std::vector<Block> blocks;
  for (uint32_t b = 0; b < 6; ++b) blocks.push_back(random_block(random, 3000, b, 1, {0.15 * b, 6, 8, 0.01, 2}));
  const Bytes stored = build(blocks, 6).serialize();
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes damaged = stored;
    if (round % 3 == 0) damaged.resize(random.below(stored.size() + 3));
    for (size_t edits = random.below(4); edits > 0 && !damaged.empty(); --edits) {
      damaged[random.below(damaged.size())] = static_cast<uint8_t>(random.next());
    }
    ContextTables parsed;
    const Status status = ContextTables::parse(damaged.data(), damaged.size(), 6, &parsed);
    CHECK(status == Status::ok || status == Status::corrupt);
    if (status != Status::ok) continue;
    ++accepted;
    CHECK(parsed.serialize() == damaged);
    Bytes symbols;
    std::vector<uint32_t> escapes;
    decode(parsed, encode(parsed, blocks[2]), blocks[2], &symbols, &escapes);
    CHECK(symbols == blocks[2].symbols);
  }
  CHECK(accepted > 0);
}
