// Uninitialised bytes from malloc with one owner, so that a result can be handed to JavaScript without a copy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace firn::binding {

class OwnedBytes {
 public:
  OwnedBytes() = default;

  // Throws std::bad_alloc.
  static OwnedBytes allocate(size_t size) {
    OwnedBytes bytes;
    bytes.data_.reset(static_cast<uint8_t*>(std::malloc(size == 0 ? 1 : size)));
    if (!bytes.data_) throw std::bad_alloc();
    bytes.size_ = size;
    return bytes;
  }

  // A copy without the vector's spare capacity.
  static OwnedBytes copy(const std::vector<uint8_t>& source) {
    OwnedBytes bytes = allocate(source.size());
    if (!source.empty()) std::memcpy(bytes.data(), source.data(), source.size());
    return bytes;
  }

  uint8_t* data() { return data_.get(); }
  size_t size() const { return size_; }
  // Gives the memory up to the caller, who frees it with std::free.
  uint8_t* release() { return data_.release(); }

 private:
  struct Free {
    void operator()(uint8_t* data) const { std::free(data); }
  };
  std::unique_ptr<uint8_t[], Free> data_;
  size_t size_ = 0;
};

}  // namespace firn::binding
