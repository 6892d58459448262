// Timing of kernels on a device. Each kernel's answer is compared with the processor's, then timed with the device's
// own marks; its figure stands beside the device's copy of as many bytes in the same run, and beside one and all cores.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "device/device.h"

namespace firn::bench {

struct DeviceRow {
  std::string name;
  // What the kernel has to read and write at least, of the device's memory; the processor handles the same elements.
  size_t bytes = 0;
  // 0 where there is none.
  double bar = 0;
  std::function<void()> on_device;
  // The same for elements [first, first + count) on the calling thread: all cores take a part each.
  std::function<void(size_t first, size_t count)> on_processor;
  size_t elements = 0;
  // Whether the answer of the device is the processor's; after on_device.
  std::function<bool()> same;
};

class DeviceBench {
 public:
  DeviceBench(Device& device, std::string filter) : device_(device), filter_(std::move(filter)) {}
  Device& device() { return device_; }
  // The device's copy, in bytes read and written a second.
  void measure_copy();
  bool wants(const std::string& name) const { return name.find(filter_) != std::string::npos; }
  void measure(const DeviceRow& row);
  bool failed() const { return failed_; }

  // A buffer with these bytes, which lives as long as the bench of one room.
  template <typename T>
  T* up(std::vector<DeviceBuffer>& buffers, const std::vector<T>& values) {
    T* const address = room<T>(buffers, values.size());
    check(device_.upload(address, values.data(), values.size() * sizeof(T)));
    check(device_.wait());
    return address;
  }
  template <typename T>
  T* room(std::vector<DeviceBuffer>& buffers, size_t count) {
    check(device_.take(count * sizeof(T), &buffers.emplace_back()));
    return buffers.back().as<T>();
  }
  template <typename T>
  std::vector<T> down(const T* from, size_t count) {
    std::vector<T> values(count);
    check(device_.download(values.data(), from, count * sizeof(T)));
    check(device_.wait());
    return values;
  }
  // Ends the process with a sentence when a device fails: a bench has nothing to fall back to.
  void check(DeviceStatus status) const;

 private:
  double seconds_on_device(const std::function<void()>& run);

  Device& device_;
  std::string filter_;
  double copy_bytes_per_s_ = 0;
  bool failed_ = false;
};

// Elements a row handles: 256 MiB of binary32, five times the level-2 cache of the largest device.
inline constexpr size_t kDeviceElements = 64u << 20;

// Sketches (sketch_bench.cc).
void device_bench_stats(DeviceBench& bench);
// Levels of a codebook and their tokens (codebook_bench.cc).
void device_bench_codebook(DeviceBench& bench);
// The lattice and moments (lattice_bench.cc).
void device_bench_lattice(DeviceBench& bench);
// Rounding along the inputs (rounding_bench.cc).
void device_bench_rounding(DeviceBench& bench);
// From the elements of a matrix to its cells, and back (cells_bench.cc).
void device_bench_cells(DeviceBench& bench);
// Counts, tables of elements and streams of the context coder (context_bench.cc).
void device_bench_context(DeviceBench& bench);
// Passes of exact blocks (exact_bench.cc).
void device_bench_exact(DeviceBench& bench);

}  // namespace firn::bench
