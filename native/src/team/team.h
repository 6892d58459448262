// Kernels are written once, as code over a team: some number of members that run the same function and meet at barriers.
// On a device the team is a block of threads (team/cuda_team.cuh); on the CPU it is one member, or several real threads
// (team/thread_team.h), so that tests find a missing barrier without a device. Whatever the team, the bytes are the same.
//
// A team has:
//   rank()             this member's number, from 0
//   size()             how many members there are
//   barrier()          returns when all members have called it; what they wrote before is visible to all after it
//   exclusive_sum(v)   the sum of v over the members of lower rank; a barrier too. `total` receives the sum over all
//   add(p, v)          adds v to *p, which other members may add to at the same time
// All members call barrier() and exclusive_sum() the same number of times, in the same order. Memory that they share is an
// argument of the kernel.
#pragma once
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define FIRN_EACH __host__ __device__ __forceinline__
#else
#define FIRN_EACH inline
#endif

namespace firn {

// A team of one, on the CPU.
class SerialTeam {
 public:
  static constexpr uint32_t rank() { return 0; }
  static constexpr uint32_t size() { return 1; }
  static void barrier() {}
  static uint32_t exclusive_sum(uint32_t value, uint32_t* total) {
    *total = value;
    return 0;
  }
  template <typename T>
  static void add(T* sum, T value) {
    *sum += value;
  }
};

// Calls body(i) for every i below `count`, each by one member: neighbours take neighbouring elements.
template <typename Team, typename Body>
FIRN_EACH void for_each_element(const Team& team, size_t count, Body body) {
  for (size_t i = team.rank(); i < count; i += team.size()) body(i);
}

}  // namespace firn
