#include "device/work/device_work.h"

#include <utility>

namespace firn {

DeviceWork::DeviceWork(DeviceContext& context, const char* what, Need need)
    : impl_(context.impl()), account_(context.counts()), what_(what), need_(need) {
  impl_.begin_work();
  was_lost_ = impl_.lost();
  if (was_lost_) settle(DeviceStatus::failed);
  try {
    if (ok()) lane_ = impl_.take_lane(&status_);
  } catch (...) {
    impl_.end_work(account_, DeviceContext::Impl::End::declined, was_lost_, what_, {});
    throw;
  }
}

DeviceWork::~DeviceWork() {
  if (lane_) {
    // Memory may be given to others only when nothing works on it any more.
    if (is_under_way_ && lane_->device->wait() != DeviceStatus::ok) settle(DeviceStatus::failed);
    to_hold_.clear();
    pieces_.clear();
    if (status_ != DeviceStatus::failed) impl_.give_lane(std::move(lane_));
  }
  using End = DeviceContext::Impl::End;
  const End end = was_lost_                               ? End::declined
                  : status_ == DeviceStatus::failed          ? End::failed
                  : status_ == DeviceStatus::out_of_memory ? (need_ == Need::keep ? End::declined : End::no_room)
                  : is_done_                               ? End::done
                                                           : End::declined;
  impl_.end_work(account_, end, was_lost_, what_, {uploaded_bytes_, downloaded_bytes_});
}

bool DeviceWork::enter() {
  if (!ok()) return false;
  settle(impl_.next_call());
  is_under_way_ |= ok();
  return ok();
}

DevicePiecePtr DeviceWork::take(size_t bytes) {
  if (!ok()) return nullptr;
  settle(impl_.next_call());
  DevicePiecePtr piece;
  if (ok()) settle(impl_.memory.take(bytes, &piece));
  if (ok()) pieces_.push_back(piece);
  return ok() ? piece : nullptr;
}

void* DeviceWork::put(const void* from, size_t bytes) {
  const DevicePiecePtr piece = take(bytes);
  if (!piece || !enter()) return nullptr;
  settle(lane_->upload->upload(piece->address(), from, bytes));
  uploaded_bytes_ += bytes;
  return ok() ? piece->address() : nullptr;
}

void* DeviceWork::find(std::string_view name, size_t bytes) {
  if (!ok() || name.empty()) return nullptr;
  DevicePiecePtr piece = impl_.memory.find(name, bytes);
  if (!piece) return nullptr;
  pieces_.push_back(piece);
  return piece->address();
}

void* DeviceWork::put_held(std::string_view name, const void* from, size_t bytes) {
  void* const address = put(from, bytes);
  if (address && !name.empty()) hold(name, pieces_.back(), bytes);
  return address;
}

void DeviceWork::hold(std::string_view name, const DevicePiecePtr& piece, size_t bytes) {
  if (ok() && piece) to_hold_.push_back({std::string(name), piece, bytes});
}

void DeviceWork::clear(void* address, size_t bytes) {
  if (enter()) settle(lane_->device->clear(address, bytes));
}

void DeviceWork::bring(void* to, const void* from, size_t bytes) {
  if (!enter()) return;
  settle(lane_->device->download(to, from, bytes));
  downloaded_bytes_ += bytes;
}

bool DeviceWork::wait() {
  // After a failure too: memory of the host that something comes back to may go when this returns.
  if (is_under_way_ && lane_->device->wait() != DeviceStatus::ok) settle(DeviceStatus::failed);
  is_under_way_ = false;
  settle(impl_.next_call());
  if (!ok()) return false;
  for (ToHold& piece : to_hold_) impl_.memory.hold(piece.name, std::move(piece.piece), piece.bytes);
  to_hold_.clear();
  return true;
}

bool DeviceWork::done() {
  is_done_ = ok();
  return is_done_;
}

}  // namespace firn
