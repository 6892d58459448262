#include "device/cpu_device.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace firn {
namespace {

constexpr int32_t kOk = static_cast<int32_t>(DeviceStatus::ok);
constexpr int32_t kOutOfMemory = static_cast<int32_t>(DeviceStatus::out_of_memory);
constexpr int32_t kFailed = static_cast<int32_t>(DeviceStatus::failed);

using Clock = std::chrono::steady_clock;

struct CpuQueue {
  Clock::time_point marks[kDeviceMarks];
};

int32_t allocate(void*, size_t bytes, void** address) {
  constexpr size_t kAlignment = 256;
  *address = std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment);
  return *address ? kOk : kOutOfMemory;
}

void release(void*, void* address) { std::free(address); }

int32_t copy(void*, void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return kOk;
}

int32_t mark_here(void* queue, uint32_t mark) {
  if (mark >= kDeviceMarks) return kFailed;
  static_cast<CpuQueue*>(queue)->marks[mark] = Clock::now();
  return kOk;
}

template <typename Kernel>
int32_t run(void*, const Kernel* kernel) {
  try {
    run_serial(*kernel);
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  }
  return kOk;
}

constexpr DeviceTable kTable = {
    .version = kDeviceTableVersion,
    .count =
        [](int32_t* devices) {
          *devices = 1;
          return kOk;
        },
    .info =
        [](int32_t index, DeviceInfo* info) {
          if (index != 0) return kFailed;
          *info = {};
          std::snprintf(info->name, sizeof info->name, "cpu");
          info->processors = 1;
          return kOk;
        },
    .open =
        [](int32_t index, void** queue) {
          if (index != 0) return kFailed;
          *queue = new (std::nothrow) CpuQueue();
          return *queue ? kOk : kOutOfMemory;
        },
    .close = [](void* queue) { delete static_cast<CpuQueue*>(queue); },
    .allocate = allocate,
    .release = release,
    .allocate_pinned = allocate,
    .release_pinned = release,
    .upload = copy,
    .download = copy,
    .copy = copy,
    .clear =
        [](void*, void* address, size_t bytes) {
          if (bytes > 0) std::memset(address, 0, bytes);
          return kOk;
        },
    .wait = [](void*) { return kOk; },
    .mark = mark_here,
    .wait_mark = [](void*, uint32_t mark) { return mark < kDeviceMarks ? kOk : kFailed; },
    .follow_mark = [](void*, void*, uint32_t mark) { return mark < kDeviceMarks ? kOk : kFailed; },
    .milliseconds =
        [](void* queue, uint32_t from, uint32_t to, float* milliseconds) {
          if (from >= kDeviceMarks || to >= kDeviceMarks) return kFailed;
          const auto& marks = static_cast<CpuQueue*>(queue)->marks;
          *milliseconds = std::chrono::duration<float, std::milli>(marks[to] - marks[from]).count();
          return kOk;
        },
#define FIRN_KERNEL(name, Type) .name = run<Type>,
    FIRN_EACH_KERNEL(FIRN_KERNEL)
#undef FIRN_KERNEL
};

}  // namespace

const DeviceTable& cpu_device_table() { return kTable; }

}  // namespace firn
