// A block of threads on a device as a team (team/team.h).
#pragma once

#include "team/team.h"

namespace firn {

class BlockTeam {
 public:
  static constexpr uint32_t kWarpsMax = 32;

  // `sums` is shared memory with one word a warp.
  __device__ explicit BlockTeam(uint32_t* sums) : sums_(sums) {}

  __device__ uint32_t rank() const { return threadIdx.x; }
  __device__ uint32_t size() const { return blockDim.x; }
  __device__ void barrier() const { __syncthreads(); }
  __device__ uint32_t exclusive_sum(uint32_t value, uint32_t* total) const {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    uint32_t up_to = value;
    for (uint32_t step = 1; step < 32; step *= 2) {
      const uint32_t before = __shfl_up_sync(kAll, up_to, step);
      if (lane >= step) up_to += before;
    }
    if (lane == 31) sums_[warp] = up_to;
    __syncthreads();
    const uint32_t of_warp = lane < warps ? sums_[lane] : 0;
    *total = __reduce_add_sync(kAll, of_warp);
    const uint32_t before = __reduce_add_sync(kAll, lane < warp ? of_warp : 0);
    __syncthreads();
    return before + up_to - value;
  }
  __device__ bool any(bool value) const { return __syncthreads_or(value); }
  template <typename T>
  __device__ static void add(T* sum, T value) {
    if constexpr (sizeof(T) == 8)  // whole numbers only: sums of binary64 have an order
      atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
    else atomicAdd(sum, value);
  }
  template <typename T>
  __device__ static void add_all(T* sum, T value) {
    for (uint32_t step = 16; step > 0; step /= 2) value += __shfl_xor_sync(kAll, value, step);
    if (threadIdx.x % 32 == 0 && value != 0) add(sum, value);
  }
  template <typename T>
  __device__ static void add_outside(T* sum, T value) {
    add(sum, value);
  }

 private:
  static constexpr uint32_t kAll = 0xFFFFFFFFu;
  uint32_t* sums_;
};

}  // namespace firn
