#include "engine.h"

#include <system_error>
#include <utility>

#include "results.h"

namespace firn::binding {
namespace {

// Closes on leaving the block; JavaScript values made inside die with it.
class HandleScope {
 public:
  explicit HandleScope(napi_env env) : env_(env) {
    if (napi_open_handle_scope(env, &scope_) != napi_ok) scope_ = nullptr;
  }
  ~HandleScope() {
    if (scope_) napi_close_handle_scope(env_, scope_);
  }
  HandleScope(const HandleScope&) = delete;
  HandleScope& operator=(const HandleScope&) = delete;

 private:
  napi_env env_;
  napi_handle_scope scope_ = nullptr;
};

}  // namespace

Engine::Engine(napi_env env, size_t threads, size_t queue_max)
    : env_(env), pool_(threads, queue_max, [this] { napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking); }) {}

Engine::~Engine() { stop(); }

napi_value Engine::create(napi_env env, size_t threads, size_t queue_max) {
  std::shared_ptr<Engine> engine;
  try {
    engine.reset(new Engine(env, threads, queue_max));
  } catch (const std::system_error&) {
    napi_throw_error(env, nullptr, "firn_core: no thread could be started");
    return nullptr;
  }
  if (!engine->connect()) return nullptr;
  const napi_value handle = make_handle(env, engine);
  if (!handle || napi_create_reference(env, handle, 0, &engine->self_) != napi_ok) return nullptr;
  return handle;
}

// The function that pool threads call to wake the JavaScript thread. Nothing is passed through it: finished jobs wait in the pool,
// so none is lost or leaked when the environment ends between the call and the waking.
bool Engine::connect() {
  const auto on_wake = [](napi_env env, napi_value, void* context, void*) {
    if (env) static_cast<Engine*>(context)->settle_finished();
  };
  napi_value name;
  if (napi_create_string_utf8(env_, "firn_core", NAPI_AUTO_LENGTH, &name) != napi_ok) return false;
  constexpr size_t kUnlimited = 0;  // the pool's queue is the limit
  if (napi_create_threadsafe_function(env_, nullptr, nullptr, name, kUnlimited, 1, nullptr, nullptr, this, on_wake, &wake_) != napi_ok) {
    wake_ = nullptr;
    return false;
  }
  arm_cleanup();
  return napi_unref_threadsafe_function(env_, wake_) == napi_ok;
}

napi_value Engine::start(std::unique_ptr<Job> job, std::span<const napi_value> pins) {
  if (!job->valid()) return status_value(env_, Status::invalid_argument);
  Job& queued = *job;
  if (!pin(queued, pins)) return nullptr;
  // Only this thread destroys jobs, so `queued` outlives this call even when its work is done before it returns.
  WorkerPool::TaskPtr task = std::move(job);
  uint64_t id = 0;
  try {
    id = pool_.submit(task);
  } catch (const std::bad_alloc&) {
    unpin(queued);
    return status_value(env_, Status::out_of_memory);
  }
  if (id == 0) {
    unpin(queued);
    return status_value(env_, kOverloaded);
  }
  job_entered();

  napi_value number, promise, started;
  if (napi_create_promise(env_, &queued.deferred_, &promise) != napi_ok) return nullptr;
  if (napi_create_double(env_, static_cast<double>(id), &number) != napi_ok) return nullptr;
  if (napi_create_array_with_length(env_, 2, &started) != napi_ok) return nullptr;
  if (napi_set_element(env_, started, 0, number) != napi_ok) return nullptr;
  if (napi_set_element(env_, started, 1, promise) != napi_ok) return nullptr;
  return started;
}

void Engine::cancel(uint64_t job_id) {
  const WorkerPool::TaskPtr task = pool_.take_waiting(job_id);
  if (!task) return;
  settle(static_cast<Job&>(*task), kCancelled);
  job_left();
}

void Engine::settle_finished() {
  for (const WorkerPool::TaskPtr& task : pool_.take_finished()) {
    Job& job = static_cast<Job&>(*task);
    settle(job, static_cast<int32_t>(job.status_));
    job_left();
  }
}

// Frees the inputs, then resolves (status 0) or rejects with the status.
void Engine::settle(Job& job, int32_t status) {
  const HandleScope scope(env_);
  unpin(job);
  if (!job.deferred_) return;
  if (status == static_cast<int32_t>(Status::ok)) {
    if (const napi_value value = job.result(env_)) {
      napi_resolve_deferred(env_, job.deferred_, value);
      return;
    }
    // The runtime refused memory for the result.
    napi_value ignored;
    napi_get_and_clear_last_exception(env_, &ignored);
    status = static_cast<int32_t>(Status::out_of_memory);
  }
  if (const napi_value value = status_value(env_, status)) napi_reject_deferred(env_, job.deferred_, value);
}

void Engine::job_entered() {
  if (under_way_++ > 0) return;
  napi_reference_ref(env_, self_, nullptr);
  napi_ref_threadsafe_function(env_, wake_);
}

void Engine::job_left() {
  if (--under_way_ > 0) return;
  napi_unref_threadsafe_function(env_, wake_);
  napi_reference_unref(env_, self_, nullptr);
}

// Keeps `values` alive for `job`; false, with nothing kept and an exception pending, when the environment refuses.
bool Engine::pin(Job& job, std::span<const napi_value> values) {
  // Cleanup hooks run newest first, and buffers over foreign memory have hooks that free it. Ours has to be newer than those of the
  // inputs, so that no running job reads freed memory when the environment ends.
  arm_cleanup();
  job.pins_.reserve(values.size());
  for (const napi_value value : values) {
    napi_ref reference;
    if (napi_create_reference(env_, value, 1, &reference) != napi_ok) {
      unpin(job);
      return false;
    }
    job.pins_.push_back(reference);
  }
  return true;
}

void Engine::unpin(Job& job) {
  for (const napi_ref reference : job.pins_) napi_delete_reference(env_, reference);
  job.pins_.clear();
}

void Engine::arm_cleanup() {
  disarm_cleanup();
  cleanup_armed_ = napi_add_env_cleanup_hook(env_, on_environment_end, this) == napi_ok;
}

void Engine::disarm_cleanup() {
  if (cleanup_armed_) napi_remove_env_cleanup_hook(env_, on_environment_end, this);
  cleanup_armed_ = false;
}

void Engine::on_environment_end(void* engine) { static_cast<Engine*>(engine)->stop(); }

void Engine::stop() {
  for (const WorkerPool::TaskPtr& task : pool_.stop()) unpin(static_cast<Job&>(*task));
  disarm_cleanup();
  if (wake_) napi_release_threadsafe_function(std::exchange(wake_, nullptr), napi_tsfn_abort);
  if (self_) napi_delete_reference(env_, std::exchange(self_, nullptr));
}

}  // namespace firn::binding
