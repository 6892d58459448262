#include "test/device/device_columns.h"

namespace firn::test {

// FIRN_TESTS_DEVICE=required: on a machine with a GPU, a run that did not reach it proves nothing.
TEST_CASE("device: the CUDA device is among the columns where it is required") {
  const std::string& why_not = Devices::all().why_no_cuda();
  if (!why_not.empty()) std::printf("no CUDA device: %s\n", why_not.c_str());
  CHECK(why_not.empty() || !has_setting("FIRN_TESTS_DEVICE", "required"));
}

TEST_CASE("device: a budget holds, and what is given back can be taken again") {
  DeviceStatus status;
  const auto device = Device::open(cpu_device_table(), 0, 1000, &status);
  REQUIRE(device != nullptr);
  DeviceBuffer first, second;
  CHECK(device->take(600, &first) == DeviceStatus::ok);
  CHECK(device->take(401, &second) == DeviceStatus::out_of_memory);
  CHECK_EQ(device->used_bytes(), 600u);
  DeviceBuffer moved = std::move(first);
  moved.give_back();
  CHECK(device->take(1000, &second) == DeviceStatus::ok);
  CHECK_EQ(device->used_bytes(), 1000u);
  CHECK(device->take(1, &second) == DeviceStatus::ok);  // taking anew gives back first
  CHECK_EQ(device->used_bytes(), 1u);
}

TEST_CASE("device: bytes go up through pinned pieces in order, whatever their number") {
  for (const auto& device : Devices::all().list()) {
    const auto upload = PinnedUpload::open(*device);
    REQUIRE(upload != nullptr);
    for (const size_t count : {size_t{0}, size_t{1}, PinnedUpload::kPieceBytes, 3 * PinnedUpload::kPieceBytes + 17}) {
      std::vector<uint8_t> bytes(count), found(count);
      for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 2654435761u >> 24);
      DeviceBuffer buffer;
      CHECK(device->take(count, &buffer) == DeviceStatus::ok);
      const std::vector<uint8_t> expected = bytes;
      CHECK(upload->upload(buffer.address(), bytes.data(), count) == DeviceStatus::ok);
      std::fill(bytes.begin(), bytes.end(), uint8_t{0});
      CHECK(device->download(found.data(), buffer.address(), count) == DeviceStatus::ok);
      CHECK(device->wait() == DeviceStatus::ok);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("device: a library that is not there, or no library of ours, is a sentence") {
  std::string why_not;
  CHECK(load_cuda_table("/nonexistent/libfirn_cuda.so", &why_not) == nullptr);
  CHECK(!why_not.empty());
  why_not.clear();
  CHECK(load_cuda_table("libc.so.6", &why_not) == nullptr);
  CHECK(!why_not.empty());
}

}  // namespace firn::test
