#include "device/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace firn {
namespace {

DeviceStatus status_of(int32_t number) { return static_cast<DeviceStatus>(number); }

}  // namespace

const DeviceTable* load_cuda_table(const char* path, std::string* why_not) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *why_not = dlerror();
    return nullptr;
  }
  DeviceTableOf* const table_of = reinterpret_cast<DeviceTableOf*>(dlsym(library, kDeviceTableName));
  const DeviceTable* const table = table_of ? table_of(kDeviceTableVersion) : nullptr;
  int32_t devices = 0;
  if (!table || table->version != kDeviceTableVersion) *why_not = "the CUDA library is of another version";
  else if (table->count(&devices) || devices == 0) *why_not = "no CUDA device or no driver for it";
  else return table;
  dlclose(library);
  return nullptr;
}

std::unique_ptr<Device> Device::open(const DeviceTable& table, int32_t index, uint64_t budget_bytes,
                                     DeviceStatus* status) {
  DeviceInfo info{};
  void* queue = nullptr;
  *status = status_of(table.info(index, &info));
  if (*status == DeviceStatus::ok) *status = status_of(table.open(index, &queue));
  if (*status != DeviceStatus::ok) return nullptr;
  std::unique_ptr<Device> device(new (std::nothrow) Device(table, queue, info, budget_bytes));
  if (!device) {
    table.close(queue);
    *status = DeviceStatus::out_of_memory;
  }
  return device;
}

Device::~Device() { table_.close(queue_); }

DeviceStatus Device::take(size_t bytes, DeviceBuffer* buffer) {
  buffer->give_back();
  if (bytes > budget_bytes_ - used_bytes_) return DeviceStatus::out_of_memory;
  const DeviceStatus status = status_of(table_.allocate(queue_, bytes, &buffer->address_));
  if (status != DeviceStatus::ok) return status;
  buffer->device_ = this;
  buffer->bytes_ = bytes;
  used_bytes_ += bytes;
  return status;
}

DeviceStatus Device::upload(void* to, const void* from, size_t bytes) {
  return status_of(table_.upload(queue_, to, from, bytes));
}

DeviceStatus Device::download(void* to, const void* from, size_t bytes) {
  return status_of(table_.download(queue_, to, from, bytes));
}

DeviceStatus Device::clear(void* address, size_t bytes) { return status_of(table_.clear(queue_, address, bytes)); }

DeviceStatus Device::wait() { return status_of(table_.wait(queue_)); }

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  device_ = std::exchange(other.device_, nullptr);
  address_ = std::exchange(other.address_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void DeviceBuffer::give_back() {
  if (!device_) return;
  device_->table_.release(device_->queue_, address_);
  device_->used_bytes_ -= bytes_;
  device_ = nullptr;
  address_ = nullptr;
  bytes_ = 0;
}

std::unique_ptr<PinnedUpload> PinnedUpload::open(Device& device, size_t piece_bytes) {
  std::unique_ptr<PinnedUpload> upload(new (std::nothrow) PinnedUpload(device, piece_bytes));
  if (!upload) return nullptr;
  for (void*& piece : upload->pieces_) {
    if (device.table().allocate_pinned(device.queue(), piece_bytes, &piece)) return nullptr;
  }
  return upload;
}

PinnedUpload::~PinnedUpload() {
  device_.wait();
  for (void* const piece : pieces_) {
    if (piece) device_.table().release_pinned(device_.queue(), piece);
  }
}

DeviceStatus PinnedUpload::upload(void* to, const void* from, size_t bytes) {
  const DeviceTable& table = device_.table();
  for (size_t done = 0; done < bytes;) {
    const uint32_t piece = std::exchange(next_, (next_ + 1) % kPieces);
    const size_t part = std::min(bytes - done, piece_bytes_);
    int32_t status = on_their_way_[piece] ? table.wait_mark(device_.queue(), piece) : 0;
    if (status) return status_of(status);
    std::memcpy(pieces_[piece], static_cast<const uint8_t*>(from) + done, part);
    status = table.upload(device_.queue(), static_cast<uint8_t*>(to) + done, pieces_[piece], part);
    if (!status) status = table.mark(device_.queue(), piece);
    if (status) return status_of(status);
    on_their_way_[piece] = true;
    done += part;
  }
  return DeviceStatus::ok;
}

}  // namespace firn
