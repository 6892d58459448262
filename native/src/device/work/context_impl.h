// The inside of a DeviceContext: its memory, its queues, and what it counts.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/work/device_memory.h"
#include "firn/device.h"

namespace firn {

// A queue with its own pinned pieces; one work at a time has it.
struct DeviceLane {
  std::unique_ptr<Device> device;
  std::unique_ptr<PinnedUpload> upload;  // goes before its device
};

struct DeviceContext::Impl {
  Impl(const DeviceTable& its_table, const DeviceChoice& its_choice, const DeviceInfo& its_info, void* memory_queue,
       uint64_t budget_bytes)
      : table(its_table),
        choice(its_choice),
        info(its_info),
        own_queue(memory_queue),
        memory(its_table, memory_queue, budget_bytes) {}

  // Null, and `status`, when no queue can be opened.
  std::unique_ptr<DeviceLane> take_lane(DeviceStatus* status);
  void give_lane(std::unique_ptr<DeviceLane> lane);

  // Before each call of the table: ok, or how it fails, as DeviceChoice wants it.
  DeviceStatus next_call();

  enum class End { done, declined, no_room, failed };
  void begin_work();
  // Bytes that crossed the bus.
  struct Moved {
    uint64_t up = 0, down = 0;
  };
  // Also counts it in the account that it was done for. `after_loss`: the device had failed before.
  void end_work(DeviceContext::Counts& account, End end, bool after_loss, const char* what, Moved bytes);
  bool lost() const;

  const DeviceTable& table;
  const DeviceChoice choice;
  const DeviceInfo info;
  void* const own_queue;  // closed after the memory
  DeviceMemory memory;
  std::atomic<uint64_t> symbol_bytes = 0;  // of symbols that stay

  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex;  // of all below
  std::vector<std::unique_ptr<DeviceLane>> idle;
  uint64_t calls = 0;  // of the table, counted with an emulated device
  uint64_t works = 0, declined = 0, failures = 0;
  Moved moved;
  uint32_t under_way = 0;
  Clock::time_point busy_since;
  Clock::duration busy{};
  bool is_lost = false;
  std::string last_failure;
};

}  // namespace firn
