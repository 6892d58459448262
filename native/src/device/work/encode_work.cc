// Payloads of symbols on a device: the dense mode with 32 and 64 lanes, and blocks without changes.

#include "context/blocks/context_tables_impl.h"
#include "context/dense/dense_encode_tokens.h"
#include "context/dense/dense_sample_team.h"
#include "device/work/block_arguments.h"

namespace firn {

static_assert(kDenseSampled == kSampled);

class DeviceCoding {
 public:
  DeviceCoding(const HeldSymbols& symbols, const DeviceSlots& slots, const ContextTables& tables)
      : symbols_(symbols), slots_(slots), tables_(*tables.impl_) {}

  // False when the processor has to do it.
  static bool encode(const HeldSymbols& symbols, const DeviceSlots& slots, const ContextTables& tables,
                     std::vector<uint8_t>* payload) {
    return tables.impl_ && DeviceCoding(symbols, slots, tables).encode(payload);
  }

 private:
  bool encode(std::vector<uint8_t>* payload) {
    uint64_t covered = 0;
    for (size_t s = 0; s < slots_.count; ++s) {
      covered += slots_.counts[s];
      if (slots_.slots[s] >= tables_.set.slots) return false;
    }
    if (covered != symbols_.count || symbols_.count == 0) return false;
    if (symbols_.changes == 0) return append_zero_block(payload), true;
    if (takes_runs(symbols_.changes, symbols_.count) || tables_.set.shapes.empty() || !find_tables()) return false;
    DeviceWork work(symbols_.context(), "encode a block");
    std::vector<uint8_t> stream;
    uint32_t lanes = 0;
    if (!find_indexes(work, &lanes) || !encode_stream(work, lanes, &stream) || !work.done()) return false;
    append_dense_block(lanes, stream, symbols_.escapes.data(), symbols_.escapes.size(), payload);
    return true;
  }

  bool find_tables() {
    const TableSet& set = tables_.set;
    if (set.has_map()) own_tables_ = tables_in_slots(set, slots_.counts, slots_.slots, slots_.count);
    else own_tables_ = {0};
    return own_tables_.size() <= kDenseTeamTables;
  }

  // The table of each element, and with how many lanes the block is coded. False for blocks of other modes.
  bool find_indexes(DeviceWork& work, uint32_t* lanes) {
    const TableSet& set = tables_.set;
    // Rows of this block's segments only: a package has those of thousands of tensors.
    const uint32_t width = set.has_map() ? set.contexts : kContextsMax;
    std::vector<uint8_t> map, index_of(256);
    for (size_t s = 0; s < slots_.count; ++s) {
      if (set.has_map()) {
        const auto row = set.map.begin() + static_cast<ptrdiff_t>(size_t{slots_.slots[s]} * width);
        map.insert(map.end(), row, row + width);
      } else {
        map.insert(map.end(), width, 0);
      }
    }
    for (size_t k = 0; k < own_tables_.size(); ++k) index_of[own_tables_[k]] = static_cast<uint8_t>(k);
    const std::vector<ContextPiece> pieces = pieces_of(slots_);
    Packed in;
    const size_t at_map = in.add(map.data(), map.size()), at_index = in.add(index_of.data(), index_of.size()),
                 at_pieces = in.add(pieces.data(), pieces.size());
    in.go_up(work);
    Results out;
    const size_t at_missing = out.add<uint32_t>(1), at_counts = out.add<uint32_t>(DenseSampleKernel::kCells);
    out.make(work);
    d_indexes_ = work.room<uint8_t>(in_sixteens(symbols_.count));
    work.run(&DeviceTable::element_tables,
             ElementTablesKernel{symbols_.contexts(), in.at<ContextPiece>(at_pieces),
                                 static_cast<uint32_t>(pieces.size()), in.at<uint8_t>(at_map), in.at<uint8_t>(at_index),
                                 width, d_indexes_, out.there<uint32_t>(at_missing)});
    work.run(&DeviceTable::dense_sample,
             DenseSampleKernel{d_indexes_, symbols_.symbols(), static_cast<uint32_t>(symbols_.count),
                               out.there<uint32_t>(at_counts)});
    if (!out.come_back(work) || *out.here<uint32_t>(at_missing) > 0) return false;
    const auto* const counts = out.here<uint32_t>(at_counts);
    const CostBits bits = tables_.of_block
                              ? tables_.counted_bits
                              : dense_bits(tables_.codes(), own_tables_, {counts, counts + DenseSampleKernel::kCells});
    *lanes = lanes_for(bits);
    return *lanes >= 32;
  }

  bool encode_stream(DeviceWork& work, uint32_t lanes, std::vector<uint8_t>* stream) {
    std::vector<EncoderToken> tokens;
    for (const uint8_t table : own_tables_) {
      const auto from = tables_.codes().symbol_tokens().begin() + ptrdiff_t{table} * ptrdiff_t{kContextSymbols};
      tokens.insert(tokens.end(), from, from + kContextSymbols);
    }
    const std::vector<DenseTeamToken> team = dense_team_tokens(tokens);
    const size_t room_bytes = dense_team_room(symbols_.count);
    uint8_t* const room = work.room<uint8_t>(room_bytes);
    const DenseTeamToken* const d_tokens = work.put(team);
    if (!work.ok()) return false;
    const DenseTeamBlock block{d_indexes_,
                               symbols_.symbols(),
                               d_tokens,
                               room + room_bytes,
                               static_cast<uint32_t>(symbols_.count),
                               static_cast<uint32_t>(own_tables_.size()),
                               lanes};
    Packed in;
    const size_t at_block = in.add(&block, 1);
    in.go_up(work);
    Results out;
    const size_t at_result = out.add<DenseTeamResult>(1);
    out.make(work);
    work.run(&DeviceTable::dense_encode,
             DenseEncodeTeamKernel{in.at<DenseTeamBlock>(at_block), 1, out.there<DenseTeamResult>(at_result)});
    if (!out.come_back(work)) return false;
    const DenseTeamResult result = *out.here<DenseTeamResult>(at_result);
    if (result.status != DenseTeamStatus::ok || takes_raw(result.bytes, symbols_.count)) return false;
    if (result.bytes > room_bytes) return false;
    stream->resize(result.bytes);
    work.bring(stream->data(), room + room_bytes - result.bytes, result.bytes);
    return work.wait();
  }

  const HeldSymbols& symbols_;
  const DeviceSlots& slots_;
  const ContextTables::Impl& tables_;
  std::vector<uint8_t> own_tables_;  // that the block's elements can have, ascending
  uint8_t* d_indexes_ = nullptr;
};

bool device_encode(const DeviceSymbols& symbols, const DeviceSlots& slots, const ContextTables& tables,
                   std::vector<uint8_t>* payload) {
  return DeviceCoding::encode(static_cast<const HeldSymbols&>(symbols), slots, tables, payload);
}

}  // namespace firn
