// One work on a device: a queue, memory that is given back at the end, and one status. After the first failure every
// call does nothing, so that callers look at it only where they wait.
#pragma once
#include <string_view>
#include <vector>

#include "device/work/context_impl.h"

namespace firn {

class DeviceWork {
 public:
  // Whether a call that finds no memory is to be done again on the processor, or is done without what it would keep.
  enum class Need { call, keep };
  // `what` completes the sentence "it failed while it was to".
  DeviceWork(DeviceContext& context, const char* what, Need need = Need::call);
  // Waits for the queue.
  ~DeviceWork();
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

  bool ok() const { return status_ == DeviceStatus::ok; }

  // Memory of the device, with any content; null after a failure.
  DevicePiecePtr take(size_t bytes);
  template <typename T>
  T* room(size_t count) {
    const DevicePiecePtr piece = take(count * sizeof(T));
    return piece ? static_cast<T*>(piece->address()) : nullptr;
  }
  // The same, with bytes of the host, which may change as soon as this returns.
  void* put(const void* from, size_t bytes);
  template <typename T>
  T* put(const std::vector<T>& values) {
    return static_cast<T*>(put(values.data(), values.size() * sizeof(T)));
  }
  // What is held under `name`; null if it is not.
  void* find(std::string_view name, size_t bytes);
  // put(), held under `name` from the next wait() on; an empty name holds nothing.
  void* put_held(std::string_view name, const void* from, size_t bytes);
  void* held(std::string_view name, const void* from, size_t bytes) {
    void* const there = find(name, bytes);
    return there ? there : put_held(name, from, bytes);
  }
  // Holds a piece under a name from the next wait() on.
  void hold(std::string_view name, const DevicePiecePtr& piece, size_t bytes);

  template <typename Kernel>
  void run(int32_t (*DeviceTable::*kernel)(void*, const Kernel*), const Kernel& arguments) {
    if (enter()) settle(lane_->device->run(kernel, arguments));
  }
  void clear(void* address, size_t bytes);
  // `to` is complete after wait().
  void bring(void* to, const void* from, size_t bytes);
  // Returns when nothing given is under way; true when all of it is done.
  bool wait();

  // Says that the device has done it; without this, unless it fails, it has declined.
  bool done();

 private:
  bool enter();
  void settle(DeviceStatus status) {
    if (ok()) status_ = status;
  }

  struct ToHold {
    std::string name;
    DevicePiecePtr piece;
    size_t bytes;
  };
  DeviceContext::Impl& impl_;
  DeviceContext::Counts& account_;
  const char* what_;
  const Need need_;
  DeviceStatus status_ = DeviceStatus::ok;
  bool is_done_ = false, is_under_way_ = false, was_lost_ = false;
  uint64_t uploaded_bytes_ = 0, downloaded_bytes_ = 0;
  std::unique_ptr<DeviceLane> lane_;
  std::vector<DevicePiecePtr> pieces_;
  std::vector<ToHold> to_hold_;
};

}  // namespace firn
