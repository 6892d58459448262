// One queue of work on a CUDA device, behind the handles of device/table.h.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

namespace firn {

struct CudaQueue {
  static constexpr uint32_t kMarks = 16;
  int index;
  uint32_t processors;
  cudaStream_t stream;
  cudaEvent_t marks[kMarks];
};

// The number of the DeviceStatus (device/table.h) for an answer of the runtime.
inline int32_t device_status(cudaError_t error) {
  return error == cudaSuccess ? 0 : error == cudaErrorMemoryAllocation ? 1 : 2;
}

}  // namespace firn
