// The codes derived from one table: symbols, and for sparse blocks runs of zeros and the symbols that end them.
#pragma once
#include <cstdint>
#include <vector>

#include "context/lanes/static_code.h"
#include "context/tables/table_shape.h"

namespace firn {

// kContextSymbols tokens, those of the table with slots.
SlotFinder symbol_code(const TableShape& shape);

// Tokens of a run code: j < R for j zeros and then another symbol, R for R zeros, or for as many as the group still
// has.
inline constexpr uint32_t kRunLengthMax = kCodeTokensMax - 1;  // R

struct RunCodes {
  explicit RunCodes(const TableShape& shape);

  SlotFinder values;         // symbols other than 0; empty when there are none
  SlotFinder runs;           // empty when symbol 0 or all others have no code
  uint32_t longest_run = 0;  // R; 0 without run code

  // A table whose only symbol is 0 takes no bits; one without a 0 has no runs.
  bool only_zeros() const { return values.starts.empty(); }
  bool no_zeros() const { return !only_zeros() && runs.starts.empty(); }
};

// Places of the tokens of each code among the kRunTokensPerTable entries of a table.
inline constexpr uint32_t kValueTokensAt = 0;
inline constexpr uint32_t kRunTokensAt = kContextSymbols;
inline constexpr uint32_t kRunTokensPerTable = kRunTokensAt + kCodeTokensMax;

void append_run_tokens(const RunCodes& codes, std::vector<EncoderToken>* out);

}  // namespace firn
