#include "firn/packed_symbols.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "common/scratch.h"
#include "context/blocks/element_kernels.h"
#include "entropy/rans.h"

namespace firn {
namespace {

constexpr size_t kPairs = size_t{kContextsMax} * kContextSymbols;
constexpr uint8_t kRare = kNumberedPairsMax;  // the number of all other pairs

size_t pair_of(uint8_t context, uint8_t symbol) { return size_t{context} * kContextSymbols + symbol; }

// The pairs that occur, the most frequent first; ties in the order of pairs.
std::vector<uint16_t> by_frequency(const std::array<uint32_t, kPairs>& counts) {
  std::vector<uint16_t> pairs;
  for (size_t pair = 0; pair < kPairs; ++pair) {
    if (counts[pair] > 0) pairs.push_back(static_cast<uint16_t>(pair));
  }
  std::stable_sort(pairs.begin(), pairs.end(), [&](uint16_t a, uint16_t b) { return counts[a] > counts[b]; });
  return pairs;
}

}  // namespace

Status PackedSymbols::pack(const ContextBlock& block) try {
  const auto& [layout, symbols, escapes, escape_count] = block;
  const size_t count = layout.count;
  const ElementKernels& kernels = element_kernels();
  if (kernels.unite(symbols, count) >= kContextSymbols || kernels.unite(layout.contexts, count) >= kContextsMax)
    return Status::invalid_argument;
  std::array<uint32_t, kPairs> counts{};
  for (size_t i = 0; i < count; ++i) ++counts[pair_of(layout.contexts[i], symbols[i])];
  pairs_ = by_frequency(counts);
  pairs_.resize(std::min(pairs_.size(), kNumberedPairsMax));
  std::array<uint8_t, kPairs> numbers;
  numbers.fill(kRare);
  SymbolCounts number_counts{};
  size_t rare_count = count;
  for (size_t number = 0; number < pairs_.size(); ++number) {
    numbers[pairs_[number]] = static_cast<uint8_t>(number);
    number_counts[number] = counts[pairs_[number]];
    rare_count -= number_counts[number];
  }
  number_counts[kRare] = static_cast<uint32_t>(rare_count);
  rare_.clear();
  rare_.reserve(rare_count);
  const Scratch numbered = take_scratch(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t pair = pair_of(layout.contexts[i], symbols[i]);
    numbered[i] = numbers[pair];
    if (numbered[i] == kRare) rare_.push_back(static_cast<uint16_t>(pair));
  }
  const RansModel model = rans_model({number_counts});
  std::vector<uint8_t> coded;
  rans_encode(numbered.get(), nullptr, count, model, &coded);
  model_bits_ = model.bits;
  frequencies_ = model.tables[0];
  coded_ = std::make_unique_for_overwrite<uint8_t[]>(coded.size());
  std::memcpy(coded_.get(), coded.data(), coded.size());
  coded_bytes_ = coded.size();
  escapes_.assign(escapes, escapes + escape_count);
  count_ = count;
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

size_t PackedSymbols::bytes() const {
  return sizeof(*this) + coded_bytes_ + (pairs_.capacity() + rare_.capacity()) * sizeof(uint16_t) +
         escapes_.capacity() * sizeof(uint32_t);
}

Status PackedSymbols::unpack(uint8_t* symbols, uint8_t* contexts) const try {
  if (count_ == 0) return Status::ok;
  const Scratch numbered = take_scratch(count_);
  ByteReader coded(coded_.get(), coded_bytes_);
  const Status status = rans_decode(coded, nullptr, count_, {model_bits_, {frequencies_}}, numbered.get());
  if (status != Status::ok) return status;
  std::array<uint16_t, kNumberedPairsMax + 1> pairs{};
  std::copy(pairs_.begin(), pairs_.end(), pairs.begin());
  const uint16_t* rare = rare_.data();
  for (size_t i = 0; i < count_; ++i) {
    const uint16_t pair = numbered[i] == kRare ? *rare++ : pairs[numbered[i]];
    symbols[i] = pair % kContextSymbols;
    contexts[i] = static_cast<uint8_t>(pair / kContextSymbols);
  }
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
