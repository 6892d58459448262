// What the kernels of the lattice get of one block: a state, and the block with its segments.
#pragma once
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "context/blocks/context_pieces.h"
#include "device/work/device_work.h"
#include "device/work/held_symbols.h"
#include "residual_quant/lattice/lattice_team.h"

namespace firn {

// Arrays that go up as one.
class Packed {
 public:
  // Returns where the array will be, from the start.
  template <typename T>
  size_t add(const T* values, size_t count) {
    const size_t at = in_sixteens(bytes_.size());
    bytes_.resize(at + count * sizeof(T));
    if (count > 0) std::memcpy(bytes_.data() + at, values, count * sizeof(T));
    return at;
  }
  void go_up(DeviceWork& work) { address_ = static_cast<uint8_t*>(work.put(bytes_)); }
  template <typename T>
  T* at(size_t place) const {
    return address_ ? reinterpret_cast<T*>(address_ + place) : nullptr;
  }

 private:
  std::vector<uint8_t> bytes_;
  uint8_t* address_ = nullptr;
};

// Outputs of several kernels that come back as one.
class Results {
 public:
  template <typename T>
  size_t add(size_t count) {
    const size_t at = in_sixteens(bytes_.size());
    bytes_.resize(at + count * sizeof(T));
    return at;
  }
  // Cleared, for sums.
  void make(DeviceWork& work) {
    address_ = work.room<uint8_t>(bytes_.size());
    work.clear(address_, bytes_.size());
  }
  bool come_back(DeviceWork& work) {
    work.bring(bytes_.data(), address_, bytes_.size());
    return work.wait();
  }
  template <typename T>
  T* there(size_t place) const {
    return address_ ? reinterpret_cast<T*>(address_ + place) : nullptr;
  }
  template <typename T>
  const T* here(size_t place) const {
    return reinterpret_cast<const T*>(bytes_.data() + place);
  }

 private:
  std::vector<uint8_t> bytes_;
  uint8_t* address_ = nullptr;
};

// Names of the parts of what a block's weights are called; empty if it is not called anything.
inline std::string part_name(std::string_view name, const char* part) {
  return name.empty() ? std::string() : std::string(name) + part;
}
inline std::string weights_name(std::string_view name) { return part_name(name, "/w"); }
inline std::string gradients_name(std::string_view name) { return part_name(name, "/g"); }

struct StateThere {
  const int32_t* values = nullptr;
  const uint8_t* activity = nullptr;
};
constexpr size_t state_bytes(size_t count) { return in_sixteens(count * sizeof(int32_t)) + count; }
inline StateThere state_at(const void* address, size_t count) {
  const auto* const bytes = static_cast<const uint8_t*>(address);
  if (!bytes) return {};
  return {reinterpret_cast<const int32_t*>(bytes), bytes + in_sixteens(count * sizeof(int32_t))};
}

// Whether the host has brought a block's state, or what it starts from.
inline bool has_state(const ResidualChain& chain) {
  return chain.count > 0 || chain.previous.values || chain.origins;
}
// The state at the end of a block's chain, held under its name. Without values when the host cannot make it or has not
// brought what it takes, or after a failure.
StateThere state_of(DeviceWork& work, const DeviceBlock& block, size_t count);

std::vector<LatticeTeamSegment> team_segments(LatticeSegments segments, uint32_t dead_zone);

inline LatticeTeamBlock team_block(size_t count, size_t segments, size_t escapes) {
  return {0, static_cast<uint32_t>(count), 0, static_cast<uint32_t>(segments), 0, static_cast<uint32_t>(escapes)};
}

// The elements of a block in pieces, none of which is of two segments.
std::vector<ContextPiece> pieces_of(const DeviceSlots& slots);

}  // namespace firn
