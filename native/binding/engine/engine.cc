#include "binding/engine/engine.h"

#include <system_error>
#include <utility>

#include "binding/results.h"

namespace firn::binding {
namespace {

// Closes when the block is left; JavaScript values made inside are released with it.
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

// The runtime refused memory: that becomes a status, not an exception.
void clear_exception(napi_env env) {
  napi_value ignored;
  napi_get_and_clear_last_exception(env, &ignored);
}

}  // namespace

Engine::Engine(napi_env env, size_t threads, size_t queue_max)
    : env_(env), pool_(std::make_unique<WorkerPool>(threads, queue_max, [this] {
        napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking);
      })) {}

Engine::Engine(napi_env env, std::shared_ptr<Engine> of, std::shared_ptr<DeviceContext> device)
    : env_(env), device_(std::move(device)), of_(std::move(of)) {}

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

napi_value Engine::create_with_account(napi_env env, std::shared_ptr<Engine> of) {
  auto device = of->device_->with_own_account();
  return make_handle(env, std::shared_ptr<Engine>(new Engine(env, std::move(of), std::move(device))));
}

napi_value Engine::create_without_device(napi_env env, std::shared_ptr<Engine> of) {
  return make_handle(env, std::shared_ptr<Engine>(new Engine(env, std::move(of), nullptr)));
}

// The function that pool threads call to wake the JavaScript thread. Nothing is passed through it: finished jobs wait
// in the pool, so none is lost or leaked when the environment ends between the call and the waking.
bool Engine::connect() {
  const auto on_wake = [](napi_env env, napi_value, void* context, void*) {
    if (env) static_cast<Engine*>(context)->settle_finished();
  };
  napi_value name;
  if (napi_create_string_utf8(env_, "firn_core", NAPI_AUTO_LENGTH, &name) != napi_ok) return false;
  constexpr size_t kUnlimited = 0;  // the pool's queue is the limit
  if (napi_create_threadsafe_function(env_, nullptr, nullptr, name, kUnlimited, 1, nullptr, nullptr, this, on_wake,
                                      &wake_) != napi_ok) {
    wake_ = nullptr;
    return false;
  }
  // Added after the function's own hook, so run before it.
  hooked_ = napi_add_env_cleanup_hook(env_, on_environment_end, this) == napi_ok;
  return hooked_ && napi_unref_threadsafe_function(env_, wake_) == napi_ok;
}

napi_value Engine::start(std::unique_ptr<Job> job, std::span<const napi_value> pins) {
  if (of_) return of_->start(std::move(job), pins);
  if (!job->valid()) return status_value(env_, Status::invalid_argument);
  Job& queued = *job;
  if (!pin(queued, pins)) return nullptr;
  if (!make_output(queued)) {
    unpin(queued);
    return status_value(env_, Status::out_of_memory);
  }
  // Only this thread destroys jobs, so `queued` outlives this call even when its work is done before it returns.
  WorkerPool::TaskPtr task = std::move(job);
  uint64_t id = 0;
  try {
    id = pool_->submit(task);
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
  if (of_) return of_->cancel(job_id);
  const WorkerPool::TaskPtr task = pool_->take_waiting(job_id);
  if (!task) return;
  settle(static_cast<Job&>(*task), kCancelled);
  job_left();
}

void Engine::settle_finished() {
  for (const WorkerPool::TaskPtr& task : pool_->take_finished()) {
    Job& job = static_cast<Job&>(*task);
    settle(job, static_cast<int32_t>(job.status_));
    job_left();
  }
}

// Frees the inputs and resolves (status 0), or rejects with the status.
void Engine::settle(Job& job, int32_t status) {
  const HandleScope scope(env_);
  napi_value output = nullptr;
  if (job.output_array_) napi_get_reference_value(env_, job.output_array_, &output);
  else napi_get_undefined(env_, &output);
  unpin(job);
  if (!job.deferred_) return;
  if (status == static_cast<int32_t>(Status::ok)) {
    if (const napi_value value = job.result(env_, output)) {
      napi_resolve_deferred(env_, job.deferred_, value);
      return;
    }
    clear_exception(env_);
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

// Keeps `values` alive for `job`. False, with nothing retained and an exception pending, if the environment refuses.
bool Engine::pin(Job& job, std::span<const napi_value> values) {
  job.pins_.reserve(values.size() + 1);  // one more for the output
  for (const napi_value value : values) {
    napi_ref reference;
    if (napi_create_reference(env_, value, 1, &reference) != napi_ok) {
      unpin(job);
      return false;
    }
    job.pins_.push_back(reference);
    if (!borrowed_.empty()) hold_borrowed(job, value);
  }
  return true;
}

// Gives `job` the memory it writes its result to; false when the runtime refuses.
bool Engine::make_output(Job& job) {
  const std::optional<size_t> size = job.output_bytes();
  if (!size) return true;
  const napi_value array = new_bytes(env_, *size, &job.output_);
  if (!array || napi_create_reference(env_, array, 1, &job.output_array_) != napi_ok) {
    clear_exception(env_);
    return false;
  }
  job.pins_.push_back(job.output_array_);
  return true;
}

napi_value Engine::borrow(std::shared_ptr<MappedFile> file) {
  if (of_) return of_->borrow(std::move(file));
  std::erase_if(borrowed_, [](const auto& entry) { return entry.second.expired(); });
  borrowed_[file->data()] = file;
  auto held = std::make_unique<std::shared_ptr<MappedFile>>(std::move(file));
  const auto release = [](napi_env, void*, void* hint) { delete static_cast<std::shared_ptr<MappedFile>*>(hint); };
  napi_value buffer;
  const MappedFile& mapped = **held;
  if (napi_create_external_arraybuffer(env_, mapped.data(), mapped.size(), release, held.get(), &buffer) != napi_ok)
    return nullptr;
  held.release();
  return buffer;
}

// When an environment ends, external buffers are freed before anybody can stop the jobs that read them.
void Engine::hold_borrowed(Job& job, napi_value array) {
  napi_value memory;
  void* data = nullptr;
  if (napi_get_typedarray_info(env_, array, nullptr, nullptr, nullptr, &memory, nullptr) != napi_ok) return;
  if (napi_get_arraybuffer_info(env_, memory, &data, nullptr) != napi_ok) return;
  const auto found = borrowed_.find(data);
  if (found == borrowed_.end()) return;
  if (auto file = found->second.lock()) job.held_.push_back(std::move(file));
}

void Engine::unpin(Job& job) {
  for (const napi_ref reference : job.pins_) napi_delete_reference(env_, reference);
  job.pins_.clear();
}

void Engine::on_environment_end(void* engine) { static_cast<Engine*>(engine)->stop(); }

void Engine::stop() {
  if (of_) return;
  for (const WorkerPool::TaskPtr& task : pool_->stop()) unpin(static_cast<Job&>(*task));
  if (hooked_) napi_remove_env_cleanup_hook(env_, on_environment_end, this);
  hooked_ = false;
  if (wake_) napi_release_threadsafe_function(std::exchange(wake_, nullptr), napi_tsfn_abort);
  if (self_) napi_delete_reference(env_, std::exchange(self_, nullptr));
}

}  // namespace firn::binding
