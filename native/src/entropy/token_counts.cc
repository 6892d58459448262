#include <algorithm>
#include <memory>
#include <new>

#include "entropy/huffman.h"
#include "entropy/token_counts_impl.h"
#include "firn/delta.h"

namespace firn {

void LevelTokenCounts::list(std::vector<uint32_t>* ids, std::vector<uint64_t>* counts) const {
  ids->clear();
  counts->clear();
  for (uint32_t id = 0; id < kDirectIds; ++id) {
    if (direct[id] == 0) continue;
    ids->push_back(id);
    counts->push_back(direct[id]);
  }
  const size_t direct_ids = ids->size();
  for (const auto& entry : rare) ids->push_back(entry.first);
  std::sort(ids->begin() + static_cast<ptrdiff_t>(direct_ids), ids->end());
  for (size_t i = direct_ids; i < ids->size(); ++i) counts->push_back(rare.at((*ids)[i]));
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
  const auto differences = std::make_unique_for_overwrite<uint8_t[]>(count + kDifferencesSlackBytes);
  const LevelGroups groups(previous, count);
  groups.gather(current, modulus, differences.get());
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    const size_t begin = groups.start(level), end = groups.start(level + 1);
    if (begin == end) continue;
    LevelTokenCounts& counts = impl_->level(level);
    for_each_run(differences.get(), begin, end, [&](uint8_t value, uint32_t run) {
      ++counts.direct[value];
      if (run >= kRunMin) counts.add(run_token(run), 1);
    });
  }
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

void TokenCounts::merge(const TokenCounts& other) {
  if (!other.impl_) return;
  if (!impl_) impl_ = std::make_unique<Impl>();
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    if (!other.impl_->levels[level]) continue;
    // Copied before the target is touched, so that merging an object into itself doubles it.
    const LevelTokenCounts from = *other.impl_->levels[level];
    LevelTokenCounts& into = impl_->level(level);
    for (uint32_t id = 0; id < LevelTokenCounts::kDirectIds; ++id) into.direct[id] += from.direct[id];
    for (const auto& [id, times] : from.rare) into.rare[id] += times;
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
