// Prints a table of kernels on a device:
//   firn_device_bench [part of a name [emulated]]
// Without a CUDA device it says so and ends with 2. It ends with 1 when an answer differs from the processor's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "bench/device/device_bench.h"
#include "device/cpu_device.h"

namespace firn::bench {
namespace {

constexpr size_t kRounds = 7;
constexpr size_t kRepeats = 10;  // of a kernel between two marks

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void DeviceBench::check(DeviceStatus status) const {
  if (status == DeviceStatus::ok) return;
  std::fprintf(stderr, "the device failed with status %d\n", static_cast<int>(status));
  std::exit(1);
}

double DeviceBench::seconds_on_device(const std::function<void()>& run) {
  run();
  std::vector<double> seconds;
  const DeviceTable& table = device_.table();
  for (size_t round = 0; round < kRounds; ++round) {
    check(static_cast<DeviceStatus>(table.mark(device_.queue(), 0)));
    for (size_t i = 0; i < kRepeats; ++i) run();
    check(static_cast<DeviceStatus>(table.mark(device_.queue(), 1)));
    check(device_.wait());
    float milliseconds = 0;
    check(static_cast<DeviceStatus>(table.milliseconds(device_.queue(), 0, 1, &milliseconds)));
    seconds.push_back(milliseconds * 1e-3 / kRepeats);
  }
  return median(seconds);
}

void DeviceBench::measure_copy() {
  std::vector<DeviceBuffer> buffers;
  const size_t bytes = kDeviceElements * 4;
  const std::vector<float> values = bench_weights(kDeviceElements, 1);
  const float* const from = up(buffers, values);
  float* const to = room<float>(buffers, kDeviceElements);
  const double seconds = seconds_on_device([&] {
    check(static_cast<DeviceStatus>(device_.table().copy(device_.queue(), to, from, bytes)));
  });
  copy_bytes_per_s_ = 2.0 * static_cast<double>(bytes) / seconds;
  std::printf("%s: its own copy moves %.0f GB/s (read and write), %zu MiB\n\n", device_.info().name,
              copy_bytes_per_s_ * 1e-9, bytes >> 20);
  std::printf("| kernel | GB/s | of the copy | bar | one core, times | %u cores, times | same bytes |\n",
              std::thread::hardware_concurrency());
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
  std::fflush(stdout);
}

void DeviceBench::measure(const DeviceRow& row) {
  if (!wants(row.name)) return;
  row.on_device();
  check(device_.wait());
  const bool same = row.same();
  failed_ |= !same;
  const double seconds = seconds_on_device(row.on_device);
  std::string one_core = "", all_cores = "";
  if (row.on_processor) {
    const size_t threads = std::max(1u, std::thread::hardware_concurrency());
    // A sixteenth of the elements for one core: processors are slow.
    const size_t part = row.elements / 16;
    row.on_processor(0, part);
    const double one = seconds_of([&] { row.on_processor(0, part); }) * 16;
    const double all = seconds_of([&] {
      std::vector<std::thread> pool;
      const size_t share = row.elements / threads / 16 * 16;
      for (size_t t = 0; t < threads; ++t)
        pool.emplace_back([&, t] { row.on_processor(t * share, t + 1 == threads ? row.elements - t * share : share); });
      for (std::thread& thread : pool) thread.join();
    });
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", one / seconds), one_core = text;
    std::snprintf(text, sizeof text, "%.1f", all / seconds), all_cores = text;
  }
  const double rate = static_cast<double>(row.bytes) / seconds;
  std::printf("| %s | %.0f | %.2f | %s | %s | %s | %s |\n", row.name.c_str(), rate * 1e-9, rate / copy_bytes_per_s_,
              row.bar > 0 ? std::to_string(row.bar).substr(0, 4).c_str() : "", one_core.c_str(), all_cores.c_str(),
              same ? "yes" : "NO");
  std::fflush(stdout);
}

}  // namespace firn::bench

int main(int argc, char** argv) {
  using namespace firn;
  std::string why_not = "built without FIRN_CUDA";
  const DeviceTable* table = nullptr;
  // firn_device_bench <part of a name> emulated: the processor in a device's place, which shows whether answers are
  // right, and nothing of speed.
  if (argc > 2 && std::string(argv[2]) == "emulated") table = &cpu_device_table();
#ifdef FIRN_CUDA_LIBRARY
  if (!table) table = load_cuda_table(FIRN_CUDA_LIBRARY, &why_not);
#endif
  if (!table) {
    std::fprintf(stderr, "no device: %s\n", why_not.c_str());
    return 2;
  }
  DeviceStatus status;
  const auto device = Device::open(*table, 0, uint64_t{32} << 30, &status);
  if (!device) {
    std::fprintf(stderr, "the device cannot be opened\n");
    return 2;
  }
  bench::DeviceBench bench(*device, argc > 1 ? argv[1] : "");
  bench.measure_copy();
  bench::device_bench_stats(bench);
  bench::device_bench_codebook(bench);
  bench::device_bench_rounding(bench);
  bench::device_bench_cells(bench);
  bench::device_bench_context(bench);
  bench::device_bench_exact(bench);
  bench::device_bench_lattice(bench);
  return bench.failed() ? 1 : 0;
}
