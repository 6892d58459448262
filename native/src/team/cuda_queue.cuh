// One queue of work on a CUDA device, behind the handles of device/table.h.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace firn {

struct CudaQueue {
  static constexpr uint32_t kMarks = 16;
  int index;
  uint32_t processors;
  size_t shared_bytes_max;  // of a block
  cudaStream_t stream;
  cudaEvent_t marks[kMarks];
};

// The number of the DeviceStatus (device/table.h) for an answer of the runtime. Clears the error that the runtime keeps
// for the thread: the next launch would be taken for it.
inline int32_t device_status(cudaError_t error) {
  if (error == cudaSuccess) return 0;
  cudaGetLastError();
  return error == cudaErrorMemoryAllocation ? 1 : 2;
}

}  // namespace firn
