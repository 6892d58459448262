// Memory of a device within a budget, for any number of threads. What is held under a name is let go, the longest
// unused first, when room is needed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/table.h"

namespace firn {

class DeviceMemory;

// A piece of it, given back with the object. Its user has waited for all work on it by then.
class DevicePiece {
 public:
  DevicePiece(DeviceMemory& memory, void* address, size_t bytes)
      : memory_(memory), address_(address), bytes_(bytes) {}
  ~DevicePiece();
  DevicePiece(const DevicePiece&) = delete;
  DevicePiece& operator=(const DevicePiece&) = delete;

  void* address() const { return address_; }
  size_t bytes() const { return bytes_; }

 private:
  DeviceMemory& memory_;
  void* address_;
  size_t bytes_;
};
using DevicePiecePtr = std::shared_ptr<DevicePiece>;

class DeviceMemory {
 public:
  // `queue` is used for nothing else.
  DeviceMemory(const DeviceTable& table, void* queue, uint64_t budget_bytes)
      : table_(table), queue_(queue), budget_bytes_(budget_bytes) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // At least `bytes` bytes with any content. out_of_memory when nothing more can be let go.
  DeviceStatus take(size_t bytes, DevicePiecePtr* piece);
  // What is held under a name, if it has `bytes` bytes; else null.
  DevicePiecePtr find(std::string_view name, size_t bytes);
  // Holds a piece of which `bytes` bytes are used. It replaces what was held under the name.
  void hold(std::string_view name, DevicePiecePtr piece, size_t bytes);
  void forget(std::string_view prefix);
  // As DeviceContext::rename().
  void rename(std::string_view from, std::string_view to);

  uint64_t used_bytes() const;
  uint64_t peak_bytes() const;  // the most that was used at once
  uint64_t budget_bytes() const { return budget_bytes_; }

 private:
  friend class DevicePiece;
  struct Held {
    std::string name;
    DevicePiecePtr piece;
    size_t bytes;
  };
  using HeldList = std::list<Held>;  // the longest unused first

  void take_off(std::string_view name, HeldList* gone);
  void give_back(void* address, size_t bytes);
  bool drop_spare(size_t besides);
  DevicePiecePtr let_go_oldest();

  const DeviceTable& table_;
  void* queue_;
  const uint64_t budget_bytes_;
  mutable std::mutex mutex_;
  uint64_t used_bytes_ = 0, peak_bytes_ = 0;    // allocated of the device
  std::map<size_t, std::vector<void*>> spare_;  // given back, by size: a device is slow at taking and giving
  HeldList held_;
  std::unordered_map<std::string_view, HeldList::iterator> by_name_;
};

}  // namespace firn
