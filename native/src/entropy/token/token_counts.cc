#include <algorithm>
#include <memory>
#include <new>

#include "entropy/huffman.h"
#include "entropy/token/token_counts_impl.h"
#include "firn/delta.h"

namespace firn {

void LevelTokenCounts::merge(const LevelTokenCounts& from) {
  for (size_t i = 0; i < values.size(); ++i) values[i] += from.values[i];
  for (size_t i = 0; i < runs.size(); ++i) runs[i] += from.runs[i];
  if (&from == this) {
    for (auto& entry : rare) entry.second *= 2;
    return;
  }
  for (const auto& [run, times] : from.rare) rare[run] += times;
}

void LevelTokenCounts::list(std::vector<uint32_t>* ids, std::vector<uint64_t>* counts) const {
  ids->clear();
  counts->clear();
  const auto push = [&](uint32_t id, uint64_t times) {
    if (times == 0) return;
    ids->push_back(id);
    counts->push_back(times);
  };
  for (uint32_t value = 0; value < kValueTokens; ++value) push(value, values[value]);
  for (uint32_t run = kRunMin; run < kDirectRuns; ++run) push(run_token(run), runs[run]);
  std::vector<uint32_t> long_runs;
  for (const auto& entry : rare) long_runs.push_back(entry.first);
  std::sort(long_runs.begin(), long_runs.end());
  for (const uint32_t run : long_runs) push(run_token(run), rare.at(run));
}

TokenCounts::TokenCounts() : impl_(std::make_unique<Impl>()) {}
TokenCounts::~TokenCounts() = default;
TokenCounts::TokenCounts(TokenCounts&&) noexcept = default;
TokenCounts& TokenCounts::operator=(TokenCounts&&) noexcept = default;

Status TokenCounts::add(const uint8_t* previous, const uint8_t* current, size_t count, uint32_t modulus) try {
  if (count > kBlockElementsMax || modulus < 1 || modulus > kSourceLevels) return Status::invalid_argument;
  if (!levels_below(current, count, modulus) || (previous && !levels_below(previous, count, modulus))) {
    return Status::invalid_argument;
  }
  if (!impl_) impl_ = std::make_unique<Impl>();
  const auto differences = make_differences(count);
  const LevelGroups groups(previous, count);
  groups.gather(current, modulus, differences.get());
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    const size_t begin = groups.start(level), end = groups.start(level + 1);
    if (begin == end) continue;
    LevelTokenCounts& counts = impl_->level(level);
    for (size_t at = begin; at < end;) {
      const size_t next = run_end(differences.get(), at, end);
      counts.add(differences[at], static_cast<uint32_t>(next - at));
      at = next;
    }
  }
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status TokenCounts::add_counted(const CountedTokens& block) try {
  const uint32_t modulus = block.modulus;
  if (modulus < 1 || modulus > kSourceLevels || block.levels > modulus ||
      block.values.size() != size_t{block.levels} * modulus || block.runs.size() != size_t{block.levels} * kShortRuns)
    return Status::invalid_argument;
  for (const CountedRun& run : block.long_runs) {
    if (run.level >= block.levels || run.length < kShortRuns || run.length > kRunMax) return Status::invalid_argument;
  }
  if (!impl_) impl_ = std::make_unique<Impl>();
  for (uint32_t level = 0; level < block.levels; ++level) {
    const uint32_t* const values = block.values.data() + size_t{level} * modulus;
    if (std::all_of(values, values + modulus, [](uint32_t times) { return times == 0; })) continue;
    LevelTokenCounts& counts = impl_->level(level);
    for (uint32_t value = 0; value < modulus; ++value) counts.values[value] += values[value];
    const uint32_t* const runs = block.runs.data() + size_t{level} * kShortRuns;
    for (uint32_t run = kRunMin; run < kShortRuns; ++run) counts.runs[run] += runs[run];
  }
  for (const CountedRun& run : block.long_runs) impl_->level(run.level).add_run(run.length);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

void TokenCounts::merge(const TokenCounts& other) {
  if (!other.impl_) return;
  if (!impl_) impl_ = std::make_unique<Impl>();
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    if (other.impl_->levels[level]) impl_->level(level).merge(*other.impl_->levels[level]);
  }
}

uint64_t TokenCounts::payload_bits() const {
  if (!impl_) return 0;
  uint64_t bits = 0;
  std::vector<uint32_t> ids;
  std::vector<uint64_t> counts;
  for (const auto& level : impl_->levels) {
    if (!level) continue;
    level->list(&ids, &counts);
    const std::vector<uint8_t> lengths = huffman_lengths(counts, kCodeLengthMax);
    for (size_t i = 0; i < ids.size(); ++i) bits += counts[i] * lengths[i];
  }
  return bits;
}

}  // namespace firn
