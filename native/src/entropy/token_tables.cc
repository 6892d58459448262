#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "common/bit_reader.h"
#include "common/bit_writer.h"
#include "entropy/huffman.h"
#include "entropy/level_code.h"
#include "entropy/token_counts_impl.h"
#include "entropy/token_table_format.h"
#include "entropy/tokens.h"
#include "firn/delta.h"

namespace firn {
namespace {

constexpr uint32_t kNoValue = ~0u;

// Fills a run whose first element is already there; `at` has kDifferencesSlackBytes of room past the run.
void fill_run(uint8_t* at, uint8_t value, uint32_t length) {
  const uint64_t pattern = 0x0101010101010101ull * value;
  store_le(at, pattern);
  store_le(at + 8, pattern);
  if (length > 16) std::memset(at + 16, value, length - 16);
}

// Decodes one group into differences[0..count), count >= 1. False on a token sequence no encoder writes.
bool decode_group(const LevelCode& code, BitReader& reader, uint32_t modulus, size_t count, uint8_t* differences) {
  const uint8_t* const end = differences + count;
  uint32_t before = kNoValue;
  uint32_t id = code.decode(reader);
  for (;;) {
    if (id >= modulus || id == before) return false;  // a run, a value out of range, or a run that was cut in two
    before = id;
    *differences++ = static_cast<uint8_t>(id);
    if (differences == end) return true;
    const uint32_t next = code.decode(reader);
    if (!token_is_run(next)) {
      id = next;
      continue;
    }
    const uint32_t more = run_length(next) - 1;
    if (more > static_cast<size_t>(end - differences)) return false;
    fill_run(differences, static_cast<uint8_t>(id), more);
    differences += more;
    if (differences == end) return true;
    id = code.decode(reader);
  }
}

// False when a token has no code.
bool encode_group(const LevelCode& code, BitWriter& writer, const uint8_t* differences, size_t begin, size_t end) {
  bool known = true;
  const auto put = [&](uint32_t id) {
    const uint32_t entry = code.encode(id);
    if (entry == LevelCode::kNoCode) [[unlikely]] {
      known = false;
      return;
    }
    writer.put(entry >> LevelCode::kLengthBits, entry & LevelCode::kLengthMask);
  };
  for_each_run(differences, begin, end, [&](uint8_t value, uint32_t run) {
    put(value);
    if (run >= kRunMin) put(run_token(run));
  });
  return known;
}

}  // namespace

struct TokenTables::Impl {
  std::array<LevelCode, kSourceLevels> levels;
};

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
    tables.impl_->levels[level] = LevelCode(std::move(code));
  }
  return tables;
}

std::vector<uint8_t> TokenTables::serialize() const {
  if (!impl_) return {};
  const auto set = std::make_unique<LevelCodeSet>();
  for (uint32_t level = 0; level < kSourceLevels; ++level) (*set)[level] = impl_->levels[level].stored();
  return write_token_tables(*set);
}

Status TokenTables::parse(const uint8_t* bytes, size_t size, TokenTables* out) try {
  const auto set = std::make_unique<LevelCodeSet>();
  const Status status = read_token_tables(bytes, size, set.get());
  if (status != Status::ok) return status;
  TokenTables tables;
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    if (!(*set)[level].empty()) tables.impl_->levels[level] = LevelCode(std::move((*set)[level]));
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
  const auto differences = std::make_unique_for_overwrite<uint8_t[]>(count + kDifferencesSlackBytes);
  const LevelGroups groups(previous, count);
  groups.gather(current, modulus, differences.get());

  // A run of r >= 2 elements costs two codes, a lone element one: at most kCodeLengthMax bits an element.
  const auto bits = std::make_unique_for_overwrite<uint8_t[]>(count * kCodeLengthMax / 8 + 1 + BitWriter::kSlackBytes);
  BitWriter writer(bits.get());
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    const size_t begin = groups.start(level), end = groups.start(level + 1);
    if (begin == end) continue;
    if (!encode_group(impl_->levels[level], writer, differences.get(), begin, end)) return Status::invalid_argument;
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
  const auto differences = std::make_unique_for_overwrite<uint8_t[]>(count + kDifferencesSlackBytes);
  const LevelGroups groups(previous, count);
  BitReader reader(bytes, size);
  for (uint32_t level = 0; level < kSourceLevels; ++level) {
    const size_t begin = groups.start(level), end = groups.start(level + 1);
    if (begin == end) continue;
    const LevelCode& code = impl_->levels[level];
    if (code.empty()) return Status::corrupt;
    if (!decode_group(code, reader, modulus, end - begin, differences.get() + begin)) {
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
