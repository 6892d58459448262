// The symbols of a block on a device.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "device/work/context_impl.h"
#include "firn/device.h"

namespace firn {

// The largest share of the budget that symbols may have: what is worked on needs room too.
inline constexpr uint64_t kSymbolShare = 3;

constexpr size_t in_sixteens(size_t bytes) { return (bytes + 15) / 16 * 16; }

class HeldSymbols final : public DeviceSymbols {
 public:
  static size_t bytes_of(size_t count) { return 2 * in_sixteens(count); }

  HeldSymbols(std::shared_ptr<DeviceContext> context, DevicePiecePtr piece, size_t element_count)
      : context_(std::move(context)), piece_(std::move(piece)), count(element_count) {
    const uint64_t bytes = bytes_of(count), most = context_->impl().memory.budget_bytes() / kSymbolShare;
    may_stay_ = context_->impl().symbol_bytes.fetch_add(bytes) + bytes <= most;
    if (!may_stay_) context_->impl().symbol_bytes -= bytes;
  }
  ~HeldSymbols() override {
    if (may_stay_) context_->impl().symbol_bytes -= bytes_of(count);
  }
  bool may_stay() const override { return may_stay_; }

  DeviceContext& context() const { return *context_; }
  uint8_t* symbols() const { return static_cast<uint8_t*>(piece_->address()); }
  uint8_t* contexts() const { return symbols() + in_sixteens(count); }

 private:
  std::shared_ptr<DeviceContext> context_;  // whose memory they are in
  DevicePiecePtr piece_;
  bool may_stay_;

 public:
  const size_t count;
  size_t changes = 0;             // symbols other than 0
  std::vector<uint32_t> escapes;  // on the host: there are few
};

}  // namespace firn
