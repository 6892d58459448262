#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>

#include "binding/engine/worker_pool.h"
#include "test/check.h"

namespace {

using firn::binding::Lane;
using firn::binding::Task;
using firn::binding::WorkerPool;

// Closed until opened; tasks that wait at it are running.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void wait_for(int waiting) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= waiting; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int waiting_ = 0;
};

class Step final : public Task {
 public:
  Step(std::function<void()> work, Lane lane = nullptr) : work_(std::move(work)), lane_(lane) {}
  void run() noexcept override { work_(); }
  Lane lane() const noexcept override { return lane_; }

 private:
  std::function<void()> work_;
  Lane lane_;
};

uint64_t submit(WorkerPool& pool, std::function<void()> work, Lane lane = nullptr) {
  WorkerPool::TaskPtr task = std::make_unique<Step>(std::move(work), lane);
  return pool.submit(task);
}

// Counts finished tasks the way an event loop would: woken, then taking all there are.
class Loop {
 public:
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }
  void run_until(WorkerPool& pool, size_t finished) {
    while (finished_ < finished) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return woken_; });
      woken_ = false;
      lock.unlock();
      finished_ += pool.take_finished().size();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  size_t finished_ = 0;
};

TEST_CASE("worker pool: every task runs once and wakes the loop for it") {
  Loop loop;
  WorkerPool pool(4, 10000, [&] { loop.wake(); });
  std::atomic<int> runs = 0;
  std::set<uint64_t> ids;
  for (int i = 0; i < 5000; ++i) ids.insert(submit(pool, [&] { ++runs; }));
  loop.run_until(pool, 5000);
  CHECK_EQ(runs.load(), 5000);
  CHECK_EQ(ids.size(), size_t{5000});
  CHECK(!ids.contains(0));
  CHECK_EQ(pool.load().queued, size_t{0});
  CHECK_EQ(pool.load().running, size_t{0});
}

TEST_CASE("worker pool: tasks of one lane run one at a time and in order, others pass them") {
  Loop loop;
  WorkerPool pool(4, 10000, [&] { loop.wake(); });
  int lanes[3];
  std::vector<int> order[3];  // written without a lock: the lane is one
  Gate gate;
  submit(
      pool, [&] { gate.pass(); }, &lanes[0]);
  for (int i = 0; i < 900; ++i)
    submit(
        pool, [&order, i] { order[i % 3].push_back(i); }, &lanes[i % 3]);
  loop.run_until(pool, 600);
  CHECK_EQ(pool.load().queued, size_t{300});
  gate.open();
  loop.run_until(pool, 901);
  for (int lane = 0; lane < 3; ++lane) {
    REQUIRE(order[lane].size() == 300);
    for (int i = 0; i < 300; ++i) CHECK_EQ(order[lane][static_cast<size_t>(i)], 3 * i + lane);
  }
}

TEST_CASE("worker pool: a full queue refuses and leaves the task to its owner") {
  Gate gate;
  WorkerPool pool(1, 2, [] {});
  int lane;
  CHECK(submit(
            pool, [&] { gate.pass(); }, &lane) != 0);
  gate.wait_for(1);
  CHECK(submit(pool, [] {}) != 0);
  CHECK(submit(
            pool, [] {}, &lane) != 0);
  WorkerPool::TaskPtr refused = std::make_unique<Step>([] {});
  CHECK_EQ(pool.submit(refused), uint64_t{0});
  CHECK(refused != nullptr);
  CHECK_EQ(pool.load().queued, size_t{2});
  CHECK_EQ(pool.load().running, size_t{1});
  gate.open();
}

TEST_CASE("worker pool: a waiting task can be taken back, and its lane goes on") {
  Gate gate, lane_gate;
  Loop loop;
  WorkerPool pool(1, 100, [&] { loop.wake(); });
  int lane;
  std::atomic<int> runs = 0;
  const uint64_t running = submit(pool, [&] { gate.pass(); });
  gate.wait_for(1);
  const uint64_t head = submit(
      pool, [&] { runs += 100; }, &lane);
  const uint64_t behind = submit(
      pool, [&] { runs += 10; }, &lane);
  submit(
      pool, [&] { runs += 1; }, &lane);
  CHECK(pool.take_waiting(running) == nullptr);
  CHECK(pool.take_waiting(9999) == nullptr);
  CHECK(pool.take_waiting(behind) != nullptr);
  CHECK(pool.take_waiting(behind) == nullptr);
  CHECK(pool.take_waiting(head) != nullptr);
  gate.open();
  loop.run_until(pool, 2);
  CHECK_EQ(runs.load(), 1);
}

TEST_CASE("worker pool: stopping waits for what runs and gives back the rest") {
  Gate gate;
  WorkerPool pool(2, 1000, [] {});
  int lane;
  std::atomic<int> runs = 0;
  for (int i = 0; i < 2; ++i)
    submit(pool, [&] {
      gate.pass();
      ++runs;
    });
  gate.wait_for(2);
  for (int i = 0; i < 50; ++i)
    submit(
        pool, [&] { ++runs; }, i % 2 ? &lane : nullptr);
  std::thread opener([&] { gate.open(); });
  const size_t left = pool.stop().size();
  opener.join();
  CHECK_EQ(left, size_t{52});
  CHECK(runs.load() >= 2);
  CHECK_EQ(submit(pool, [] {}), uint64_t{0});
  CHECK(pool.stop().empty());
}

}  // namespace

TEST_CASE("worker pool: short tasks one after the other are told of together, the last of them at once") {
  Gate gate, end;
  std::atomic<int> told = 0;
  Loop loop;
  WorkerPool pool(1, 100, [&] {
    ++told;
    loop.wake();
  });
  constexpr size_t kTasks = 2 * WorkerPool::kFinishedMax - 1;
  submit(pool, [&] { gate.pass(); });
  for (size_t i = 1; i < kTasks; ++i) submit(pool, [] {});
  submit(pool, [&] { end.pass(); });
  gate.open();
  end.wait_for(1);  // all others have finished
  CHECK_EQ(told.load(), 1);
  CHECK_EQ(pool.take_finished().size(), kTasks);
  end.open();
  loop.run_until(pool, 1);
  CHECK_EQ(told.load(), 2);
}
