// The state that a block leaves behind, on a device.
#include "device/work/block_arguments.h"

namespace firn {

bool device_hold_state(const DeviceSymbols& symbols, const DeviceNextState& next) {
  const auto& own = static_cast<const HeldSymbols&>(symbols);
  size_t count = 0;
  if (!valid_segments(next.segments, &count) || count != own.count || count == 0 || next.name.empty()) return false;
  DeviceWork work(own.context(), "hold a state", DeviceWork::Need::keep);
  const StateThere before = state_at(work.find(next.state_name, state_bytes(count)), count);
  if (!before.values) return false;
  const std::vector<LatticeTeamSegment> team = team_segments(next.segments, 0);
  const LatticeTeamBlock whole = team_block(count, team.size(), own.escapes.size());
  Packed in;
  const size_t at_block = in.add(&whole, 1), at_segments = in.add(team.data(), team.size()),
               at_escapes = in.add(own.escapes.data(), own.escapes.size());
  in.go_up(work);
  const DevicePiecePtr piece = work.take(state_bytes(count));
  uint8_t* const d_failure = work.room<uint8_t>(1);
  if (!work.ok()) return false;
  auto* const d_values = static_cast<uint8_t*>(piece->address());
  // At a block's start, moves express the size of a weight, not its activity.
  work.run(&DeviceTable::lattice_rebuild,
           LatticeRebuildTeamKernel{in.at<LatticeTeamBlock>(at_block), 1, in.at<LatticeTeamSegment>(at_segments),
                                    own.symbols(), in.at<uint32_t>(at_escapes), before.values,
                                    next.starts ? nullptr : before.activity, reinterpret_cast<int32_t*>(d_values),
                                    d_values + in_sixteens(count * sizeof(int32_t)), nullptr, Dtype::f32, d_failure});
  uint8_t failure = 0;
  work.bring(&failure, d_failure, 1);
  if (!work.wait() || failure) return false;
  // Only now: symbols that make no state leave none.
  work.hold(next.name, piece, state_bytes(count));
  return work.wait() && work.done();
}

}  // namespace firn
