// A bounded pool of threads for short pure jobs. No Node in it.
//
// Tasks start in order of submission, except that tasks of one lane never run at the same time: they follow each other
// in order, so a lane stands for something with one writer at a time (a sketch, a set of token counts).
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace firn::binding {

// Identifies the object that a task writes to; null if it shares nothing.
using Lane = const void*;

class Task {
 public:
  virtual ~Task() = default;
  // On a pool thread, once. Must not throw.
  virtual void run() noexcept = 0;
  virtual Lane lane() const noexcept { return nullptr; }

 private:
  friend class WorkerPool;
  uint64_t id_ = 0;
};

class WorkerPool {
 public:
  static constexpr size_t kFinishedMax = 4;
  using TaskPtr = std::unique_ptr<Task>;
  // Lists, because moving a task from one to the next allocates nothing and so cannot fail.
  using Tasks = std::list<TaskPtr>;

  // `queue_max` limits tasks that wait, not those that run. `on_finished` is called on a pool thread once kFinishedMax
  // tasks have finished since the last take_finished(), or fewer when no other is ready to start: waking somebody for
  // each short task would take longer than the task. It must not throw. Throws std::system_error when no thread can be
  // started.
  WorkerPool(size_t threads, size_t queue_max, std::function<void()> on_finished);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Returns the task's number (>= 1), or 0 when the queue is full or the pool has stopped; `task` is then left
  // untouched. Throws std::bad_alloc, with the same promise.
  uint64_t submit(TaskPtr& task);
  // Takes a waiting task back, or returns null when it has started, has finished or was never here.
  TaskPtr take_waiting(uint64_t id);
  // The tasks finished since the last call, in order of finishing.
  Tasks take_finished();
  // Waits for the running tasks and ends the threads. Returns the tasks nobody took: finished and never started ones.
  // Later calls return nothing.
  Tasks stop();

  struct Load {
    size_t queued;
    size_t running;
  };
  Load load() const;
  size_t threads() const { return threads_.size(); }

 private:
  void work();
  void leave_lane(Lane lane);

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  const size_t queue_max_;
  const std::function<void()> on_finished_;
  Tasks ready_;
  // A key is present while a task of that lane is ready or running; the list holds those behind it.
  std::unordered_map<Lane, Tasks> lanes_;
  Tasks finished_;
  bool told_ = false;  // whether on_finished was called since finished tasks were taken
  size_t waiting_in_lanes_ = 0;
  size_t running_ = 0;
  uint64_t last_id_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace firn::binding
