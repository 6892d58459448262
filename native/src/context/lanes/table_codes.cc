#include "context/lanes/table_codes.h"

namespace firn {
namespace {

using Weights = std::array<uint32_t, kContextSymbols>;

std::vector<TokenWeight> symbol_weights(const Weights& weights) {
  std::vector<TokenWeight> tokens;
  for (const uint32_t weight : weights) tokens.push_back({weight, weight != 0});
  return tokens;
}

// Length limit of runs: fewer than one in sixteen is longer, so that few take two tokens.
constexpr uint64_t kRunTail = uint64_t{1} << 28;  // of 2^32

// A geometric distribution: q of 2^32 is the probability of another zero. Memoryless, so that cutting runs loses
// nothing.
std::vector<TokenWeight> run_weights(uint64_t q) {
  std::vector<TokenWeight> tokens;
  uint64_t left = uint64_t{1} << 32;
  while (tokens.size() < kRunLengthMax && (tokens.empty() || left > kRunTail)) {
    const uint64_t next = (left * q) >> 32;
    tokens.push_back({left - next, true});
    left = next;
  }
  tokens.push_back({left, true});
  return tokens;
}

}  // namespace

SlotFinder symbol_code(const TableShape& shape) {
  return SlotFinder(share_slots(symbol_weights(shape_weights(shape))));
}

RunCodes::RunCodes(const TableShape& shape) {
  const Weights weights = shape_weights(shape);
  uint64_t all = 0;
  for (const uint32_t weight : weights) all += weight;
  if (all == weights[0]) return;
  std::vector<TokenWeight> others = symbol_weights(weights);
  others[0] = {0, false};
  values = SlotFinder(share_slots(others));
  if (weights[0] == 0) return;
  runs = SlotFinder(share_slots(run_weights((uint64_t{weights[0]} << 32) / all)));
  longest_run = static_cast<uint32_t>(runs.starts.size()) - 2;
}

void append_run_tokens(const RunCodes& codes, std::vector<EncoderToken>* out) {
  const size_t begin = out->size();
  append_encoder_tokens(codes.values.starts, out);
  out->resize(begin + kRunTokensAt);
  append_encoder_tokens(codes.runs.starts, out);
  out->resize(begin + kRunTokensPerTable);
}

}  // namespace firn
