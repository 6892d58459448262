#include <new>
#include <utility>

#include "device/cpu_device.h"
#include "device/work/context_impl.h"

namespace firn {
namespace {

constexpr uint64_t kEmulatedBytes = uint64_t{1} << 30;
constexpr size_t kPinnedPieceBytes = size_t{1} << 20;  // two a queue: a block of binary32 is half of one

}  // namespace

std::unique_ptr<DeviceLane> DeviceContext::Impl::take_lane(DeviceStatus* status) {
  {
    const std::lock_guard lock(mutex);
    *status = DeviceStatus::ok;
    if (!idle.empty()) {
      auto lane = std::move(idle.back());
      idle.pop_back();
      return lane;
    }
  }
  *status = next_call();
  if (*status != DeviceStatus::ok) return nullptr;
  auto lane = std::make_unique<DeviceLane>();
  lane->device = Device::open(table, choice.index, 0, status);
  if (!lane->device) return nullptr;
  lane->upload = PinnedUpload::open(*lane->device, kPinnedPieceBytes);
  if (lane->upload) return lane;
  *status = DeviceStatus::out_of_memory;
  return nullptr;
}

void DeviceContext::Impl::give_lane(std::unique_ptr<DeviceLane> lane) {
  const std::lock_guard lock(mutex);
  idle.push_back(std::move(lane));
}

DeviceStatus DeviceContext::Impl::next_call() {
  if (choice.fails_at == 0 && choice.memory_fails_at == 0) return DeviceStatus::ok;
  const std::lock_guard lock(mutex);
  ++calls;
  if (choice.fails_at > 0 && calls >= choice.fails_at) return DeviceStatus::failed;
  return calls == choice.memory_fails_at ? DeviceStatus::out_of_memory : DeviceStatus::ok;
}

void DeviceContext::Impl::begin_work() {
  const std::lock_guard lock(mutex);
  if (under_way++ == 0) busy_since = Clock::now();
}

void DeviceContext::Impl::end_work(DeviceContext::Counts& account, End end, bool after_loss, const char* what,
                                   Moved bytes) {
  if (end == End::done) ++account.works;
  else if (after_loss) ++account.after_loss;
  else if (end != End::declined) ++account.failures;
  const std::lock_guard lock(mutex);
  if (--under_way == 0) busy += Clock::now() - busy_since;
  moved.up += bytes.up;
  moved.down += bytes.down;
  if (end == End::done) ++works;
  else if (end == End::declined) ++declined;
  else ++failures;
  if (end == End::failed && !is_lost) {
    is_lost = true;
    last_failure = std::string("it failed while it was to ") + what;
  } else if (end == End::no_room && !is_lost) {
    last_failure = std::string("it had no room to ") + what;
  }
}

bool DeviceContext::Impl::lost() const {
  const std::lock_guard lock(mutex);
  return is_lost;
}

DeviceContext::DeviceContext(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

DeviceContext::~DeviceContext() = default;

std::shared_ptr<DeviceContext> DeviceContext::with_own_account() const {
  return std::shared_ptr<DeviceContext>(new DeviceContext(impl_));
}

DeviceAccount DeviceContext::account() const {
  return {.works = counts_.works, .failures = counts_.failures, .after_loss = counts_.after_loss};
}

std::shared_ptr<DeviceContext> DeviceContext::open(const DeviceChoice& choice, std::string* why_not) {
  const bool is_cuda = choice.kind == DeviceKind::cuda;
  const DeviceTable* const table = is_cuda ? load_cuda_table(choice.library.c_str(), why_not) : &cpu_device_table();
  if (!table) return nullptr;
  DeviceInfo info{};
  void* queue = nullptr;
  if (table->info(choice.index, &info) || table->open(choice.index, &queue)) {
    *why_not = "the device cannot be opened";
    return nullptr;
  }
  const uint64_t free_bytes = is_cuda ? info.free_bytes : kEmulatedBytes;
  const uint64_t budget = choice.budget_bytes > 0 ? choice.budget_bytes : free_bytes / 2;
  // The queue of its memory goes last.
  const auto close = [table, queue](Impl* impl) {
    delete impl;
    table->close(queue);
  };
  const std::shared_ptr<Impl> impl(new Impl(*table, choice, info, queue, budget), close);
  return std::shared_ptr<DeviceContext>(new DeviceContext(impl));
}

DeviceFigures DeviceContext::figures() const {
  const Impl& impl = *impl_;
  const std::lock_guard lock(impl.mutex);
  Impl::Clock::duration busy = impl.busy;
  if (impl.under_way > 0) busy += Impl::Clock::now() - impl.busy_since;
  return {.name = impl.choice.kind == DeviceKind::cuda ? impl.info.name : "emulated",
          .total_bytes = impl.info.total_bytes,
          .budget_bytes = impl.memory.budget_bytes(),
          .used_bytes = impl.memory.used_bytes(),
          .peak_bytes = impl.memory.peak_bytes(),
          .uploaded_bytes = impl.moved.up,
          .downloaded_bytes = impl.moved.down,
          .works = impl.works,
          .declined = impl.declined,
          .failures = impl.failures,
          .busy_seconds = std::chrono::duration<double>(busy).count(),
          .lost = impl.is_lost,
          .last_failure = impl.last_failure};
}

void DeviceContext::forget(std::string_view prefix) { impl_->memory.forget(prefix); }

void DeviceContext::rename(std::string_view from, std::string_view to) { impl_->memory.rename(from, to); }

}  // namespace firn
