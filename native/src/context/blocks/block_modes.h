// The ways to store a block, each in a file of its own; context_tables.cc picks one. docs/format-blocks.md, section 13.
#pragma once
#include <cstdint>
#include <mutex>
#include <vector>

#include "context/blocks/element_tables.h"
#include "context/lanes/lane_decoder.h"
#include "context/lanes/lane_encoder.h"
#include "context/lanes/table_codes.h"

namespace firn {

enum class BlockMode : uint8_t {
  zero = 0,   // every symbol is 0
  dense = 1,  // every symbol, in element order
  runs = 2,   // table by table, runs of zeros and what ends them
  raw = 3,    // five bits a symbol, without tables
};

// Codes derived from a table set for a block. All except the symbols' codes are made on first use; safe for use by many
// threads at once.
class SetCodes {
 public:
  explicit SetCodes(const std::vector<TableShape>& shapes) : shapes_(shapes) {
    for (const TableShape& shape : shapes) symbols_.push_back(symbol_code(shape));
  }

  // By table.
  const std::vector<SlotFinder>& symbols() const { return symbols_; }
  const std::vector<RunCodes>& runs() const;
  // For encoders: kContextSymbols and kRunTokensPerTable a table.
  const std::vector<EncoderToken>& symbol_tokens() const;
  const std::vector<EncoderToken>& run_tokens() const;

 private:
  std::vector<TableShape> shapes_;
  std::vector<SlotFinder> symbols_;
  mutable std::once_flag runs_made_, symbol_tokens_made_, run_tokens_made_;
  mutable std::vector<RunCodes> runs_;
  mutable std::vector<EncoderToken> symbol_tokens_, run_tokens_;
};

// The stream with `lanes` lanes, or with one if there are too few words; without bytes if a symbol has no code.
LaneStream encode_dense(const SetCodes& codes, const ElementTables& elements, const uint8_t* symbols, uint32_t lanes);
// The same with the number of lanes that pays. `changed` has a bit for each element whose symbol is not 0.
LaneStream encode_runs(const SetCodes& codes, const ElementTables& elements, const uint8_t* symbols,
                       const uint64_t* changed);

// Each fills elements.count() symbols from an opened stream, up to its end.
Status decode_dense(const SetCodes& codes, const ElementTables& elements, LaneDecoder* lanes, uint8_t* symbols);
Status decode_runs(const SetCodes& codes, const ElementTables& elements, LaneDecoder* lanes, uint8_t* symbols);

// Five bits a symbol, most significant bit first, zero-padded to a byte.
void encode_raw(const uint8_t* symbols, size_t count, std::vector<uint8_t>* out);
Status decode_raw(const uint8_t* bytes, size_t size, size_t count, uint8_t* symbols);

// How many lanes pay for so large a payload: one costs one to two bytes, all of them about 1 % at most.
uint32_t lanes_for(CostBits payload);

// Whether the runs mode is taken for a block with so many symbols other than 0, and not the dense one.
bool takes_runs(size_t changes, size_t count);

// Every kSampledth element tells what the dense mode costs.
inline constexpr size_t kSampled = 8;
// That cost, from `counts` of the sampled elements, kContextSymbols a table of `tables`. Symbols without a code are
// left out.
CostBits dense_bits(const SetCodes& codes, const std::vector<uint8_t>& tables, const std::vector<uint32_t>& counts);

// Whether raw symbols are taken instead of a stream of so many bytes.
inline bool takes_raw(size_t stream_bytes, size_t count) { return stream_bytes > (5 * count + 7) / 8; }

// Appends the payload of a block without changes.
void append_zero_block(std::vector<uint8_t>* out);
// Appends the payload of a block whose stream in the dense mode has so many lanes, more than one.
void append_dense_block(uint32_t lanes, const std::vector<uint8_t>& stream, const uint32_t* escapes,
                        size_t escape_count, std::vector<uint8_t>* out);

// Encodes tokens with this many lanes (one of kLaneCounts), or with one when that fails.
template <typename TokenAt>
LaneStream encode_tokens(size_t count, uint32_t lanes, TokenAt token) {
  LaneStream stream;
  const bool done = lanes == 4    ? encode_lanes<4>(count, token, kNoRounds, &stream)
                    : lanes == 8  ? encode_lanes<8>(count, token, kNoRounds, &stream)
                    : lanes == 32 ? encode_lanes<32>(count, token, kNoRounds, &stream)
                    : lanes == 64 ? encode_lanes<64>(count, token, kNoRounds, &stream)
                                  : encode_lanes<1>(count, token, kNoRounds, &stream);
  if (done) return stream;
  stream = LaneStream();
  encode_lanes<1>(count, token, kNoRounds, &stream);
  return stream;
}

}  // namespace firn
