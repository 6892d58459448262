// What a device can do, as a plain table of functions: the CPU has one (cpu_device.h), and the CUDA library another,
// which is loaded when it is wanted (device.h).
#pragma once
#include <cstddef>
#include <cstdint>

#include "device/kernels.h"

namespace firn {

// Numbers are pinned: they cross from the library.
enum class DeviceStatus : int32_t {
  ok = 0,
  out_of_memory = 1,  // of the device, of pinned memory, or over the budget
  failed = 2,         // the device or its driver; nothing on it can be trusted any more
};

// Raised with every change of DeviceTable or of a kernel's arguments: a library of another version is not used.
inline constexpr uint32_t kDeviceTableVersion = 9;

// Marks of a queue: places in its work that can be waited for and timed.
inline constexpr uint32_t kDeviceMarks = 16;

struct DeviceInfo {
  char name[128];
  uint64_t total_bytes, free_bytes;
  uint32_t processors;
};

// Functions return a DeviceStatus. A queue runs what it is given in order; what is given returns at once, and failures
// may show later, at `wait`. One thread at a time uses a queue. Addresses of `allocate` are multiples of 256 and may be
// used in every queue of the same device.
struct DeviceTable {
  uint32_t version;
  int32_t (*count)(int32_t* devices);
  int32_t (*info)(int32_t index, DeviceInfo* info);
  int32_t (*open)(int32_t index, void** queue);
  void (*close)(void* queue);
  int32_t (*allocate)(void* queue, size_t bytes, void** address);
  void (*release)(void* queue, void* address);
  int32_t (*allocate_pinned)(void* queue, size_t bytes, void** address);
  void (*release_pinned)(void* queue, void* address);
  // From and to memory of the host, which must stay as it is until the queue has come this far.
  int32_t (*upload)(void* queue, void* to, const void* from, size_t bytes);
  int32_t (*download)(void* queue, void* to, const void* from, size_t bytes);
  int32_t (*copy)(void* queue, void* to, const void* from, size_t bytes);
  int32_t (*clear)(void* queue, void* address, size_t bytes);
  // Returns when all that was given is done.
  int32_t (*wait)(void* queue);
  // Puts mark `mark` (below kDeviceMarks) here, waits for it, lets another queue wait for it, and the time between two.
  int32_t (*mark)(void* queue, uint32_t mark);
  int32_t (*wait_mark)(void* queue, uint32_t mark);
  int32_t (*follow_mark)(void* queue, void* marked, uint32_t mark);
  int32_t (*milliseconds)(void* queue, uint32_t from, uint32_t to, float* milliseconds);
#define FIRN_KERNEL(name, Type) int32_t (*name)(void* queue, const Type* kernel);
  FIRN_EACH_KERNEL(FIRN_KERNEL)
#undef FIRN_KERNEL
};

// The only function of the CUDA library. Null when it has another version.
using DeviceTableOf = const DeviceTable*(uint32_t version);
inline constexpr char kDeviceTableName[] = "firn_cuda_table";

}  // namespace firn
