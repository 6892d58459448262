// Runs a kernel (team/team.h) on a CUDA device. One .cu file a kernel says FIRN_LAUNCH(name, Type); device/kernels.h
// lists it.
#pragma once
#include <cuda_runtime.h>

#include "team/cuda_queue.cuh"
#include "team/cuda_team.cuh"

namespace firn {

template <typename Kernel>
__global__ void __launch_bounds__(Kernel::kMembers, Kernel::kResident)
    run_teams(const __grid_constant__ Kernel kernel) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ uint32_t sums[BlockTeam::kWarpsMax];
  kernel(BlockTeam(sums), blockIdx.x, gridDim.x, shared);
}

// Returns when the work is queued. 0, or the number of a DeviceStatus.
template <typename Kernel>
int32_t launch(void* handle, const Kernel* kernel) {
  static_assert(Kernel::kMembers % 32 == 0);
  const CudaQueue& queue = *static_cast<const CudaQueue*>(handle);
  const uint32_t teams = kernel->teams(queue.processors);
  if (teams == 0) return 0;
  // Smaller GPUs have less than the largest kernels take: the processor does the call, as one without memory.
  if (Kernel::kSharedBytes + BlockTeam::kWarpsMax * sizeof(uint32_t) > queue.shared_bytes_max) return 1;
  if (Kernel::kSharedBytes > 48 * 1024) {
    const int32_t failure = device_status(cudaFuncSetAttribute(
        run_teams<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(Kernel::kSharedBytes)));
    if (failure) return failure;
  }
  run_teams<Kernel><<<teams, Kernel::kMembers, Kernel::kSharedBytes, queue.stream>>>(*kernel);
  return device_status(cudaGetLastError());
}

}  // namespace firn

// Defines firn_cuda_<name>(queue, kernel).
#define FIRN_LAUNCH(name, Kernel) \
  extern "C" int32_t firn_cuda_##name(void* queue, const Kernel* kernel) { return ::firn::launch(queue, kernel); }
