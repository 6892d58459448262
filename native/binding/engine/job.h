// A call on its way through the pool: plain C++ arguments, the work, and the result's way back to JavaScript.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "binding/engine/status_of.h"
#include "binding/engine/worker_pool.h"
#include "binding/node_api.h"
#include "firn/status.h"

namespace firn::binding {

class Job : public Task {
 public:
  void run() noexcept final {
    status_ = status_of([this] { return execute(); });
  }

  // False if the arguments break a documented range; called before the job is queued. The TypeScript face has checked
  // the same.
  virtual bool valid() const { return true; }

  // Size of output(), for jobs that know the length of their result beforehand; called once, if valid.
  virtual std::optional<size_t> output_bytes() const { return std::nullopt; }

  // On the JavaScript thread after execute() returned ok; `output` is the Uint8Array over output(), or undefined for
  // jobs without. Empty with an exception pending when the environment refuses.
  virtual napi_value result(napi_env, napi_value output) { return output; }

 protected:
  // On a pool thread.
  virtual Status execute() = 0;
  uint8_t* output() const { return output_; }

 private:
  friend class Engine;
  Status status_ = Status::ok;
  uint8_t* output_ = nullptr;
  napi_ref output_array_ = nullptr;
  napi_deferred deferred_ = nullptr;
  // The JavaScript values whose memory execute() reads or writes.
  std::vector<napi_ref> pins_;
  // Memory that JavaScript only borrows.
  std::vector<std::shared_ptr<const void>> held_;
};

}  // namespace firn::binding
