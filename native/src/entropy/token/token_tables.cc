#include <memory>
#include <new>

#include "common/bit_reader.h"
#include "common/bit_writer.h"
#include "entropy/huffman.h"
#include "entropy/token/token_counts_impl.h"
#include "entropy/token/token_table_format.h"
#include "entropy/token/token_tables_impl.h"
#include "entropy/token/tokens.h"
#include "firn/delta.h"

namespace firn {

TokenTables::TokenTables() : impl_(std::make_unique<Impl>()) {}
TokenTables::~TokenTables() = default;
TokenTables::TokenTables(TokenTables&&) noexcept = default;
TokenTables& TokenTables::operator=(TokenTables&&) noexcept = default;

TokenTables TokenCounts::build() const {
  TokenTables tables;
  if (!impl_) return tables;
  std::vector<uint64_t> counts;
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    if (!impl_->levels[level]) continue;
    LevelCodeLengths code;
    impl_->levels[level]->list(&code.ids, &counts);
    code.lengths = huffman_lengths(counts, kCodeLengthMax);
    tables.impl_->levels[level] = std::make_unique<const LevelCode>(std::move(code));
  }
  return tables;
}

std::vector<uint8_t> TokenTables::serialize() const {
  if (!impl_) return {};
  const auto set = std::make_unique<LevelCodeSet>();
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    if (impl_->levels[level]) (*set)[level] = impl_->levels[level]->stored();
  }
  return write_token_tables(*set);
}

Status TokenTables::parse(const uint8_t* bytes, size_t size, TokenTables* out) try {
  const auto set = std::make_unique<LevelCodeSet>();
  const Status status = read_token_tables(bytes, size, set.get());
  if (status != Status::ok) return status;
  TokenTables tables;
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    if (!(*set)[level].empty())
      tables.impl_->levels[level] = std::make_unique<const LevelCode>(std::move((*set)[level]));
  }
  *out = std::move(tables);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status TokenTables::encode(const uint8_t* previous, const uint8_t* current, size_t count, uint32_t modulus,
                           std::vector<uint8_t>* out) const try {
  if (!impl_ || count > kBlockElementsMax || modulus < 1 || modulus > kSourceLevels) return Status::invalid_argument;
  if (!levels_below(current, count, modulus) || (previous && !levels_below(previous, count, modulus))) {
    return Status::invalid_argument;
  }
  const auto differences = make_differences(count);
  const LevelGroups groups(previous, count);
  groups.gather(current, modulus, differences.get());

  // A run of r >= 2 elements costs two codes, a lone element one: at most kCodeLengthMax bits an element.
  const auto bits = std::make_unique_for_overwrite<uint8_t[]>(count * kCodeLengthMax / 8 + 1 + BitWriter::kSlackBytes);
  BitWriter writer(bits.get());
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    const size_t begin = groups.start(level), end = groups.start(level + 1);
    if (begin == end) continue;
    const LevelCode* const code = impl_->levels[level].get();
    if (!code || !code->encode_group(differences.get(), begin, end, writer)) return Status::invalid_argument;
  }
  const size_t size = writer.finish();
  out->insert(out->end(), bits.get(), bits.get() + size);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status TokenTables::decode(const uint8_t* bytes, size_t size, const uint8_t* previous, size_t count, uint32_t modulus,
                           uint8_t* current) const try {
  if (!impl_ || count > kBlockElementsMax || modulus < 1 || modulus > kSourceLevels) return Status::invalid_argument;
  if (previous && !levels_below(previous, count, modulus)) return Status::corrupt;
  const auto differences = make_differences(count);
  const LevelGroups groups(previous, count);
  BitReader reader(bytes, size);
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    const size_t begin = groups.start(level), end = groups.start(level + 1);
    if (begin == end) continue;
    const LevelCode* const code = impl_->levels[level].get();
    if (!code) return Status::corrupt;
    if (!code->decode_group(reader, modulus, end - begin, differences.get() + begin)) {
      return reader.overrun() ? Status::truncated : Status::corrupt;
    }
    if (reader.overrun()) return Status::truncated;
  }
  if (!reader.at_zero_padded_end()) return Status::corrupt;
  groups.scatter(differences.get(), modulus, current);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
