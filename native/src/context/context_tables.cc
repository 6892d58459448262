#include <algorithm>
#include <new>
#include <optional>

#include "common/byte_reader.h"
#include "common/varint.h"
#include "context/block_check.h"
#include "context/block_modes.h"
#include "context/context_tables_impl.h"
#include "context/escape_field.h"

namespace firn {
namespace {

// The first byte of a payload.
struct ModeByte {
  static constexpr uint32_t kLanesShift = 2, kStateShift = 4, kEscapes = 1u << 6;

  BlockMode mode;
  uint32_t lane_code = 0;    // index into kLaneCounts
  uint32_t state_bytes = 1;  // of a single lane, 1..4; 1 in other modes and with more lanes
  bool escapes = false;

  uint8_t byte() const {
    return static_cast<uint8_t>(static_cast<uint32_t>(mode) | lane_code << kLanesShift | (state_bytes - 1) << kStateShift |
                                (escapes ? kEscapes : 0));
  }
  static ModeByte from(uint8_t byte) {
    return {static_cast<BlockMode>(byte & 3), (byte >> kLanesShift) & 3u, ((byte >> kStateShift) & 3u) + 1, (byte & kEscapes) != 0};
  }
  bool has_lanes() const { return mode == BlockMode::dense || mode == BlockMode::runs; }
  // The form that an encoder writes.
  bool valid() const {
    if (mode == BlockMode::zero) return byte() == 0;
    return (has_lanes() || lane_code == 0) && (state_bytes == 1 || (has_lanes() && lane_code == 0));
  }
};

// Below this share of changed elements the runs mode is faster than the dense mode; both take the same room.
constexpr uint32_t kRunsShare = 24;

// What the dense mode would take; nothing when a symbol has no code.
std::optional<CostBits> dense_bits(const SetCodes& codes, const ElementTables& elements, const uint8_t* symbols) {
  // Neighbours of one table and symbol would wait for each other's counter.
  constexpr size_t kParts = 4;
  const size_t tables = elements.tables().size(), count = elements.count();
  std::vector<uint32_t> counts(kParts * tables * kContextSymbols);
  const uint8_t* const indexes = elements.indexes();
  const auto counter = [&](size_t part, size_t i) -> uint32_t& {
    return counts[(part * tables + indexes[i]) * kContextSymbols + symbols[i]];
  };
  size_t i = 0;
  for (; i + kParts <= count; i += kParts) {
    for (size_t part = 0; part < kParts; ++part) ++counter(part, i + part);
  }
  for (; i < count; ++i) ++counter(0, i);
  CostBits bits = 0;
  for (size_t at = 0; at < tables * kContextSymbols; ++at) {
    uint64_t found = 0;
    for (size_t part = 0; part < kParts; ++part) found += counts[part * tables * kContextSymbols + at];
    if (found == 0) continue;
    const uint8_t table = elements.tables()[at / kContextSymbols];
    const uint32_t frequency = codes.tokens[size_t{table} * kTokensPerTable + kSymbolTokens + at % kContextSymbols].frequency;
    if (frequency == 0) return std::nullopt;
    bits += found * (whole_bits(kSlotBits) - cost_log2(frequency));
  }
  return bits;
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

// The stream of the better of the modes with lanes; without bytes when a symbol has no code or the raw mode is sure to be smaller.
LaneStream encode_with_lanes(const SetCodes& codes, const ElementTables& elements, const uint8_t* symbols, const uint64_t* changed,
                             size_t changes, BlockMode* mode) {
  *mode = changes * kRunsShare < elements.count() ? BlockMode::runs : BlockMode::dense;
  if (*mode == BlockMode::runs) return encode_runs(codes, elements, symbols, changed);
  const std::optional<CostBits> bits = dense_bits(codes, elements, symbols);
  if (!bits || *bits > whole_bits(5 * elements.count() + 8)) return {};
  return encode_dense(codes, elements, symbols, lanes_for(*bits, BlockMode::dense));
}

void append_block(ModeByte mode, const std::vector<uint8_t>& body, const std::vector<uint8_t>& escapes, std::vector<uint8_t>* out) {
  out->push_back(mode.byte());
  if (mode.escapes) append_varint(static_cast<uint32_t>(escapes.size()), out);
  out->insert(out->end(), body.begin(), body.end());
  out->insert(out->end(), escapes.begin(), escapes.end());
}

}  // namespace

uint32_t lanes_for(CostBits payload, BlockMode mode) {
  constexpr uint64_t kFourFrom = 800, kEightFrom = 1600, kManyFrom = 4800;  // bytes
  const uint64_t bytes = payload / whole_bits(8);
  if (bytes < kFourFrom) return 1;
  if (bytes < kEightFrom || mode == BlockMode::runs) return 4;
  return bytes < kManyFrom ? 8 : kLanesMax;
}

SetCodes::SetCodes(const std::vector<TableShape>& shapes) {
  for (const TableShape& shape : shapes) {
    tables.emplace_back(shape);
    costs.push_back(shape_costs(shape));
    append_table_tokens(tables.back(), &tokens);
  }
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
  return static_cast<double>(impl_->counted_bits) / static_cast<double>(whole_bits(1)) + 8 * static_cast<double>(impl_->stored.size());
}

Status ContextTables::encode(const ContextBlock& block, std::vector<uint8_t>* out) const try {
  if (!impl_) return Status::invalid_argument;
  if (const Status status = check_block(block, impl_->set.slots); status != Status::ok) return status;
  const ContextLayout& layout = block.layout;
  const auto changed = std::make_unique_for_overwrite<uint64_t[]>(words_for(layout.count) + 1);
  const size_t changes = mask_changed(block.symbols, layout.count, changed.get());
  ModeByte mode{BlockMode::zero};
  if (changes == 0) {
    append_block(mode, {}, {}, out);
    return Status::ok;
  }
  mode.escapes = block.escape_count > 0;
  const std::vector<uint8_t> escapes = write_escapes(block.escapes, block.escape_count);
  const ElementTables elements(impl_->set, layout);
  LaneStream stream;
  if (elements.complete()) stream = encode_with_lanes(impl_->codes(), elements, block.symbols, changed.get(), changes, &mode.mode);
  if (stream.bytes.empty() || stream.bytes.size() > (5 * layout.count + 7) / 8) {
    mode.mode = BlockMode::raw;
    stream = LaneStream();
    encode_raw(block.symbols, layout.count, &stream.bytes);
  } else {
    mode.lane_code = static_cast<uint32_t>(std::find(kLaneCounts.begin(), kLaneCounts.end(), stream.lanes) - kLaneCounts.begin());
    mode.state_bytes = stream.lanes == 1 ? stream.state_bytes : 1;
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
  if (*first >> 7 != 0) return Status::unsupported;
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
    if (const Status status = lanes.open(body, body_bytes, kLaneCounts[mode.lane_code], mode.state_bytes); status != Status::ok) return status;
    const Status status = (mode.mode == BlockMode::runs ? decode_runs : decode_dense)(impl_->codes(), elements, &lanes, symbols);
    if (status != Status::ok) return status;
  }
  const size_t announced = count_byte(symbols, layout.count, kContextEscape);
  if ((announced > 0) != mode.escapes) return Status::corrupt;
  return read_escapes(body + body_bytes, escape_bytes, announced, escapes);
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
