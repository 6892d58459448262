// A team of real threads on the CPU, for tests: under the thread sanitizer a missing barrier is a race.
#pragma once
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "team/team.h"

namespace firn {

class ThreadTeam {
 public:
  // Runs body(team) on `size` threads, each with its own rank, and returns when all have returned.
  template <typename Body>
  static void run(uint32_t size, Body body) {
    Meeting meeting(size);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < size; ++rank)
      threads.emplace_back([&meeting, &body, rank] { body(ThreadTeam(meeting, rank)); });
    for (std::thread& thread : threads) thread.join();
  }

  uint32_t rank() const { return rank_; }
  uint32_t size() const { return static_cast<uint32_t>(meeting_.values.size()); }
  void barrier() const { meeting_.barrier.arrive_and_wait(); }
  uint32_t exclusive_sum(uint32_t value, uint32_t* total) const {
    meeting_.values[rank_] = value;
    barrier();
    uint32_t before = 0, all = 0;
    for (uint32_t i = 0; i < size(); ++i) {
      if (i < rank_) before += meeting_.values[i];
      all += meeting_.values[i];
    }
    *total = all;
    barrier();
    return before;
  }
  bool any(bool value) const {
    uint32_t total;
    exclusive_sum(value, &total);
    return total > 0;
  }
  template <typename T>
  static void add(T* sum, T value) {
    std::atomic_ref(*sum).fetch_add(value, std::memory_order_relaxed);
  }
  template <typename T>
  static void add_all(T* sum, T value) {
    add(sum, value);
  }
  template <typename T>
  static void add_outside(T* sum, T value) {
    add(sum, value);
  }

 private:
  struct Meeting {
    explicit Meeting(uint32_t size) : barrier(size), values(size) {}
    std::barrier<> barrier;
    std::vector<uint32_t> values;
  };
  ThreadTeam(Meeting& meeting, uint32_t rank) : meeting_(meeting), rank_(rank) {}

  Meeting& meeting_;
  uint32_t rank_;
};

// Runs a kernel with teams of `members` threads, all teams one after another.
template <typename Kernel>
void run_threads(const Kernel& kernel, uint32_t members, uint32_t processors = 1) {
  const auto shared = std::make_unique_for_overwrite<SharedUnit[]>(Kernel::kSharedBytes / sizeof(SharedUnit) + 1);
  const uint32_t teams = kernel.teams(processors);
  ThreadTeam::run(members, [&](const ThreadTeam& team) {
    for (uint32_t i = 0; i < teams; ++i) {
      kernel(team, i, teams, shared[0].bytes);
      team.barrier();
    }
  });
}

}  // namespace firn
