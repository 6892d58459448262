#include <algorithm>
#include <bit>
#include <memory>

#include "context/blocks/block_modes.h"

namespace firn {
namespace {

// Tokens are decoded one after the other here, so more lanes than these gain nothing.
constexpr uint32_t kRunLanesMax = 8;

// Token numbers of one table's group, appended in the order a decoder meets them.
class GroupTokens {
 public:
  GroupTokens(const RunCodes& codes, uint32_t table, std::vector<uint32_t>* tokens)
      : tokens_(tokens), longest_(codes.longest_run), first_(table * kRunTokensPerTable) {}

  // `zeros` zeros, then another symbol.
  void run(uint32_t zeros) {
    for (; zeros >= longest_; zeros -= longest_) token(kRunTokensAt + longest_);
    token(kRunTokensAt + zeros);
  }
  // Zeros up to the end of the group.
  void last_run(uint32_t zeros) {
    for (uint32_t done = 0; done < zeros; done += longest_) token(kRunTokensAt + longest_);
  }
  void value(uint8_t symbol) { token(kValueTokensAt + symbol); }

 private:
  void token(uint32_t offset) { tokens_->push_back(first_ + offset); }

  std::vector<uint32_t>* tokens_;
  uint32_t longest_, first_;
};

// Elements of a group whose symbol is not 0, in order, and their ranks among its members; `count` of them.
struct ChangedMembers {
  std::unique_ptr<uint32_t[]> elements, ranks;
  size_t count = 0;
};

void list_group(const RunCodes& codes, uint32_t table, uint32_t size, const ChangedMembers& changed,
                const uint8_t* symbols, std::vector<uint32_t>* tokens) {
  GroupTokens group(codes, table, tokens);
  if (codes.longest_run > 0) {
    uint32_t next = 0;  // first member whose symbol is not yet listed
    for (size_t i = 0; i < changed.count; ++i) {
      group.run(changed.ranks[i] - next);
      next = changed.ranks[i] + 1;
    }
    group.last_run(size - next);
  }
  for (size_t i = 0; i < changed.count; ++i) group.value(symbols[changed.elements[i]]);
  if (codes.no_zeros() && changed.count < size) group.value(0);  // which has no code
}

// Positions of the members, in a group of `size`, whose symbol is not 0, ascending. Returns their number.
size_t take_positions(const RunCodes& codes, uint32_t size, LaneDecoder* lanes, uint32_t* positions) {
  size_t found = 0;
  uint32_t at = 0;
  if (codes.no_zeros()) {
    for (; at < size; ++at) positions[found++] = at;
    return found;
  }
  const uint32_t longest = codes.longest_run;
  const auto code = [&]() -> const SlotFinder& { return codes.runs; };
  while (at < size && lanes->status() == Status::ok) {
    // A token covers at most `longest` members.
    lanes->take_rounds([&](size_t n) { return size - at > n * longest; }, code,
                       [&](uint32_t run) {
                         const uint32_t ends = run < longest;
                         positions[found] = at + run;
                         found += ends;
                         at += run + ends;
                       });
    do {
      const uint32_t run = lanes->take(codes.runs);
      if (run == longest) {
        at += std::min(run, size - at);
      } else if (run < size - at) {
        positions[found++] = at + run;
        at += run + 1;
      } else {
        lanes->fail(Status::corrupt);
        return found;
      }
    } while (at < size && lanes->inside_round());
  }
  return found;
}

void take_values(const RunCodes& codes, size_t count, LaneDecoder* lanes, uint8_t* values) {
  size_t i = 0;
  const auto code = [&]() -> const SlotFinder& { return codes.values; };
  while (i < count && lanes->status() == Status::ok) {
    lanes->take_rounds([&](size_t n) { return count - i >= n; }, code,
                       [&](uint32_t token) { values[i++] = static_cast<uint8_t>(token); });
    do {
      if (i < count) values[i++] = static_cast<uint8_t>(lanes->take(codes.values));
    } while (i < count && lanes->inside_round());
  }
}

}  // namespace

LaneStream encode_runs(const SetCodes& codes, const ElementTables& elements, const uint8_t* symbols,
                       const uint64_t* changed) {
  const size_t words = words_for(elements.count());
  const auto members = std::make_unique_for_overwrite<uint64_t[]>(words);
  ChangedMembers group{std::make_unique_for_overwrite<uint32_t[]>(elements.count()),
                       std::make_unique_for_overwrite<uint32_t[]>(elements.count())};
  std::vector<uint32_t> tokens;
  const ElementKernels& kernels = element_kernels();
  for (size_t k = 0; k < elements.tables().size(); ++k) {
    const uint32_t table = elements.tables()[k];
    const uint32_t size = kernels.mask_equal(elements.indexes(), words, static_cast<uint8_t>(k), members.get());
    if (size == 0) continue;
    group.count = kernels.rank(members.get(), changed, words, group.elements.get(), group.ranks.get());
    list_group(codes.runs()[table], table, size, group, symbols, &tokens);
  }
  const std::vector<EncoderToken>& coded = codes.run_tokens();
  CostBits bits = 0;
  for (const uint32_t token : tokens) {
    if (!coded[token].coded()) return {};
    bits += whole_bits(kSlotBits) - cost_log2(coded[token].frequency());
  }
  const uint32_t lanes = std::min(lanes_for(bits), kRunLanesMax);
  return encode_tokens(tokens.size(), lanes, [&](size_t i) -> const EncoderToken& { return coded[tokens[i]]; });
}

Status decode_runs(const SetCodes& codes, const ElementTables& elements, LaneDecoder* lanes, uint8_t* symbols) {
  const size_t words = words_for(elements.count());
  const ElementKernels& kernels = element_kernels();
  const auto members = std::make_unique_for_overwrite<uint64_t[]>(words + 1);
  const auto positions = std::make_unique_for_overwrite<uint32_t[]>(elements.count() + 1);
  const auto values = std::make_unique_for_overwrite<uint8_t[]>(elements.count() + 1);
  std::fill_n(symbols, elements.count(), uint8_t{0});
  for (size_t k = 0; k < elements.tables().size(); ++k) {
    const RunCodes& table = codes.runs()[elements.tables()[k]];
    if (table.only_zeros()) continue;
    const uint32_t size = kernels.mask_equal(elements.indexes(), words, static_cast<uint8_t>(k), members.get());
    const size_t found = take_positions(table, size, lanes, positions.get());
    take_values(table, found, lanes, values.get());
    if (lanes->status() != Status::ok) return lanes->status();
    if (found > 0) kernels.place(members.get(), words, positions.get(), values.get(), found, symbols);
  }
  return lanes->finish();
}

}  // namespace firn
