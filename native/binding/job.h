// A call on its way through the pool: plain C++ arguments, the work, and the result's way back to JavaScript.
#pragma once
#include <new>
#include <vector>

#include "firn/status.h"
#include "node_api.h"
#include "worker_pool.h"

namespace firn::binding {

class Job : public Task {
 public:
  void run() noexcept final {
    try {
      status_ = execute();
    } catch (const std::bad_alloc&) {
      status_ = Status::out_of_memory;
    } catch (...) {
      status_ = Status::invalid_argument;
    }
  }

  Status status() const { return status_; }

  // False when the arguments break a documented range; asked before the job is queued. The TypeScript face has checked the same.
  virtual bool valid() const { return true; }

  // On the JavaScript thread after execute() returned ok. Empty with an exception pending when the environment refuses.
  virtual napi_value result(napi_env env) {
    napi_value undefined;
    return napi_get_undefined(env, &undefined) == napi_ok ? undefined : nullptr;
  }

 protected:
  // On a pool thread.
  virtual Status execute() = 0;

 private:
  friend class Engine;
  Status status_ = Status::ok;
  napi_deferred deferred_ = nullptr;
  // The JavaScript values whose memory execute() reads or writes.
  std::vector<napi_ref> pins_;
};

}  // namespace firn::binding
