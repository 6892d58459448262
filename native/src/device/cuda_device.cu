// The table of a CUDA device, and the one function that the library shows.
#include <cstdio>
#include <new>

#include "device/table.h"
#include "team/cuda_queue.cuh"

#define FIRN_KERNEL(name, Type) extern "C" int32_t firn_cuda_##name(void* queue, const firn::Type* kernel);
FIRN_EACH_KERNEL(FIRN_KERNEL)
#undef FIRN_KERNEL

namespace firn {
namespace {

constexpr int32_t kFailed = static_cast<int32_t>(DeviceStatus::failed);
static_assert(CudaQueue::kMarks == kDeviceMarks);
static_assert(static_cast<int32_t>(DeviceStatus::out_of_memory) == 1 && kFailed == 2);

CudaQueue& queue_of(void* handle) { return *static_cast<CudaQueue*>(handle); }

// The device of a queue is that of the calling thread: pools of threads use several.
int32_t enter(void* handle) { return device_status(cudaSetDevice(queue_of(handle).index)); }

int32_t count(int32_t* devices) {
  int found = 0;
  *devices = 0;
  if (cudaGetDeviceCount(&found) != cudaSuccess) return kFailed;
  *devices = found;
  return 0;
}

int32_t info(int32_t index, DeviceInfo* info) {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess || cudaSetDevice(index) != cudaSuccess) return kFailed;
  size_t free_bytes = 0, total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) return kFailed;
  *info = {};
  std::snprintf(info->name, sizeof info->name, "%.127s", properties.name);
  info->total_bytes = total_bytes;
  info->free_bytes = free_bytes;
  info->processors = static_cast<uint32_t>(properties.multiProcessorCount);
  return 0;
}

void close(void* handle) {
  if (!handle) return;
  CudaQueue& queue = queue_of(handle);
  cudaSetDevice(queue.index);
  for (cudaEvent_t& mark : queue.marks) {
    if (mark) cudaEventDestroy(mark);
  }
  if (queue.stream) cudaStreamDestroy(queue.stream);
  delete &queue;
}

int32_t open(int32_t index, void** handle) {
  *handle = nullptr;
  CudaQueue* const queue = new (std::nothrow) CudaQueue{};
  if (!queue) return static_cast<int32_t>(DeviceStatus::out_of_memory);
  queue->index = index;
  int processors = 0, shared_bytes = 0;
  int32_t status = device_status(cudaSetDevice(index));
  if (!status) status = device_status(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index));
  if (!status)
    status = device_status(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index));
  if (!status) status = device_status(cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking));
  for (cudaEvent_t& mark : queue->marks) {
    if (!status) status = device_status(cudaEventCreate(&mark));
  }
  if (status) return close(queue), status;
  queue->processors = static_cast<uint32_t>(processors);
  queue->shared_bytes_max = static_cast<size_t>(shared_bytes);
  *handle = queue;
  return 0;
}

int32_t allocate(void* handle, size_t bytes, void** address) {
  *address = nullptr;
  const int32_t status = enter(handle);
  return status ? status : device_status(cudaMalloc(address, bytes ? bytes : 1));
}

void release(void*, void* address) { cudaFree(address); }

int32_t allocate_pinned(void* handle, size_t bytes, void** address) {
  *address = nullptr;
  const int32_t status = enter(handle);
  return status ? status : device_status(cudaMallocHost(address, bytes ? bytes : 1));
}

void release_pinned(void*, void* address) { cudaFreeHost(address); }

template <cudaMemcpyKind kind>
int32_t move(void* handle, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return 0;
  const int32_t status = enter(handle);
  return status ? status : device_status(cudaMemcpyAsync(to, from, bytes, kind, queue_of(handle).stream));
}

int32_t clear(void* handle, void* address, size_t bytes) {
  if (bytes == 0) return 0;
  const int32_t status = enter(handle);
  return status ? status : device_status(cudaMemsetAsync(address, 0, bytes, queue_of(handle).stream));
}

int32_t wait(void* handle) { return device_status(cudaStreamSynchronize(queue_of(handle).stream)); }

int32_t mark(void* handle, uint32_t mark) {
  if (mark >= kDeviceMarks) return kFailed;
  return device_status(cudaEventRecord(queue_of(handle).marks[mark], queue_of(handle).stream));
}

int32_t wait_mark(void* handle, uint32_t mark) {
  if (mark >= kDeviceMarks) return kFailed;
  return device_status(cudaEventSynchronize(queue_of(handle).marks[mark]));
}

int32_t follow_mark(void* handle, void* marked, uint32_t mark) {
  if (mark >= kDeviceMarks) return kFailed;
  return device_status(cudaStreamWaitEvent(queue_of(handle).stream, queue_of(marked).marks[mark], 0));
}

int32_t milliseconds(void* handle, uint32_t from, uint32_t to, float* milliseconds) {
  if (from >= kDeviceMarks || to >= kDeviceMarks) return kFailed;
  const auto& marks = queue_of(handle).marks;
  return device_status(cudaEventElapsedTime(milliseconds, marks[from], marks[to]));
}

constexpr DeviceTable kTable = {
    .version = kDeviceTableVersion,
    .count = count,
    .info = info,
    .open = open,
    .close = close,
    .allocate = allocate,
    .release = release,
    .allocate_pinned = allocate_pinned,
    .release_pinned = release_pinned,
    .upload = move<cudaMemcpyHostToDevice>,
    .download = move<cudaMemcpyDeviceToHost>,
    .copy = move<cudaMemcpyDeviceToDevice>,
    .clear = clear,
    .wait = wait,
    .mark = mark,
    .wait_mark = wait_mark,
    .follow_mark = follow_mark,
    .milliseconds = milliseconds,
#define FIRN_KERNEL(name, Type)                                                                   \
  .name = [](void* queue, const Type* kernel) {                                                   \
    const int32_t status = enter(queue);                                                          \
    return status ? status : firn_cuda_##name(queue, kernel);                                     \
  },
    FIRN_EACH_KERNEL(FIRN_KERNEL)
#undef FIRN_KERNEL
};

}  // namespace
}  // namespace firn

extern "C" __attribute__((visibility("default"))) const firn::DeviceTable* firn_cuda_table(uint32_t version) {
  return version == firn::kDeviceTableVersion ? &firn::kTable : nullptr;
}
