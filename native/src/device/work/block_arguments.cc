#include "device/work/block_arguments.h"

#include <algorithm>

#include "residual_quant/lattice/origins_team.h"

namespace firn {

namespace {

// What a base starts from, made on the device: one value a segment goes up. Empty after a failure.
StateThere state_at_origins(DeviceWork& work, const DeviceBlock& block, size_t count) {
  std::vector<LatticeOrigin> origins;
  uint32_t first = 0;
  for (size_t s = 0; s < block.segments.count; ++s) {
    origins.push_back({first, block.segments.data[s].count, block.chain.origins[s]});
    first += block.segments.data[s].count;
  }
  const LatticeOrigin* const d_origins = work.put(origins);
  const DevicePiecePtr piece = work.take(state_bytes(count));
  if (!piece) return {};
  auto* const values = static_cast<int32_t*>(piece->address());
  auto* const activity = static_cast<uint8_t*>(piece->address()) + in_sixteens(count * sizeof(int32_t));
  work.run(&DeviceTable::lattice_origins,
           LatticeOriginsTeamKernel{d_origins, static_cast<uint32_t>(origins.size()), static_cast<uint32_t>(count),
                                    values, activity});
  if (!block.state_name.empty()) work.hold(block.state_name, piece, state_bytes(count));
  return work.ok() ? state_at(piece->address(), count) : StateThere{};
}

}  // namespace

StateThere state_of(DeviceWork& work, const DeviceBlock& block, size_t count) {
  const size_t bytes = state_bytes(count);
  if (const void* const there = work.find(block.state_name, bytes)) return state_at(there, count);
  if (!work.ok() || !has_state(block.chain)) return {};
  const ResidualChain& chain = block.chain;
  if (chain.count == 0 && !chain.previous.values) return state_at_origins(work, block, count);
  std::vector<uint8_t> made(bytes);
  auto* const values = reinterpret_cast<int32_t*>(made.data());
  uint8_t* const activity = made.data() + in_sixteens(count * sizeof(int32_t));
  if (chain.count > 0) {
    for (size_t i = 0; i < chain.count; ++i) {
      size_t of_link = 0;
      if (!valid_segments(chain.links[i].segments, &of_link) || of_link != count) return {};
    }
    if (residual_state(chain, values, activity) != Status::ok) return {};
  } else {
    std::copy_n(chain.previous.values, count, values);
    std::copy_n(chain.previous.activity, count, activity);
  }
  return state_at(work.put_held(block.state_name, made.data(), bytes), count);
}

std::vector<LatticeTeamSegment> team_segments(LatticeSegments segments, uint32_t dead_zone) {
  std::vector<LatticeTeamSegment> all;
  all.reserve(segments.count);
  uint32_t first = 0;
  for (size_t s = 0; s < segments.count; ++s) {
    const LatticeSegment& segment = segments.data[s];
    all.push_back({lattice_rule(segment, dead_zone), first, segment.count});
    first += segment.count;
  }
  return all;
}

std::vector<ContextPiece> pieces_of(const DeviceSlots& slots) {
  std::vector<ContextPiece> pieces;
  uint64_t first = 0;
  for (uint32_t s = 0; s < slots.count; ++s) {
    for (uint32_t left = slots.counts[s]; left > 0;) {
      const uint32_t part = std::min(left, kContextPieceMax);
      pieces.push_back({first, part, s});
      first += part, left -= part;
    }
  }
  return pieces;
}

}  // namespace firn
