#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "check.h"
#include "entropy/huffman.h"
#include "entropy/token/level_groups.h"
#include "entropy/token/token_table_format.h"
#include "entropy/token/tokens.h"
#include "firn/checksum.h"
#include "firn/delta.h"

namespace {

using namespace firn;
using firn::test::Random;
using Bytes = std::vector<uint8_t>;

struct Block {
  Bytes previous;  // empty: no previous checkpoint
  Bytes current;
  uint32_t modulus;

  const uint8_t* previous_data() const { return previous.empty() ? nullptr : previous.data(); }
  size_t count() const { return current.size(); }
};

// Levels 0..levels-1 with a skew towards the middle; `stay` is the probability that a level is the previous one.
Block random_block(Random& random, size_t count, uint32_t levels_before, uint32_t levels_now, double stay) {
  const auto draw = [&](uint32_t levels) {
    return static_cast<uint8_t>((random.below(levels) + random.below(levels)) / 2);
  };
  Block block;
  block.modulus = std::max(levels_before, levels_now);
  for (size_t i = 0; i < count; ++i) {
    if (levels_before > 0) block.previous.push_back(draw(levels_before));
    const bool same = levels_before > 0 && block.previous[i] < levels_now && random.unit() < stay;
    block.current.push_back(same ? block.previous[i] : draw(levels_now));
  }
  return block;
}

struct Coded {
  Bytes tables;
  std::vector<Bytes> payloads;
  uint64_t payload_bits;
};

Coded encode_all(const std::vector<Block>& blocks) {
  TokenCounts counts;
  for (const Block& b : blocks)
    CHECK_EQ(counts.add(b.previous_data(), b.current.data(), b.count(), b.modulus), Status::ok);
  const TokenTables tables = counts.build();
  Coded coded{tables.serialize(), {}, counts.payload_bits()};
  for (const Block& b : blocks) {
    Bytes payload;
    CHECK_EQ(tables.encode(b.previous_data(), b.current.data(), b.count(), b.modulus, &payload), Status::ok);
    coded.payloads.push_back(std::move(payload));
  }
  return coded;
}

Status decode(const TokenTables& tables, const Bytes& payload, const Block& block, Bytes* out) {
  constexpr size_t kGuard = 64;
  Bytes guarded(block.count() + kGuard, 0xA5);
  const Status status = tables.decode(payload.data(), payload.size(), block.previous_data(), block.count(),
                                      block.modulus, guarded.data());
  CHECK(std::all_of(guarded.end() - kGuard, guarded.end(), [](uint8_t b) { return b == 0xA5; }));
  guarded.resize(block.count());
  if (status == Status::ok) {
    CHECK(std::all_of(guarded.begin(), guarded.end(), [&](uint8_t level) { return level < block.modulus; }));
  }
  *out = std::move(guarded);
  return status;
}

void check_round_trip(const std::vector<Block>& blocks) {
  const Coded coded = encode_all(blocks);
  TokenTables tables;
  REQUIRE(TokenTables::parse(coded.tables.data(), coded.tables.size(), &tables) == Status::ok);
  CHECK(tables.serialize() == coded.tables);
  for (size_t i = 0; i < blocks.size(); ++i) {
    Bytes out;
    CHECK_EQ(decode(tables, coded.payloads[i], blocks[i], &out), Status::ok);
    CHECK(out == blocks[i].current);
  }
}

// The paper's text, taken literally: signed tokens per source level.
std::map<uint32_t, std::vector<int64_t>> naive_tokens(const Block& block) {
  std::map<uint32_t, std::vector<int64_t>> groups, tokens;
  const int64_t modulus = block.modulus;
  for (size_t j = 0; j < block.count(); ++j) {
    const int64_t p = block.previous.empty() ? 0 : block.previous[j], c = block.current[j];
    groups[static_cast<uint32_t>(p)].push_back(((p - c) % modulus + modulus) % modulus);
  }
  for (const auto& [level, group] : groups) {
    for (size_t i = 0; i < group.size();) {
      size_t j = i;
      while (j < group.size() && group[j] == group[i]) ++j;
      tokens[level].push_back(-group[i]);
      if (j - i > 1) tokens[level].push_back(static_cast<int64_t>(j - i));
      i = j;
    }
  }
  return tokens;
}

uint32_t token_id(int64_t token) {
  return token <= 0 ? static_cast<uint32_t>(-token) : run_token(static_cast<uint32_t>(token));
}

// Total bits of Huffman's construction, by repeated search for the two smallest weights.
uint64_t naive_huffman_bits(std::vector<uint64_t> weights) {
  uint64_t bits = 0;
  while (weights.size() > 1) {
    std::sort(weights.begin(), weights.end(), std::greater<>());
    const uint64_t sum = weights.back() + weights[weights.size() - 2];
    weights.pop_back();
    weights.back() = sum;
    bits += sum;
  }
  return bits;
}

std::vector<Block> mixed_blocks(uint64_t seed) {
  Random random(seed);
  std::vector<Block> blocks;
  for (int i = 0; i < 6; ++i)
    blocks.push_back(random_block(random, 100 + random.below(4000), 10, 12, i % 2 ? 0.97 : 0.5));
  return blocks;
}

}  // namespace

TEST_CASE("delta: blocks come back identical for every kind of level stream") {
  Random random(1);
  check_round_trip({random_block(random, 5000, 0, 16, 0)});      // a base
  check_round_trip({random_block(random, 5000, 16, 16, 0.99)});  // a late delta
  check_round_trip({random_block(random, 5000, 16, 16, 0)});
  check_round_trip({random_block(random, 5000, 8, 34, 0.5)});  // more levels than before
  check_round_trip({random_block(random, 5000, 34, 8, 0.5)});  // fewer
  check_round_trip({random_block(random, 5000, 256, 256, 0.9)});
  check_round_trip({random_block(random, 5000, 256, 256, 0)});
  check_round_trip({random_block(random, 777, 1, 1, 1)});
  check_round_trip({random_block(random, 777, 0, 1, 0)});
  for (size_t count = 0; count <= 40; ++count) check_round_trip({random_block(random, count, 3, 4, 0.7)});
  check_round_trip(mixed_blocks(2));
}

TEST_CASE("delta: the largest block works, all equal and all different") {
  Random random(3);
  Block stay{Bytes(kBlockElementsMax, 5), Bytes(kBlockElementsMax, 5), 8};
  const Coded coded = encode_all({stay});
  CHECK_EQ(coded.payloads[0].size(), size_t{1});  // the tokens [0, run] of one bit each
  CHECK_EQ(coded.payload_bits, uint64_t{2});
  CHECK(coded.tables.size() <= 8);
  check_round_trip({stay});
  check_round_trip({random_block(random, kBlockElementsMax, 256, 256, 0)});
  check_round_trip({random_block(random, kBlockElementsMax, 12, 12, 0.999)});
}

TEST_CASE("delta: a block without elements has no bytes and needs no tables") {
  const Coded coded = encode_all({Block{{}, {}, 4}});
  CHECK(coded.tables.empty());
  CHECK(coded.payloads[0].empty());
  TokenTables tables;
  REQUIRE(TokenTables::parse(nullptr, 0, &tables) == Status::ok);
  CHECK_EQ(tables.decode(nullptr, 0, nullptr, 0, 4, nullptr), Status::ok);
}

TEST_CASE("delta: a level with one token costs no payload and a few table bytes") {
  const Block one{{3}, {4}, 8};
  const Coded coded = encode_all({one});
  CHECK(coded.payloads[0].empty());
  CHECK(coded.tables.size() <= 4);
  check_round_trip({one});
}

TEST_CASE("delta: token frequencies, and so payload bits, are those of the paper's literal procedure") {
  for (uint64_t seed = 10; seed < 30; ++seed) {
    const std::vector<Block> blocks = mixed_blocks(seed);
    std::map<uint32_t, std::map<uint32_t, uint64_t>> expected;
    for (const Block& block : blocks) {
      for (const auto& [level, tokens] : naive_tokens(block)) {
        for (const int64_t token : tokens) ++expected[level][token_id(token)];
      }
    }
    uint64_t bits = 0;
    for (const auto& [level, tokens] : expected) {
      std::vector<uint64_t> weights;
      for (const auto& entry : tokens) weights.push_back(entry.second);
      bits += naive_huffman_bits(weights);
    }
    const Coded coded = encode_all(blocks);
    CHECK_EQ(coded.payload_bits, bits);
    LevelCodeSet set;
    REQUIRE(read_token_tables(coded.tables.data(), coded.tables.size(), &set) == Status::ok);
    for (uint32_t level = 0; level < kSourceLevels; ++level) {
      std::vector<uint32_t> ids;
      if (expected.count(level)) {
        for (const auto& entry : expected[level]) ids.push_back(entry.first);
      }
      CHECK(set[level].ids == ids);
    }
    size_t payload_bytes = 0;
    for (const Bytes& payload : coded.payloads) payload_bytes += payload.size();
    CHECK(payload_bytes >= (bits + 7) / 8 && payload_bytes <= bits / 8 + blocks.size());
  }
}

TEST_CASE("delta: the bit stream is the canonical codes of the literal tokens, most significant bit first") {
  const Block block = mixed_blocks(40)[0];
  const Coded coded = encode_all({block});
  LevelCodeSet set;
  REQUIRE(read_token_tables(coded.tables.data(), coded.tables.size(), &set) == Status::ok);
  std::vector<bool> bits;
  for (const auto& [level, tokens] : naive_tokens(block)) {
    const std::vector<uint32_t> codes = huffman_codes(set[level].lengths);
    for (const int64_t token : tokens) {
      const auto& ids = set[level].ids;
      const auto index = static_cast<size_t>(std::lower_bound(ids.begin(), ids.end(), token_id(token)) - ids.begin());
      for (uint32_t b = set[level].lengths[index]; b-- > 0;) bits.push_back((codes[index] >> b) & 1);
    }
  }
  Bytes expected((bits.size() + 7) / 8, 0);
  for (size_t i = 0; i < bits.size(); ++i)
    expected[i / 8] = static_cast<uint8_t>(expected[i / 8] | (bits[i] << (7 - i % 8)));
  CHECK(coded.payloads[0] == expected);
}

TEST_CASE("delta: stored bytes of format version 1 decode for ever, and are what the encoder writes") {
  struct Fixture {
    Block block;
    Bytes tables, payload;
  };
  const Fixture fixtures[] = {
      {{{3}, {4}, 8}, {0x38, 0xef, 0x10}, {}},  // docs/format-blocks.md, section 4
      {{{}, {0, 0, 0, 1, 2, 2}, 3}, {0xa1, 0x17, 0x45, 0x20}, {0x3c, 0xe0}},
      {{{0, 0, 0, 0, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 0, 1, 1}, 2},
       {0x6c, 0xb5, 0x6f, 0x0c, 0x51, 0x80},
       {0x5c, 0xc0}},
  };
  for (const Fixture& f : fixtures) {
    const Coded coded = encode_all({f.block});
    CHECK(coded.tables == f.tables && coded.payloads[0] == f.payload);
    TokenTables tables;
    Bytes out;
    CHECK_EQ(TokenTables::parse(f.tables.data(), f.tables.size(), &tables), Status::ok);
    CHECK_EQ(decode(tables, f.payload, f.block, &out), Status::ok);
    CHECK(out == f.block.current);
  }
  // Every byte of larger ones, by checksum.
  uint32_t checksum = 0;
  for (uint64_t seed = 200; seed < 210; ++seed) {
    const Coded coded = encode_all(mixed_blocks(seed));
    checksum = crc32c(coded.tables.data(), coded.tables.size(), checksum);
    for (const Bytes& payload : coded.payloads) checksum = crc32c(payload.data(), payload.size(), checksum);
  }
  CHECK_EQ(checksum, 2831013126u);
}

TEST_CASE("delta: counts merge in any order to the same tables") {
  const std::vector<Block> blocks = mixed_blocks(50);
  const Coded whole = encode_all(blocks);
  TokenCounts a, b;
  for (size_t i = 0; i < blocks.size(); ++i) {
    TokenCounts one;
    CHECK_EQ(one.add(blocks[i].previous_data(), blocks[i].current.data(), blocks[i].count(), blocks[i].modulus),
             Status::ok);
    (i % 2 ? a : b).merge(one);
  }
  a.merge(b);
  CHECK(a.build().serialize() == whole.tables);
  CHECK_EQ(a.payload_bits(), whole.payload_bits);
  a.merge(a);
  CHECK_EQ(a.payload_bits(), 2 * whole.payload_bits);
}

TEST_CASE("delta: arguments outside their range are refused and leave the output alone") {
  TokenCounts counts;
  const Bytes levels{0, 1, 2, 3}, high{0, 1, 2, 9};
  CHECK_EQ(counts.add(nullptr, levels.data(), 4, 0), Status::invalid_argument);
  CHECK_EQ(counts.add(nullptr, levels.data(), 4, 257), Status::invalid_argument);
  CHECK_EQ(counts.add(nullptr, levels.data(), 4, 3), Status::invalid_argument);
  CHECK_EQ(counts.add(high.data(), levels.data(), 4, 4), Status::invalid_argument);
  CHECK_EQ(counts.payload_bits(), uint64_t{0});
  const Bytes large(kBlockElementsMax + 1, 0);
  CHECK_EQ(counts.add(nullptr, large.data(), large.size(), 4), Status::invalid_argument);
  CHECK_EQ(counts.add(nullptr, levels.data(), 4, 4), Status::ok);
  const TokenTables tables = counts.build();
  Bytes out{1, 2, 3};
  CHECK_EQ(tables.encode(nullptr, high.data(), 4, 10, &out), Status::invalid_argument);  // a token without a code
  CHECK_EQ(tables.encode(levels.data(), levels.data(), 4, 4, &out), Status::invalid_argument);
  CHECK(out == (Bytes{1, 2, 3}));
  CHECK_EQ(tables.encode(nullptr, levels.data(), 4, 4, &out), Status::ok);
  CHECK(out.size() > 3 && out[0] == 1 && out[2] == 3);  // appended
}

TEST_CASE("delta: a decoder refuses previous levels, values and runs outside their range") {
  const Block block{{0, 0, 0, 1}, {0, 0, 1, 1}, 2};
  const Coded coded = encode_all({block});
  TokenTables tables;
  REQUIRE(TokenTables::parse(coded.tables.data(), coded.tables.size(), &tables) == Status::ok);
  Bytes out(8);
  const Bytes& payload = coded.payloads[0];
  const Bytes bad_previous{0, 0, 0, 2};
  CHECK_EQ(tables.decode(payload.data(), payload.size(), bad_previous.data(), 4, 2, out.data()), Status::corrupt);
  CHECK_EQ(tables.decode(payload.data(), payload.size(), block.previous.data(), 4, 1, out.data()), Status::corrupt);
  const Bytes shorter{0, 1};  // the run of two no longer fits its group
  CHECK(tables.decode(payload.data(), payload.size(), shorter.data(), 2, 2, out.data()) != Status::ok);
  const Bytes unknown{0, 0, 0, 1, 1};
  CHECK(tables.decode(payload.data(), payload.size(), unknown.data(), 5, 2, out.data()) != Status::ok);
}

TEST_CASE("delta: truncated, extended and padded payloads are refused") {
  const std::vector<Block> blocks = mixed_blocks(60);
  const Coded coded = encode_all(blocks);
  TokenTables tables;
  REQUIRE(TokenTables::parse(coded.tables.data(), coded.tables.size(), &tables) == Status::ok);
  Bytes out;
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t size = 0; size < coded.payloads[i].size(); ++size) {
      const Bytes cut(coded.payloads[i].begin(), coded.payloads[i].begin() + static_cast<ptrdiff_t>(size));
      CHECK(decode(tables, cut, blocks[i], &out) != Status::ok);
    }
    Bytes extended = coded.payloads[i];
    extended.push_back(0);
    CHECK_EQ(decode(tables, extended, blocks[i], &out), Status::corrupt);
  }
  const Block padded{{0, 0}, {0, 1}, 2};  // two tokens of one bit: six bits of padding
  const Coded small = encode_all({padded});
  REQUIRE(TokenTables::parse(small.tables.data(), small.tables.size(), &tables) == Status::ok);
  for (int bit = 0; bit < 6; ++bit) {
    Bytes payload = small.payloads[0];
    payload[0] = static_cast<uint8_t>(payload[0] | (1 << bit));
    CHECK_EQ(decode(tables, payload, padded, &out), Status::corrupt);
  }
}

TEST_CASE("delta: whatever bytes come, a decoder that accepts them has read the only encoding of its output") {
  const std::vector<Block> blocks = mixed_blocks(70);
  const Coded coded = encode_all(blocks);
  TokenTables tables;
  REQUIRE(TokenTables::parse(coded.tables.data(), coded.tables.size(), &tables) == Status::ok);
  Random random(71);
  size_t accepted = 0;
  for (int round = 0; round < 40000; ++round) {
    const size_t i = random.below(blocks.size());
    Bytes payload = coded.payloads[i];
    for (uint64_t edits = 1 + random.below(3); edits > 0; --edits) {
      payload[random.below(payload.size())] ^= static_cast<uint8_t>(1u << random.below(8));
    }
    Bytes out, again;
    if (decode(tables, payload, blocks[i], &out) != Status::ok) continue;
    ++accepted;
    CHECK_EQ(tables.encode(blocks[i].previous_data(), out.data(), out.size(), blocks[i].modulus, &again), Status::ok);
    CHECK(again == payload);
  }
  CHECK(accepted > 0);
}

TEST_CASE("token tables: every truncation and 60000 mutations are refused, or are what the writer writes") {
  Coded coded[] = {encode_all(mixed_blocks(80)), encode_all({Block{{3}, {4}, 8}}),
                   encode_all({Block{{}, Bytes(9000, 1), 2}})};
  for (const Coded& c : coded) {
    for (size_t size = 1; size < c.tables.size(); ++size) {
      TokenTables tables;
      const Status status = TokenTables::parse(c.tables.data(), size, &tables);
      if (status == Status::ok)
        CHECK(tables.serialize() == Bytes(c.tables.begin(), c.tables.begin() + static_cast<ptrdiff_t>(size)));
    }
  }
  Random random(81);
  const Block block = mixed_blocks(80)[0];
  for (int round = 0; round < 60000; ++round) {
    const Coded& c = coded[random.below(std::size(coded))];
    Bytes bytes = c.tables;
    for (uint64_t edits = 1 + random.below(3); edits > 0; --edits) {
      const uint64_t kind = random.below(4);
      if (kind == 0) bytes.push_back(static_cast<uint8_t>(random.next()));
      else if (!bytes.empty() && kind == 1) bytes.pop_back();
      else if (!bytes.empty()) bytes[random.below(bytes.size())] = static_cast<uint8_t>(random.next());
    }
    TokenTables tables;
    if (TokenTables::parse(bytes.data(), bytes.size(), &tables) != Status::ok) continue;
    CHECK(tables.serialize() == bytes);
    Bytes out;
    decode(tables, coded[0].payloads[0], block, &out);
  }
}

TEST_CASE("token tables: thousands of run lengths survive, the longest run included") {
  LevelCodeSet set;
  LevelCodeLengths& code = set[7];
  code.ids = {0, 255};
  for (uint32_t i = 0; i < 4094; ++i) code.ids.push_back(run_token(2 + i * 31));
  code.ids.back() = run_token(kRunMax);
  code.lengths.assign(code.ids.size(), 12);
  REQUIRE(huffman_is_complete(code.lengths, kCodeLengthMax));
  const Bytes bytes = write_token_tables(set);
  LevelCodeSet back;
  REQUIRE(read_token_tables(bytes.data(), bytes.size(), &back) == Status::ok);
  CHECK(back[7].ids == code.ids && back[7].lengths == code.lengths && back[6].empty());
}

TEST_CASE("huffman: lengths are optimal, complete, limited, and never longer for a larger count or a lower index") {
  Random random(90);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint64_t> counts(2 + random.below(60));
    for (uint64_t& count : counts) count = 1 + random.below(uint64_t{1} << random.below(30));
    const std::vector<uint8_t> lengths = huffman_lengths(counts, 24);
    CHECK(huffman_is_complete(lengths, 24));
    uint64_t bits = 0;
    for (size_t i = 0; i < counts.size(); ++i) bits += counts[i] * lengths[i];
    const uint64_t unlimited = naive_huffman_bits(counts);
    if (*std::max_element(lengths.begin(), lengths.end()) < 24) CHECK_EQ(bits, unlimited);
    else CHECK(bits >= unlimited);
    for (size_t i = 1; i < counts.size(); ++i) {
      if (counts[i] == counts[i - 1]) CHECK(lengths[i - 1] <= lengths[i]);
      if (counts[i] > counts[i - 1]) CHECK(lengths[i] <= lengths[i - 1]);
    }
  }
}

TEST_CASE("huffman: the length limit holds for Fibonacci counts and gives the best limited code") {
  std::vector<uint64_t> counts{1, 1};
  while (counts.size() < 40) counts.push_back(counts[counts.size() - 1] + counts[counts.size() - 2]);
  const std::vector<uint8_t> lengths = huffman_lengths(counts, kCodeLengthMax);
  CHECK(huffman_is_complete(lengths, kCodeLengthMax));
  // Against every code of up to 8 symbols and 4 bits: depths of all full binary trees, largest counts first.
  const std::vector<uint64_t> small{1, 1, 2, 3, 5, 8, 13, 21};
  uint64_t best = ~uint64_t{0};
  std::vector<uint8_t> depths(8);
  const auto search = [&](auto&& self, size_t i, uint8_t least, uint32_t kraft, uint64_t cost) -> void {
    if (i == small.size()) {
      if (kraft == 16) best = std::min(best, cost);
      return;
    }
    for (uint8_t d = least; d <= 4; ++d)
      self(self, i + 1, d, kraft + (16u >> d), cost + small[small.size() - 1 - i] * d);
  };
  search(search, 0, 1, 0, 0);
  const std::vector<uint8_t> limited = huffman_lengths(small, 4);
  uint64_t cost = 0;
  for (size_t i = 0; i < small.size(); ++i) cost += small[i] * limited[i];
  CHECK_EQ(cost, best);
}

TEST_CASE("delta: tables whose codes reach the length limit decode") {
  // Values with Fibonacci counts, none repeated, so that only value tokens occur.
  std::vector<Block> blocks(1);
  Block& block = blocks[0];
  block.modulus = 256;
  uint64_t a = 1, b = 1;
  for (uint8_t value = 1; value <= 22; ++value) {
    for (uint64_t i = 0; i < a && block.current.size() + 2 < kBlockElementsMax; ++i) {
      block.current.push_back(value);
      block.current.push_back(static_cast<uint8_t>(value + 100 + i % 2));
    }
    const uint64_t next = a + b;
    a = b;
    b = next;
  }
  check_round_trip(blocks);
}
