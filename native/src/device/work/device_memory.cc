#include "device/work/device_memory.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace firn {
namespace {

// Sizes of pieces, so that most fit what was given back before.
size_t rounded(size_t bytes) {
  constexpr size_t kSmallest = 256, kStep = size_t{64} << 10;
  if (bytes <= kSmallest) return kSmallest;
  return bytes <= kStep ? std::bit_ceil(bytes) : (bytes + kStep - 1) / kStep * kStep;
}

}  // namespace

DevicePiece::~DevicePiece() { memory_.give_back(address_, bytes_); }

DeviceMemory::~DeviceMemory() {
  by_name_.clear();
  held_.clear();
  while (drop_spare(0)) {
  }
}

DeviceStatus DeviceMemory::take(size_t bytes, DevicePiecePtr* piece) {
  const size_t size = rounded(bytes);
  void* address = nullptr;
  for (;;) {
    DevicePiecePtr oldest;  // let go after the lock
    const std::lock_guard lock(mutex_);
    if (const auto found = spare_.find(size); found != spare_.end() && !found->second.empty()) {
      address = found->second.back();
      found->second.pop_back();
      break;
    }
    if (size > budget_bytes_) return DeviceStatus::out_of_memory;
    if (used_bytes_ + size <= budget_bytes_) {
      const auto status = static_cast<DeviceStatus>(table_.allocate(queue_, size, &address));
      if (status == DeviceStatus::ok) {
        used_bytes_ += size;
        peak_bytes_ = std::max(peak_bytes_, used_bytes_);
        break;
      }
      if (status != DeviceStatus::out_of_memory) return status;
    }
    if (drop_spare(size)) continue;
    oldest = let_go_oldest();
    if (!oldest) return DeviceStatus::out_of_memory;
  }
  try {
    *piece = std::make_shared<DevicePiece>(*this, address, size);
  } catch (const std::bad_alloc&) {
    give_back(address, size);
    throw;
  }
  return DeviceStatus::ok;
}

DevicePiecePtr DeviceMemory::find(std::string_view name, size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || found->second->bytes != bytes) return nullptr;
  held_.splice(held_.end(), held_, found->second);
  return found->second->piece;
}

void DeviceMemory::hold(std::string_view name, DevicePiecePtr piece, size_t bytes) {
  HeldList before;  // let go after the lock
  const std::lock_guard lock(mutex_);
  take_off(name, &before);
  held_.push_back({std::string(name), std::move(piece), bytes});
  by_name_.emplace(held_.back().name, std::prev(held_.end()));
}

void DeviceMemory::forget(std::string_view prefix) {
  HeldList gone;
  const std::lock_guard lock(mutex_);
  for (auto at = held_.begin(); at != held_.end();) {
    const auto next = std::next(at);
    if (std::string_view(at->name).starts_with(prefix)) {
      by_name_.erase(at->name);
      gone.splice(gone.end(), held_, at);
    }
    at = next;
  }
}

void DeviceMemory::rename(std::string_view from, std::string_view to) {
  HeldList gone;
  const std::lock_guard lock(mutex_);
  std::vector<HeldList::iterator> all;
  for (auto at = held_.begin(); at != held_.end(); ++at) {
    if (std::string_view(at->name).starts_with(from)) all.push_back(at);
  }
  // All leave the table first: a new name of one may be the old name of another.
  std::vector<decltype(by_name_)::node_type> entries;
  for (const HeldList::iterator at : all) entries.push_back(by_name_.extract(at->name));
  for (size_t i = 0; i < all.size(); ++i) {
    std::string& name = all[i]->name;
    name = std::string(to) + name.substr(from.size());
    take_off(name, &gone);
    entries[i].key() = name;
    by_name_.insert(std::move(entries[i]));
  }
}

uint64_t DeviceMemory::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

uint64_t DeviceMemory::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}

// Moves what is held under a name to `gone`, if anything is.
void DeviceMemory::take_off(std::string_view name, HeldList* gone) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  const auto at = found->second;
  by_name_.erase(found);
  gone->splice(gone->end(), held_, at);
}

void DeviceMemory::give_back(void* address, size_t bytes) {
  const std::lock_guard lock(mutex_);
  try {
    spare_[bytes].push_back(address);
  } catch (const std::bad_alloc&) {
    table_.release(queue_, address);
    used_bytes_ -= bytes;
  }
}

// Gives the device one spare piece back, of another size than `besides`; false if there is none.
bool DeviceMemory::drop_spare(size_t besides) {
  for (auto& [size, addresses] : spare_) {
    if (size == besides || addresses.empty()) continue;
    table_.release(queue_, addresses.back());
    addresses.pop_back();
    used_bytes_ -= size;
    return true;
  }
  return false;
}

// Null if nothing is held. Its memory is free once nobody works on it.
DevicePiecePtr DeviceMemory::let_go_oldest() {
  if (held_.empty()) return nullptr;
  by_name_.erase(held_.front().name);
  DevicePiecePtr piece = std::move(held_.front().piece);
  held_.pop_front();
  return piece;
}

}  // namespace firn
