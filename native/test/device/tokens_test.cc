#include <algorithm>

#include "entropy/token/token_table_format.h"
#include "entropy/token/tokens.h"
#include "entropy/token/tokens_team.h"
#include "firn/delta.h"
#include "test/device/device_columns.h"

namespace firn::test {
namespace {

// Levels of a block that mostly stay what they were, in runs or one by one.
struct LevelCase {
  uint32_t count, modulus;
  std::vector<uint8_t> previous, current;  // the former empty without an ancestor

  explicit LevelCase(Random& random) {
    count = static_cast<uint32_t>(random_count(random, 40000));
    modulus = 1 + static_cast<uint32_t>(random.below(random.below(4) ? 20 : 256));
    const double stays = random.below(3) ? random.unit() : 0.999;
    uint8_t level = 0;
    const uint64_t spread = 1 + random.below(3);
    for (uint32_t i = 0; i < count; ++i) {
      if (random.unit() > stays) level = static_cast<uint8_t>(random.below(modulus));
      current.push_back(level);
    }
    if (random.below(3) == 0) return;
    for (const uint8_t now : current) {
      const bool moves = random.unit() > stays;
      previous.push_back(static_cast<uint8_t>(moves ? (now + random.below(spread + 1)) % modulus : now));
    }
    // What came before lies anywhere, so that groups are mixed.
    if (random.below(2)) {
      for (uint32_t i = 0; i < count; ++i) {
        const auto p = static_cast<uint32_t>(random.below(modulus));
        current[i] = static_cast<uint8_t>((p + modulus - previous[i] + current[i]) % modulus);
        previous[i] = static_cast<uint8_t>(p);
      }
    }
  }
  const uint8_t* before() const { return previous.empty() ? nullptr : previous.data(); }
  uint32_t levels() const { return before() ? modulus : 1; }
};

// The codes of the kernels, from those of the processor.
struct Codes {
  std::vector<uint32_t> values, runs;
  std::vector<LongRunCode> long_runs;
  Codes(const LevelCase& c, const std::vector<std::unique_ptr<LevelCode>>& codes)
      : values(size_t{c.levels()} * c.modulus, kNoTokenCode), runs(size_t{c.levels()} * kShortRuns, kNoTokenCode) {
    for (uint32_t level = 0; level < c.levels(); ++level) {
      if (!codes[level]) continue;
      runs[size_t{level} * kShortRuns + 1] = 0;
      const auto& [ids, lengths] = codes[level]->stored();
      for (size_t i = 0; i < ids.size(); ++i) {
        const uint32_t code = codes[level]->codes()[i];
        if (!token_is_run(ids[i])) values[size_t{level} * c.modulus + ids[i]] = code;
        else if (run_length(ids[i]) < kShortRuns) runs[size_t{level} * kShortRuns + run_length(ids[i])] = code;
        else long_runs.push_back({long_run_place(level, run_length(ids[i])), code});
      }
    }
  }
};

// The codes of a stored table set.
std::vector<std::unique_ptr<LevelCode>> codes_of(const TokenTables& tables) {
  const std::vector<uint8_t> stored = tables.serialize();
  LevelCodeSet set;
  CHECK(read_token_tables(stored.data(), stored.size(), &set) == Status::ok);
  std::vector<std::unique_ptr<LevelCode>> codes(kSourceLevels);
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    if (!set[level].empty()) codes[level] = std::make_unique<LevelCode>(set[level]);
  }
  return codes;
}

}  // namespace

TEST_CASE("device: tokens of levels are counted and coded as by the processor") {
  Random random(140);
  for (size_t round = 0; round < rounds(60); ++round) {
    const LevelCase c(random);
    TokenCounts counts;
    REQUIRE(counts.add(c.before(), c.current.data(), c.count, c.modulus) == Status::ok);
    const TokenTables tables = counts.build();
    std::vector<uint8_t> stream;
    REQUIRE(tables.encode(c.before(), c.current.data(), c.count, c.modulus, &stream) == Status::ok);
    Codes codes(c, codes_of(tables));
    uint32_t moved = 0;
    for (uint32_t i = 0; c.before() && i < c.count; ++i) moved += c.previous[i] != c.current[i];
    // Sometimes a token without a code, or a level that is none.
    const bool lacks_code = c.count > 0 && random.below(8) == 0, is_hostile = c.count > 0 && random.below(8) == 0;
    if (lacks_code) std::fill(codes.values.begin(), codes.values.end(), kNoTokenCode);
    std::vector<uint8_t> current = c.current;
    if (is_hostile && c.modulus < 256) current[random.below(c.count)] = static_cast<uint8_t>(c.modulus);

    for_each_column(random, [&](Arrays& arrays, auto run) {
      const uint8_t* const d_previous = c.before() ? arrays.add(c.previous) : nullptr;
      uint16_t* const keys = arrays.add_output<uint16_t>(c.count);
      uint32_t* const d_moved = arrays.add_output<uint32_t>(1);
      uint8_t* const failure = arrays.add_output<uint8_t>(1);
      uint32_t* const cursors = arrays.add_output<uint32_t>(size_t{kTokenMembers} * c.modulus);
      run(&DeviceTable::level_keys, LevelKeysTeamKernel{d_previous, arrays.add(current), c.count, c.modulus, cursors,
                                                        keys, d_moved, failure});
      const bool is_bad = current != c.current;
      CHECK_EQ(arrays.read(failure, 1)[0], is_bad);
      if (is_bad) {
        CHECK(arrays.read(keys, c.count) == std::vector<uint16_t>(c.count));
        return;
      }
      CHECK_EQ(arrays.read(d_moved, 1)[0], moved);
      uint32_t* const values = arrays.add(std::vector<uint32_t>(size_t{c.levels()} * c.modulus));
      uint32_t* const runs = arrays.add(std::vector<uint32_t>(size_t{c.levels()} * kShortRuns));
      CountedRun* const long_runs = arrays.add_output<CountedRun>(long_runs_max(c.count) + 1);
      uint32_t* const long_count = arrays.add_output<uint32_t>(1);
      run(&DeviceTable::count_tokens,
          CountTokensTeamKernel{keys, c.count, c.modulus, values, runs, long_runs, long_count});
      const uint32_t found_long = arrays.read(long_count, 1)[0];
      REQUIRE(found_long <= long_runs_max(c.count));
      TokenCounts found;
      REQUIRE(found.add_counted({c.levels(), c.modulus, arrays.read(values, size_t{c.levels()} * c.modulus),
                                 arrays.read(runs, size_t{c.levels()} * kShortRuns),
                                 arrays.read(long_runs, found_long)}) == Status::ok);
      CHECK(found.build().serialize() == tables.serialize());
      CHECK_EQ(found.payload_bits(), counts.payload_bits());

      const size_t words = size_t{c.count} * kCodeLengthMax / 32 + 2;
      uint32_t* const d_stream = arrays.add(std::vector<uint32_t>(words));
      uint32_t* const bits = arrays.add_output<uint32_t>(1);
      run(&DeviceTable::encode_tokens,
          EncodeTokensTeamKernel{keys, c.count, c.modulus, arrays.add(codes.values), arrays.add(codes.runs),
                                 arrays.add(codes.long_runs), static_cast<uint32_t>(codes.long_runs.size()), d_stream,
                                 bits, failure});
      CHECK_EQ(arrays.read(failure, 1)[0], lacks_code);
      if (lacks_code) return;
      const uint32_t found_bits = arrays.read(bits, 1)[0];
      CHECK_EQ((found_bits + 7) / 8, stream.size());
      const std::vector<uint32_t> found_words = arrays.read(d_stream, words);
      // A stream may be empty.
      const auto* const found_bytes = reinterpret_cast<const uint8_t*>(found_words.data());
      CHECK(std::equal(stream.begin(), stream.end(), found_bytes));
    });
  }
}

TEST_CASE("tokens that were counted elsewhere have to fit their description") {
  TokenCounts counts;
  const CountedTokens right{1, 2, {3, 0}, std::vector<uint32_t>(kShortRuns), {{0, kShortRuns}}};
  CHECK(counts.add_counted(right) == Status::ok);
  const auto refused = [&](auto change) {
    CountedTokens wrong = right;
    change(wrong);
    CHECK(counts.add_counted(wrong) == Status::invalid_argument);
  };
  refused([](CountedTokens& t) { t.values.pop_back(); });
  refused([](CountedTokens& t) { t.runs.push_back(0); });
  refused([](CountedTokens& t) { t.levels = 3; });
  refused([](CountedTokens& t) { t.modulus = 0; });
  refused([](CountedTokens& t) { t.modulus = 257; });
  refused([](CountedTokens& t) { t.long_runs[0].level = 1; });
  refused([](CountedTokens& t) { t.long_runs[0].length = kShortRuns - 1; });
  refused([](CountedTokens& t) { t.long_runs[0].length = kBlockElementsMax + 1; });
}

}  // namespace firn::test
