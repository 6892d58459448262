// Kernels are written once, as code over a team: some number of members that run the same function and meet at
// barriers. On a device the team is a block of threads (team/cuda_team.cuh); on the CPU it is one member, or several
// real threads (team/thread_team.h), so that tests find a missing barrier without a device. Whatever the team, the
// bytes are the same.
//
// A team has:
//   rank()             this member's number, from 0
//   size()             how many members there are
//   barrier()          returns when all members have called it; what they wrote before is visible to all after it
//   exclusive_sum(v)   the sum of v over the members of lower rank; a barrier too. `total` receives the sum over all
//   any(v)             whether v is true of any member; a barrier too
//   add(p, v)          adds v to *p, which other members may add to at the same time
//   add_all(p, v)      adds the v of every member to *p, as add() does; all members call it, and it is no barrier
//   add_outside(p, v)  adds v to *p, which other teams may add to at the same time
// All members call barrier(), any(), exclusive_sum() and add_all() the same number of times, in the same order. Memory
// that they share is an argument of the kernel.
//
// A kernel is a plain struct of its arguments. Pointers are addresses on the device that runs it. It has:
//   kMembers           members of a team on a device, a multiple of 32
//   kSharedBytes       memory that a team shares
//   kResident          teams that a multiprocessor should hold at once; bounds the registers
//   teams(processors)  how many teams to run on a device with so many multiprocessors
//   operator()(team, team_index, teams, shared)
// The answer does not depend on the number of teams or members. run_serial() and run_threads() run it on the CPU,
// team/launch.cuh on a device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#ifdef __CUDACC__
#define FIRN_EACH __device__ __forceinline__
#define FIRN_UNROLL _Pragma("unroll")
#else
#define FIRN_EACH inline
#define FIRN_UNROLL
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
  static bool any(bool value) { return value; }
  template <typename T>
  static void add(T* sum, T value) {
    *sum += value;
  }
  template <typename T>
  static void add_all(T* sum, T value) {
    *sum += value;
  }
  template <typename T>
  static void add_outside(T* sum, T value) {
    *sum += value;
  }
};

// Calls body(i) for every i below `count`, each by one member: neighbours take neighbouring elements.
template <typename Team, typename Body>
FIRN_EACH void for_each_element(const Team& team, size_t count, Body body) {
  for (size_t i = team.rank(); i < count; i += team.size()) body(i);
}

#ifndef __CUDACC__
// Memory of a team on the CPU, with the alignment it has on a device.
struct alignas(16) SharedUnit {
  unsigned char bytes[16];
};

// Runs a kernel with teams of one, one after another, as many as on a device with `processors` multiprocessors.
template <typename Kernel>
void run_serial(const Kernel& kernel, uint32_t processors = 1) {
  const auto shared = std::make_unique_for_overwrite<SharedUnit[]>(Kernel::kSharedBytes / sizeof(SharedUnit) + 1);
  const uint32_t teams = kernel.teams(processors);
  for (uint32_t i = 0; i < teams; ++i) kernel(SerialTeam(), i, teams, shared[0].bytes);
}
#endif

}  // namespace firn
