// The pool of one environment; settles the promises of finished jobs.
#pragma once
#include <memory>
#include <span>
#include <unordered_map>

#include "binding/arguments/handle.h"
#include "binding/engine/job.h"
#include "binding/engine/mapped_file.h"
#include "binding/engine/worker_pool.h"
#include "binding/node_api.h"
#include "firn/device.h"

namespace firn::binding {

// Used on its environment's JavaScript thread only. While a job is under way the event loop stays alive and so does the
// engine's JavaScript object; when the environment ends, running jobs are waited for and the others dropped.
class Engine {
 public:
  // Returns the handle that the calls take as first argument, or an empty value with an exception pending.
  static napi_value create(napi_env env, size_t threads, size_t queue_max);
  // The same for an engine that starts its jobs in the pool of `of`, which must have a device. What the device does for
  // them is counted in an account of its own.
  static napi_value create_with_account(napi_env env, std::shared_ptr<Engine> of);
  // The same for one whose jobs use no device.
  static napi_value create_without_device(napi_env env, std::shared_ptr<Engine> of);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Queues `job`, keeping `pins` and its output alive until it settles. Returns [number of the job, promise]; a status
  // number when the job is not valid or the queue is full; an empty value with an exception pending when the
  // environment refuses. The promise rejects with a status number. Throws std::bad_alloc.
  napi_value start(std::unique_ptr<Job> job, std::span<const napi_value> pins);
  // Settles a job that has not started as cancelled; leaves any other alone.
  void cancel(uint64_t job_id);
  // An ArrayBuffer over `file`, which stays mapped until the buffer is collected and no job reads it. Empty with an
  // exception pending when the environment refuses. Throws std::bad_alloc.
  napi_value borrow(std::shared_ptr<MappedFile> file);

  const WorkerPool& pool() const { return of_ ? of_->pool() : *pool_; }
  // Where jobs try first; null without a device.
  const std::shared_ptr<DeviceContext>& device() const { return device_; }
  void use_device(std::shared_ptr<DeviceContext> device) { device_ = std::move(device); }

 private:
  Engine(napi_env env, size_t threads, size_t queue_max);
  Engine(napi_env env, std::shared_ptr<Engine> of, std::shared_ptr<DeviceContext> device);
  bool connect();
  void settle_finished();
  void settle(Job& job, int32_t status);
  void job_entered();
  void job_left();
  bool make_output(Job& job);
  bool pin(Job& job, std::span<const napi_value> values);
  void hold_borrowed(Job& job, napi_value array);
  void unpin(Job& job);
  static void on_environment_end(void* engine);
  void stop();

  napi_env env_;
  napi_threadsafe_function wake_ = nullptr;
  napi_ref self_ = nullptr;  // weak, strong while jobs are under way
  size_t under_way_ = 0;
  bool hooked_ = false;
  // Files behind buffers that JavaScript has, by address.
  std::unordered_map<const void*, std::weak_ptr<MappedFile>> borrowed_;
  std::shared_ptr<DeviceContext> device_;
  const std::shared_ptr<Engine> of_;  // whose pool has the jobs, instead of one of its own; or null
  std::unique_ptr<WorkerPool> pool_;
};

template <>
struct HandleTag<Engine> {
  static constexpr napi_type_tag value{0x9d0c5f1b7a3e4286, 0xb1f4e87c20d95a63};
};

// The device of an engine; null without one, and where another argument came in the engine's place.
inline std::shared_ptr<DeviceContext> device_of(const std::shared_ptr<Engine>& engine) {
  return engine ? engine->device() : nullptr;
}

}  // namespace firn::binding
