#include "binding/engine/worker_pool.h"

#include <algorithm>
#include <utility>

#include "common/invariant.h"

namespace firn::binding {

WorkerPool::WorkerPool(size_t threads, size_t queue_max, std::function<void()> on_finished)
    : queue_max_(queue_max), on_finished_(std::move(on_finished)) {
  threads_.reserve(threads);
  try {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {
    stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { stop(); }

uint64_t WorkerPool::submit(TaskPtr& task) {
  Tasks one;
  one.emplace_back();
  const std::lock_guard lock(mutex_);
  if (stopping_ || ready_.size() + waiting_in_lanes_ >= queue_max_) return 0;
  Tasks* queue = &ready_;
  if (const Lane lane = task->lane()) {
    const auto [position, lane_was_free] = lanes_.try_emplace(lane);
    if (!lane_was_free) queue = &position->second;
  }
  const uint64_t id = task->id_ = ++last_id_;
  one.front() = std::move(task);
  queue->splice(queue->end(), one);
  if (queue == &ready_) {
    wake_.notify_one();
  } else {
    ++waiting_in_lanes_;
  }
  return id;
}

WorkerPool::TaskPtr WorkerPool::take_waiting(uint64_t id) {
  const auto take_from = [id](Tasks& tasks) -> TaskPtr {
    const auto found = std::find_if(tasks.begin(), tasks.end(), [id](const TaskPtr& task) { return task->id_ == id; });
    if (found == tasks.end()) return nullptr;
    TaskPtr task = std::move(*found);
    tasks.erase(found);
    return task;
  };
  const std::lock_guard lock(mutex_);
  if (TaskPtr task = take_from(ready_)) {
    leave_lane(task->lane());
    return task;
  }
  for (auto& [lane, behind] : lanes_) {
    if (TaskPtr task = take_from(behind)) {
      --waiting_in_lanes_;
      return task;
    }
  }
  return nullptr;
}

WorkerPool::Tasks WorkerPool::take_finished() {
  const std::lock_guard lock(mutex_);
  told_ = false;
  return std::exchange(finished_, {});
}

WorkerPool::Tasks WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  const std::lock_guard lock(mutex_);
  Tasks left;
  left.splice(left.end(), finished_);
  left.splice(left.end(), ready_);
  for (auto& [lane, behind] : lanes_) left.splice(left.end(), behind);
  lanes_.clear();
  waiting_in_lanes_ = 0;
  return left;
}

WorkerPool::Load WorkerPool::load() const {
  const std::lock_guard lock(mutex_);
  return {ready_.size() + waiting_in_lanes_, running_};
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !ready_.empty(); });
    if (stopping_) return;
    Tasks current;
    current.splice(current.end(), ready_, ready_.begin());
    ++running_;
    lock.unlock();

    current.front()->run();

    lock.lock();
    --running_;
    leave_lane(current.front()->lane());
    finished_.splice(finished_.end(), current);
    // A thread that need not notify takes the next task at once, and checks again when that has finished.
    if (!told_ && (ready_.empty() || finished_.size() >= kFinishedMax)) {
      told_ = true;
      lock.unlock();
      on_finished_();
      lock.lock();
    }
  }
}

// The task at the head of `lane` is gone; the one behind it becomes ready.
void WorkerPool::leave_lane(Lane lane) {
  if (!lane) return;
  const auto position = lanes_.find(lane);
  FIRN_INVARIANT(position != lanes_.end());
  if (position->second.empty()) {
    lanes_.erase(position);
    return;
  }
  ready_.splice(ready_.end(), position->second, position->second.begin());
  --waiting_in_lanes_;
  wake_.notify_one();
}

}  // namespace firn::binding
