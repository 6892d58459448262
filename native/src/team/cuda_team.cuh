// A block of threads on a device as a team (team/team.h).
#pragma once

#include "team/team.h"

namespace firn {

class BlockTeam {
 public:
  // `sums` is shared memory with one word a warp and one more.
  __device__ explicit BlockTeam(uint32_t* sums) : sums_(sums) {}

  __device__ uint32_t rank() const { return threadIdx.x; }
  __device__ uint32_t size() const { return blockDim.x; }
  __device__ void barrier() const { __syncthreads(); }
  __device__ uint32_t exclusive_sum(uint32_t value, uint32_t* total) const {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
    uint32_t up_to = value;
    for (uint32_t step = 1; step < 32; step *= 2) {
      const uint32_t before = __shfl_up_sync(0xFFFFFFFFu, up_to, step);
      if (lane >= step) up_to += before;
    }
    if (lane == 31) sums_[warp] = up_to;
    __syncthreads();
    if (threadIdx.x == 0) {
      uint32_t sum = 0;
      for (uint32_t w = 0; w < warps; ++w) {
        const uint32_t own = sums_[w];
        sums_[w] = sum;
        sum += own;
      }
      sums_[warps] = sum;
    }
    __syncthreads();
    const uint32_t before = sums_[warp] + up_to - value;
    *total = sums_[warps];
    __syncthreads();
    return before;
  }
  template <typename T>
  __device__ static void add(T* sum, T value) {
    atomicAdd(sum, value);
  }

 private:
  uint32_t* sums_;
};

}  // namespace firn
