// Runs a kernel over teams in every way there is and hands each answer to a check: on the processor as a device (teams
// of one), on teams of real threads, and on a CUDA device when the library is built and finds one.
#pragma once
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cpu_device.h"
#include "device/device.h"
#include "team/thread_team.h"
#include "test/kernel_data.h"

namespace firn::test {

// Whether a variable of the environment has this value.
inline bool has_setting(const char* name, const char* value) {
  const char* const found = std::getenv(name);
  return found && std::string(found) == value;
}

// The devices of this machine, opened once. FIRN_TESTS_COLUMNS=cuda leaves the CUDA device alone, for tools that
// watch it.
class Devices {
 public:
  static Devices& all() {
    static Devices devices;
    return devices;
  }
  std::span<const std::unique_ptr<Device>> list() const { return devices_; }
  const std::string& why_no_cuda() const { return why_no_cuda_; }

 private:
  static constexpr uint64_t kBudgetBytes = uint64_t{4} << 30;
  Devices() {
    if (!has_setting("FIRN_TESTS_COLUMNS", "cuda")) open(cpu_device_table());
#ifdef FIRN_CUDA_LIBRARY
    if (const DeviceTable* const table = load_cuda_table(FIRN_CUDA_LIBRARY, &why_no_cuda_)) open(*table);
#else
    why_no_cuda_ = "built without FIRN_CUDA";
#endif
  }
  void open(const DeviceTable& table) {
    DeviceStatus status;
    auto device = Device::open(table, 0, kBudgetBytes, &status);
    if (device) devices_.push_back(std::move(device));
    else why_no_cuda_ = "the device cannot be opened";
  }
  std::vector<std::unique_ptr<Device>> devices_;
  std::string why_no_cuda_;
};

// An array that a kernel gets: as it is before, on whichever memory the column has.
class Arrays {
 public:
  explicit Arrays(Device* device) : device_(device) {}

  // `bytes` bytes at an address that is a multiple of 16, filled from `from` or, without one, with rubbish.
  void* add(const void* from, size_t bytes) {
    Copy& copy = copies_.emplace_back();
    copy.host.resize(bytes / sizeof(SharedUnit) + 1);
    std::memset(copy.host.data(), 0xA5, copy.host.size() * sizeof(SharedUnit));
    if (from && bytes > 0) std::memcpy(copy.host.data(), from, bytes);
    if (!device_) return copy.host.data();
    CHECK(device_->take(bytes, &copy.there) == DeviceStatus::ok);
    CHECK(device_->upload(copy.there.address(), copy.host.data(), bytes) == DeviceStatus::ok);
    return copy.there.address();
  }
  template <typename T>
  T* add(const std::vector<T>& values) {
    return static_cast<T*>(add(values.data(), values.size() * sizeof(T)));
  }
  template <typename T>
  T* add_output(size_t count) {
    return static_cast<T*>(add(nullptr, count * sizeof(T)));
  }
  // What is at an address that add() returned.
  template <typename T>
  std::vector<T> read(const T* address, size_t count) {
    std::vector<T> values(count);
    if (count == 0) return values;
    if (!device_) {
      std::memcpy(values.data(), address, count * sizeof(T));
      return values;
    }
    CHECK(device_->download(values.data(), address, count * sizeof(T)) == DeviceStatus::ok);
    CHECK(device_->wait() == DeviceStatus::ok);
    return values;
  }

 private:
  struct Copy {
    std::vector<SharedUnit> host;
    DeviceBuffer there;
  };
  Device* device_;
  std::vector<Copy> copies_;
};

// Calls body(arrays, run) for every column; run(&DeviceTable::kernel, Kernel{...}) runs a kernel there. `threads`
// members and `processors` multiprocessors vary what must not matter.
template <typename Body>
void for_each_column(Random& random, Body body) {
  for (const auto& device : Devices::all().list()) {
    Arrays arrays(device.get());
    body(arrays, [&]<typename Kernel>(int32_t (*DeviceTable::*kernel)(void*, const Kernel*), const Kernel& arguments) {
      CHECK(device->run(kernel, arguments) == DeviceStatus::ok);
      CHECK(device->wait() == DeviceStatus::ok);
    });
  }
  if (has_setting("FIRN_TESTS_COLUMNS", "cuda")) return;
  const uint32_t members = 2 + static_cast<uint32_t>(random.below(4));
  const uint32_t processors = 1 + static_cast<uint32_t>(random.below(3));
  Arrays arrays(nullptr);
  body(arrays, [&]<typename Kernel>(int32_t (*DeviceTable::*)(void*, const Kernel*), const Kernel& arguments) {
    run_threads(arguments, members, processors);
  });
}

// Random inputs a kernel: few in ctest, 10,000 with FIRN_TESTS_ROUNDS=10000.
inline size_t rounds(size_t few) {
  const char* const wanted = std::getenv("FIRN_TESTS_ROUNDS");
  return wanted ? std::strtoul(wanted, nullptr, 10) : few;
}

// Mostly small, with the sizes around vectors, warps and teams, and a few large ones.
inline size_t random_count(Random& random, size_t largest) {
  switch (random.below(8)) {
    case 0: return random.below(3);
    case 1: return std::min<size_t>(largest, kCounts[random.below(std::size(kCounts))]);
    case 2: return random.below(largest + 1);
    default: return random.below(std::min<size_t>(largest, 1500) + 1);
  }
}

// Weights as trained ones, wild ones of any bits, all alike, or zeros.
inline std::vector<float> random_floats(Random& random, size_t count) {
  switch (random.below(6)) {
    case 0: return wild_floats(random, count);
    case 1: return std::vector<float>(count, gaussian(random));
    case 2: return std::vector<float>(count, random.below(2) ? 0.0f : -0.0f);
    default: return plain_weights(random, count);
  }
}

// `values` in `dtype`, as they lie in a file.
inline std::vector<uint8_t> elements(const std::vector<float>& values, Dtype dtype) {
  std::vector<uint8_t> bytes(values.size() * dtype_bytes(dtype));
  convert(values.data(), Dtype::f32, values.size(), bytes.data(), dtype);
  return bytes;
}

}  // namespace firn::test
