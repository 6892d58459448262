#include <algorithm>
#include <new>

#include "common/byte_reader.h"
#include "common/scratch.h"
#include "common/varint.h"
#include "context/blocks/block_check.h"
#include "context/blocks/block_modes.h"
#include "context/blocks/context_tables_impl.h"
#include "context/blocks/escape_field.h"

namespace firn {
namespace {

// The first byte of a payload: mode, lanes in one of eight forms, and whether escape values follow.
struct ModeByte {
  static constexpr uint32_t kFormShift = 2, kFormBits = 3, kUnusedFrom = 6;
  static constexpr uint8_t kEscapes = 1u << 5;
  // Forms 0..3 are one lane whose state has that many bytes and one more; the others are the further lane counts.
  static constexpr uint32_t kSingleForms = 4;

  BlockMode mode = BlockMode::zero;
  uint32_t lanes = 1;
  uint32_t state_bytes = 1;  // of a single lane
  bool escapes = false;

  uint8_t byte() const {
    const auto count = std::find(kLaneCounts.begin(), kLaneCounts.end(), lanes);
    const auto form =
        static_cast<uint32_t>(lanes == 1 ? state_bytes - 1 : count - kLaneCounts.begin() - 1 + kSingleForms);
    return static_cast<uint8_t>(static_cast<uint32_t>(mode) | form << kFormShift | (escapes ? kEscapes : 0));
  }
  static ModeByte from(uint8_t byte) {
    const uint32_t form = byte >> kFormShift & ((1u << kFormBits) - 1);
    const bool single = form < kSingleForms;
    return {static_cast<BlockMode>(byte & 3), single ? 1 : kLaneCounts[form - kSingleForms + 1], single ? form + 1 : 1,
            (byte & kEscapes) != 0};
  }
  // The form that an encoder writes.
  bool valid() const {
    if (mode == BlockMode::zero) return byte() == 0;
    return mode != BlockMode::raw || (lanes == 1 && state_bytes == 1);
  }
};

// Below this share of changed elements the runs mode is faster than the dense mode; both take the same room.
constexpr uint32_t kRunsShare = 24;

// Counts for dense_bits().
std::vector<uint32_t> sampled_counts(const ElementTables& elements, const uint8_t* symbols) {
  std::vector<uint32_t> counts(elements.tables().size() * kContextSymbols);
  for (size_t i = 0; i < elements.count(); i += kSampled)
    ++counts[elements.indexes()[i] * kContextSymbols + symbols[i]];
  return counts;
}

// Bit b of word w is set when symbol 64 w + b is not 0. Returns how many are.
size_t mask_changed(const uint8_t* symbols, size_t count, uint64_t* masks) {
  const size_t whole = count / kWordElements;
  size_t still = element_kernels().mask_equal(symbols, whole, 0, masks);
  for (size_t w = 0; w < whole; ++w) masks[w] = ~masks[w];
  if (count % kWordElements != 0) masks[whole] = 0;
  for (size_t i = whole * kWordElements; i < count; ++i) {
    masks[whole] |= uint64_t{symbols[i] != 0} << (i % kWordElements);
    still += symbols[i] == 0;
  }
  return count - still;
}

// The stream of the better of the modes with lanes; without bytes when a symbol has no code.
template <typename Tables>
LaneStream encode_with_lanes(const Tables& tables, const ElementTables& elements, const uint8_t* symbols,
                             const uint64_t* changed, size_t changes, BlockMode* mode) {
  const SetCodes& codes = tables.codes();
  *mode = takes_runs(changes, elements.count()) ? BlockMode::runs : BlockMode::dense;
  if (*mode == BlockMode::runs) return encode_runs(codes, elements, symbols, changed);
  const CostBits bits = tables.of_block
                            ? tables.counted_bits
                            : dense_bits(codes, elements.tables(), sampled_counts(elements, symbols));
  return encode_dense(codes, elements, symbols, lanes_for(bits));
}

void append_block(ModeByte mode, const std::vector<uint8_t>& body, const std::vector<uint8_t>& escapes,
                  std::vector<uint8_t>* out) {
  out->push_back(mode.byte());
  if (mode.escapes) append_varint(static_cast<uint32_t>(escapes.size()), out);
  out->insert(out->end(), body.begin(), body.end());
  out->insert(out->end(), escapes.begin(), escapes.end());
}

}  // namespace

bool takes_runs(size_t changes, size_t count) { return changes * kRunsShare < count; }

CostBits dense_bits(const SetCodes& codes, const std::vector<uint8_t>& tables, const std::vector<uint32_t>& counts) {
  const std::vector<EncoderToken>& tokens = codes.symbol_tokens();
  CostBits bits = 0;
  for (size_t at = 0; at < tables.size() * kContextSymbols; ++at) {
    const uint8_t table = tables[at / kContextSymbols];
    const EncoderToken& token = tokens[size_t{table} * kContextSymbols + at % kContextSymbols];
    if (token.coded()) bits += counts[at] * (whole_bits(kSlotBits) - cost_log2(token.frequency()));
  }
  return kSampled * bits;
}

void append_zero_block(std::vector<uint8_t>* out) { append_block({}, {}, {}, out); }

void append_dense_block(uint32_t lanes, const std::vector<uint8_t>& stream, const uint32_t* escapes,
                        size_t escape_count, std::vector<uint8_t>* out) {
  const ModeByte mode{BlockMode::dense, lanes, 1, escape_count > 0};
  append_block(mode, stream, write_escapes(escapes, escape_count), out);
}

uint32_t lanes_for(CostBits payload) {
  constexpr uint64_t kFourFrom = 800, kEightFrom = 2400, kManyFrom = 4800, kMostFrom = 9600;  // bytes
  const uint64_t bytes = payload / whole_bits(8);
  if (bytes < kFourFrom) return 1;
  if (bytes < kEightFrom) return 4;
  return bytes < kManyFrom ? 8 : bytes < kMostFrom ? 32 : kLanesMax;
}

const std::vector<RunCodes>& SetCodes::runs() const {
  std::call_once(runs_made_, [this] {
    for (const TableShape& shape : shapes_) runs_.emplace_back(shape);
  });
  return runs_;
}

const std::vector<EncoderToken>& SetCodes::symbol_tokens() const {
  std::call_once(symbol_tokens_made_, [this] {
    for (const SlotFinder& code : symbols_) append_encoder_tokens(code.starts, &symbol_tokens_);
  });
  return symbol_tokens_;
}

const std::vector<EncoderToken>& SetCodes::run_tokens() const {
  std::call_once(run_tokens_made_, [this] {
    for (const RunCodes& codes : runs()) append_run_tokens(codes, &run_tokens_);
  });
  return run_tokens_;
}

ContextTables::ContextTables() : impl_(std::make_unique<Impl>()) {}
ContextTables::~ContextTables() = default;
ContextTables::ContextTables(ContextTables&&) noexcept = default;
ContextTables& ContextTables::operator=(ContextTables&&) noexcept = default;

std::vector<uint8_t> ContextTables::serialize() const { return impl_ ? impl_->stored : std::vector<uint8_t>(); }

Status ContextTables::parse(const uint8_t* bytes, size_t size, uint32_t slots, ContextTables* out) try {
  if (slots > kContextSlotsMax) return Status::invalid_argument;
  ContextTables tables;
  if (const Status status = read_table_set(bytes, size, slots, &tables.impl_->set); status != Status::ok) return status;
  tables.impl_->stored.assign(bytes, bytes + size);
  *out = std::move(tables);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

double ContextTables::total_bits() const {
  if (!impl_) return 0;
  return static_cast<double>(impl_->counted_bits) / static_cast<double>(whole_bits(1)) +
         8 * static_cast<double>(impl_->stored.size());
}

Status ContextTables::encode(const ContextBlock& block, std::vector<uint8_t>* out) const try {
  if (!impl_) return Status::invalid_argument;
  if (const Status status = check_block(block, impl_->set.slots); status != Status::ok) return status;
  const ContextLayout& layout = block.layout;
  const Scratch masks = take_scratch((words_for(layout.count) + 1) * sizeof(uint64_t));
  auto* const changed = reinterpret_cast<uint64_t*>(masks.get());
  const size_t changes = mask_changed(block.symbols, layout.count, changed);
  if (changes == 0) {
    append_zero_block(out);
    return Status::ok;
  }
  ModeByte mode;
  mode.escapes = block.escape_count > 0;
  const std::vector<uint8_t> escapes = write_escapes(block.escapes, block.escape_count);
  const ElementTables elements(impl_->set, layout);
  LaneStream stream;
  if (elements.complete()) stream = encode_with_lanes(*impl_, elements, block.symbols, changed, changes, &mode.mode);
  if (stream.bytes.empty() || takes_raw(stream.bytes.size(), layout.count)) {
    mode.mode = BlockMode::raw;
    stream = LaneStream();
    encode_raw(block.symbols, layout.count, &stream.bytes);
  } else {
    mode.lanes = stream.lanes;
    mode.state_bytes = stream.state_bytes;
  }
  append_block(mode, stream.bytes, escapes, out);
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status ContextTables::decode(const uint8_t* bytes, size_t size, const ContextLayout& layout, uint8_t* symbols,
                             std::vector<uint32_t>* escapes) const try {
  if (!impl_) return Status::invalid_argument;
  if (const Status status = check_layout(layout, impl_->set.slots); status != Status::ok) return status;
  escapes->clear();
  ByteReader in(bytes, size);
  const uint8_t* const first = in.take(1);
  if (!first) return Status::truncated;
  if (*first >> ModeByte::kUnusedFrom != 0) return Status::unsupported;
  const ModeByte mode = ModeByte::from(*first);
  if (!mode.valid()) return Status::corrupt;
  if (mode.mode == BlockMode::zero) {
    std::fill_n(symbols, layout.count, uint8_t{0});
    return in.left() == 0 ? Status::ok : Status::corrupt;
  }
  uint32_t escape_bytes = 0;
  if (mode.escapes) {
    if (const Status status = in.varint(&escape_bytes); status != Status::ok) return status;
  }
  if (escape_bytes > in.left()) return Status::truncated;
  const size_t body_bytes = in.left() - escape_bytes;
  const uint8_t* const body = in.take(body_bytes);
  if (mode.mode == BlockMode::raw) {
    if (const Status status = decode_raw(body, body_bytes, layout.count, symbols); status != Status::ok) return status;
  } else {
    const ElementTables elements(impl_->set, layout);
    if (!elements.complete()) return Status::corrupt;
    LaneDecoder lanes;
    if (const Status status = lanes.open(body, body_bytes, mode.lanes, mode.state_bytes); status != Status::ok)
      return status;
    const Status status =
        (mode.mode == BlockMode::runs ? decode_runs : decode_dense)(impl_->codes(), elements, &lanes, symbols);
    if (status != Status::ok) return status;
  }
  const size_t announced = element_kernels().count_equal(symbols, layout.count, kContextEscape);
  if ((announced > 0) != mode.escapes) return Status::corrupt;
  return read_escapes(body + body_bytes, escape_bytes, announced, escapes);
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
