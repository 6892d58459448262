// Tokens of a codebook's levels, counted and coded on a device: the levels stay there.
#include <algorithm>
#include <cstring>

#include "codebook_quant/assign/takes_levels.h"
#include "device/work/levels_there.h"
#include "entropy/token/token_tables_impl.h"
#include "entropy/token/tokens.h"
#include "entropy/token/tokens_team.h"

namespace firn {
namespace {

static_assert(kTokenLengthBits == LevelCode::kLengthBits);
static_assert(kRunMax < 1u << LongRunCode::kLengthBits && kSourceLevels << LongRunCode::kLengthBits != 0);

// Tables of codebooks with very many levels are larger than the levels of a block: those are left to the processor.
constexpr size_t kTableBytesMax = kBlockElementsMax;

// Source levels that a block can have.
uint32_t source_levels(const LevelsBefore& before) { return before.levels ? before.modulus : 1; }

bool takes_tokens(const CodebookWeights& weights, const LevelsBefore& before, const LevelMap& map,
                  const PartitionRule& rule) {
  return weights.count > 0 && weights.count <= kBlockElementsMax && before.modulus >= 1 &&
         before.modulus <= kSourceLevels && takes_levels(map, rule) &&
         source_levels(before) * size_t{before.modulus + kShortRuns} * sizeof(uint32_t) <= kTableBytesMax;
}

// The differences of a block, grouped by source level.
struct KeysThere {
  KeysThere(DeviceWork& work, const uint8_t* d_levels, uint32_t element_count, const LevelsBefore& before,
            uint32_t* d_moved, uint8_t* d_failure)
      : count(element_count), keys(work.room<uint16_t>(count)) {
    const auto* const d_previous =
        before.levels ? static_cast<const uint8_t*>(work.held(before.name, before.levels, count)) : nullptr;
    auto* const d_cursors =
        before.levels ? work.room<uint32_t>(size_t{kTokenMembers} * before.modulus) : nullptr;
    work.run(&DeviceTable::level_keys, LevelKeysTeamKernel{d_previous, d_levels, count, before.modulus, d_cursors, keys,
                                                           d_moved, d_failure});
  }
  const uint32_t count;
  uint16_t* const keys;
};

}  // namespace

// The codes of a table set as encode_tokens takes them.
class DeviceTokenCodes {
 public:
  DeviceTokenCodes(const TokenTables& tables, uint32_t levels, uint32_t modulus)
      : values(size_t{levels} * modulus, kNoTokenCode), runs(size_t{levels} * kShortRuns, kNoTokenCode) {
    for (uint32_t level = 0; tables.impl_ && level < levels; ++level) {
      const LevelCode* const code = tables.impl_->levels[level].get();
      if (!code) continue;
      runs[size_t{level} * kShortRuns + 1] = 0;
      for (size_t i = 0; i < code->codes().size(); ++i) add(level, modulus, code->stored().ids[i], code->codes()[i]);
    }
  }
  std::vector<uint32_t> values, runs;
  std::vector<LongRunCode> long_runs;

 private:
  // Ids ascend.
  void add(uint32_t level, uint32_t modulus, uint32_t id, uint32_t code) {
    if (!token_is_run(id)) {
      if (id < modulus) values[size_t{level} * modulus + id] = code;
      return;
    }
    const uint32_t length = run_length(id);
    if (length < kShortRuns) runs[size_t{level} * kShortRuns + length] = code;
    else long_runs.push_back({long_run_place(level, length), code});
  }
};

bool device_count_tokens(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                         const LevelMap& map, const LevelsBefore& before, CountedTokens* counts,
                         LevelFindings* findings) {
  const PartitionRule rule = partition_rule(partition, weights.gradients != nullptr);
  if (!takes_tokens(weights, before, map, rule)) return false;
  const auto count = static_cast<uint32_t>(weights.count);
  const uint32_t modulus = before.modulus, levels = source_levels(before);
  DeviceWork work(context, "count tokens");
  const LevelsThere found(work, weights, rule, map);
  Results out;
  const size_t at_values = out.add<uint32_t>(size_t{levels} * modulus),
               at_runs = out.add<uint32_t>(size_t{levels} * kShortRuns), at_long = out.add<uint32_t>(1),
               at_moved = out.add<uint32_t>(1), at_failure = out.add<uint8_t>(1);
  out.make(work);
  const KeysThere keys(work, found.levels, count, before, out.there<uint32_t>(at_moved),
                       out.there<uint8_t>(at_failure));
  auto* const d_long_runs = work.room<CountedRun>(long_runs_max(count) + 1);
  work.run(&DeviceTable::count_tokens,
           CountTokensTeamKernel{keys.keys, count, modulus, out.there<uint32_t>(at_values),
                                 out.there<uint32_t>(at_runs), d_long_runs, out.there<uint32_t>(at_long)});
  uint64_t words = 0;
  found.bring_word_count(work, &words);
  if (!out.come_back(work) || *out.here<uint8_t>(at_failure) || words > count) return false;
  const uint32_t long_runs = *out.here<uint32_t>(at_long), moved = *out.here<uint32_t>(at_moved);
  if (long_runs > long_runs_max(count) || moved > count) return false;
  const auto* const values = out.here<uint32_t>(at_values);
  const auto* const runs = out.here<uint32_t>(at_runs);
  *counts = {levels, modulus, {values, values + size_t{levels} * modulus}, {runs, runs + size_t{levels} * kShortRuns},
             std::vector<CountedRun>(long_runs)};
  if (long_runs > 0) {
    work.bring(counts->long_runs.data(), d_long_runs, long_runs * sizeof(CountedRun));
    if (!work.wait()) return false;
  }
  *findings = {words, moved};
  return work.done();
}

bool device_encode_tokens(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                          const LevelMap& map, const LevelsBefore& before, const TokenTables& tables,
                          std::vector<uint8_t>* stream, std::vector<uint16_t>* words) {
  const PartitionRule rule = partition_rule(partition, weights.gradients != nullptr);
  if (!takes_tokens(weights, before, map, rule)) return false;
  const auto count = static_cast<uint32_t>(weights.count);
  const DeviceTokenCodes codes(tables, source_levels(before), before.modulus);
  DeviceWork work(context, "encode tokens");
  const LevelsThere found(work, weights, rule, map);
  const uint16_t* const d_words = found.gather_words(work);
  Packed in;
  const size_t at_values = in.add(codes.values.data(), codes.values.size()),
               at_runs = in.add(codes.runs.data(), codes.runs.size()),
               at_long = in.add(codes.long_runs.data(), codes.long_runs.size());
  in.go_up(work);
  Results out;
  const size_t at_bits = out.add<uint32_t>(1), at_moved = out.add<uint32_t>(1), at_failures = out.add<uint8_t>(2);
  out.make(work);
  auto* const d_failures = out.there<uint8_t>(at_failures);
  const KeysThere keys(work, found.levels, count, before, out.there<uint32_t>(at_moved), d_failures);
  const size_t room_bytes = in_sixteens(size_t{count} * kCodeLengthMax / 8 + sizeof(uint64_t));
  auto* const d_stream = work.room<uint8_t>(room_bytes);
  work.clear(d_stream, room_bytes);
  work.run(&DeviceTable::encode_tokens,
           EncodeTokensTeamKernel{keys.keys, count, before.modulus, in.at<uint32_t>(at_values),
                                  in.at<uint32_t>(at_runs), in.at<LongRunCode>(at_long),
                                  static_cast<uint32_t>(codes.long_runs.size()),
                                  reinterpret_cast<uint32_t*>(d_stream), out.there<uint32_t>(at_bits),
                                  d_failures ? d_failures + 1 : nullptr});
  uint64_t word_count = 0;
  found.bring_word_count(work, &word_count);
  if (!out.come_back(work)) return false;
  const auto* const failures = out.here<uint8_t>(at_failures);
  const size_t bytes = (size_t{*out.here<uint32_t>(at_bits)} + 7) / 8;
  if (failures[0] || failures[1] || bytes > room_bytes) return false;
  const size_t before_bytes = stream->size();
  stream->resize(before_bytes + bytes);
  work.bring(stream->data() + before_bytes, d_stream, bytes);
  return work.wait() && found.bring_words(work, d_words, word_count, words) && work.done();
}

}  // namespace firn
