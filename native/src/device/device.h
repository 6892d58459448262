// A device that kernels run on: the processor, or a GPU behind the CUDA library. Whatever it is, the bytes are the
// same.
#pragma once
#include <memory>
#include <string>

#include "device/table.h"

namespace firn {

// The table of the CUDA library at `path`; null, and a sentence in `why_not`, when it cannot be loaded, has another
// version, or finds no device. The library stays loaded as long as the process.
const DeviceTable* load_cuda_table(const char* path, std::string* why_not);

class DeviceBuffer;

// One queue of work on a device, with a budget for the buffers that are taken from it. One thread at a time.
class Device {
 public:
  // At most `budget_bytes` in buffers. Null, and `status`, when the device cannot be opened.
  static std::unique_ptr<Device> open(const DeviceTable& table, int32_t index, uint64_t budget_bytes,
                                      DeviceStatus* status);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceTable& table() const { return table_; }
  void* queue() const { return queue_; }
  DeviceInfo info() const { return info_; }
  uint64_t used_bytes() const { return used_bytes_; }
  uint64_t budget_bytes() const { return budget_bytes_; }

  // `buffer` receives at least `bytes` bytes with any content. out_of_memory also when the budget is used up.
  DeviceStatus take(size_t bytes, DeviceBuffer* buffer);
  DeviceStatus upload(void* to, const void* from, size_t bytes);
  DeviceStatus download(void* to, const void* from, size_t bytes);
  DeviceStatus clear(void* address, size_t bytes);
  // Returns when all that was given is done.
  DeviceStatus wait();

  // Runs a kernel: device.run(&DeviceTable::sketch_values, SketchValuesKernel{...}).
  template <typename Kernel>
  DeviceStatus run(int32_t (*DeviceTable::*kernel)(void*, const Kernel*), const Kernel& arguments) {
    return static_cast<DeviceStatus>((table_.*kernel)(queue_, &arguments));
  }

 private:
  friend class DeviceBuffer;
  Device(const DeviceTable& table, void* queue, const DeviceInfo& info, uint64_t budget_bytes)
      : table_(table), queue_(queue), info_(info), budget_bytes_(budget_bytes) {}

  const DeviceTable& table_;
  void* queue_;
  DeviceInfo info_;
  uint64_t budget_bytes_, used_bytes_ = 0;
};

// Memory of a device, given back with the object, which must not outlive the device.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { give_back(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  void* address() const { return address_; }
  size_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(address_);
  }
  void give_back();

 private:
  friend class Device;
  Device* device_ = nullptr;
  void* address_ = nullptr;
  size_t bytes_ = 0;
};

// Moves bytes of the host up to a device through two pinned pieces: one is filled while the other is on its way.
class PinnedUpload {
 public:
  static constexpr size_t kPieceBytes = 8u << 20;
  static constexpr uint32_t kPieces = 2;

  // Null when there is no pinned memory. Uses marks 0 to kPieces - 1 of the device's queue.
  static std::unique_ptr<PinnedUpload> open(Device& device, size_t piece_bytes = kPieceBytes);
  ~PinnedUpload();
  PinnedUpload(const PinnedUpload&) = delete;
  PinnedUpload& operator=(const PinnedUpload&) = delete;

  // `from` may change as soon as this returns. In order with the device's other work.
  DeviceStatus upload(void* to, const void* from, size_t bytes);

 private:
  PinnedUpload(Device& device, size_t piece_bytes) : device_(device), piece_bytes_(piece_bytes) {}

  Device& device_;
  const size_t piece_bytes_;
  void* pieces_[kPieces] = {};
  bool on_their_way_[kPieces] = {};
  uint32_t next_ = 0;
};

}  // namespace firn
