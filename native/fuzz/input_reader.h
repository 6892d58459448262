#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "common/bytes.h"

namespace firn {

// Asserts a property of a fuzz target; a failure ends the process, which every fuzzer reports.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// Numbers and bytes from the front of a fuzzer's input. Missing bytes of a number are 0; missing bytes of a sequence
// are left out.
class InputReader {
 public:
  InputReader(const uint8_t* data, size_t size) : at_(data), left_(size) {}

  template <typename T>
  T next() {
    const std::vector<uint8_t> given = bytes(sizeof(T));
    uint8_t padded[sizeof(T)] = {};
    std::copy(given.begin(), given.end(), padded);
    return load_le<T>(padded);
  }

  std::vector<uint8_t> bytes(size_t count) {
    const size_t given = std::min(count, left_);
    const std::vector<uint8_t> result(at_, at_ + given);
    at_ += given;
    left_ -= given;
    return result;
  }

 private:
  const uint8_t* at_;
  size_t left_;
};

}  // namespace firn
