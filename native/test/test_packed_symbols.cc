#include <vector>

#include "check.h"
#include "firn/context_coder.h"
#include "firn/packed_symbols.h"
#include "kernel_data.h"

namespace {

using namespace firn;
using firn::test::for_each_isa;
using firn::test::Random;
using Bytes = std::vector<uint8_t>;

struct Block {
  Bytes symbols, contexts;
  std::vector<uint32_t> escapes;

  ContextBlock view() const {
    return {{contexts.data(), contexts.size(), nullptr, nullptr, 0}, symbols.data(), escapes.data(), escapes.size()};
  }
};

// Symbols below `symbols` in contexts below `contexts`; the smaller the likelier.
Block random_block(Random& random, size_t count, uint32_t contexts, uint32_t symbols) {
  Block block;
  const auto small = [&](uint32_t limit) {
    uint32_t value = limit;
    for (int tries = 0; tries < 3; ++tries) value = std::min<uint32_t>(value, random.below(limit));
    return static_cast<uint8_t>(value);
  };
  for (size_t i = 0; i < count; ++i) {
    block.contexts.push_back(small(contexts));
    block.symbols.push_back(small(symbols));
    if (block.symbols.back() == kContextEscape) block.escapes.push_back(static_cast<uint32_t>(random.next()));
  }
  return block;
}

void check_comes_back(const PackedSymbols& packed, const Block& block) {
  REQUIRE(packed.count() == block.symbols.size());
  Bytes symbols(block.symbols.size()), contexts(block.symbols.size());
  CHECK_EQ(packed.unpack(symbols.data(), contexts.data()), Status::ok);
  CHECK(symbols == block.symbols);
  CHECK(contexts == block.contexts);
  CHECK(packed.escapes() == block.escapes);
}

}  // namespace

TEST_CASE("packed symbols come back with their contexts and escapes, at every instruction set level") {
  Random random(71);
  for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{16383}, size_t{16384}, kBlockElementsMax}) {
    for (const auto& [contexts, symbols] : {std::pair{1u, 1u}, {1u, 32u}, {54u, 3u}, {64u, 32u}}) {
      const Block block = random_block(random, count, contexts, symbols);
      for_each_isa([&] {
        PackedSymbols packed;
        CHECK_EQ(packed.pack(block.view()), Status::ok);
        check_comes_back(packed, block);
      });
    }
  }
}

TEST_CASE("pairs beyond those with a number of their own come back, however many there are") {
  Block block;
  for (size_t i = 0; i < 40000; ++i) {
    block.contexts.push_back(static_cast<uint8_t>(i % kContextsMax));
    block.symbols.push_back(static_cast<uint8_t>(i / kContextsMax % (kContextSymbols - 1)));
  }
  PackedSymbols packed;
  CHECK_EQ(packed.pack(block.view()), Status::ok);
  check_comes_back(packed, block);
}

TEST_CASE("an object that packs again has the new block alone") {
  Random random(72);
  PackedSymbols packed;
  for (const size_t count : {kBlockElementsMax, size_t{100}, size_t{20000}}) {
    const Block block = random_block(random, count, 54, 32);
    CHECK_EQ(packed.pack(block.view()), Status::ok);
    check_comes_back(packed, block);
  }
}

TEST_CASE("packed symbols of a block that hardly moves take a fraction of a byte, those of any block a few") {
  Random random(73);
  Block still = random_block(random, kBlockElementsMax, 4, 1);
  for (size_t i = 0; i < still.symbols.size(); i += 50) still.symbols[i] = 1;
  const auto bytes_of = [](const Block& block) {
    PackedSymbols packed;
    CHECK_EQ(packed.pack(block.view()), Status::ok);
    return packed.bytes();
  };
  CHECK(bytes_of(still) < kBlockElementsMax / 4);
  CHECK(bytes_of(random_block(random, kBlockElementsMax, 54, 8)) < kBlockElementsMax);
  Block uniform;
  for (size_t i = 0; i < kBlockElementsMax; ++i) {
    uniform.contexts.push_back(static_cast<uint8_t>(random.below(kContextsMax)));
    uniform.symbols.push_back(static_cast<uint8_t>(random.below(kContextSymbols - 1)));
  }
  CHECK(bytes_of(uniform) < 5 * kBlockElementsMax / 2);
}

TEST_CASE("symbols and contexts out of range are not packed") {
  Block block;
  block.contexts = {1, 2, 3};
  block.symbols = {0, kContextSymbols, 0};
  PackedSymbols packed;
  CHECK_EQ(packed.pack(block.view()), Status::invalid_argument);
  block.symbols[1] = 0;
  block.contexts[2] = kContextsMax;
  CHECK_EQ(packed.pack(block.view()), Status::invalid_argument);
}
