// Inputs and helpers shared by the kernel tests: every instruction set level in turn, buffers at odd addresses, awkward
// floats.
#pragma once
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "check.h"
#include "firn/dtype.h"
#include "simd/cpu_features.h"
#include "simd/each_isa.h"

namespace firn::test {

inline constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::f16, Dtype::bf16};

// Around the widths of vectors, steps and tables inside the kernels.
inline constexpr size_t kCounts[] = {0, 1, 3, 7, 8, 15, 16, 31, 33, 63, 64, 65, 127, 1000, 2047, 2048, 2049, 5003};

using firn::for_each_isa;

// `count` elements that start `offset` bytes past an aligned address and end where the allocation ends.
class Elements {
 public:
  Elements(const std::vector<float>& values, Dtype dtype, size_t offset)
      : dtype_(dtype), count_(values.size()), offset_(offset), bytes_(offset + values.size() * dtype_bytes(dtype)) {
    for (size_t i = 0; i < count_; ++i) {
      const uint16_t word = dtype == Dtype::f16 ? f32_to_f16(values[i]) : f32_to_bf16(values[i]);
      if (dtype == Dtype::f32) std::memcpy(&bytes_[offset + i * 4], &values[i], 4);
      else std::memcpy(&bytes_[offset + i * 2], &word, 2);
    }
  }
  const void* data() const { return bytes_.data() + offset_; }
  Dtype dtype() const { return dtype_; }
  size_t count() const { return count_; }
  // Element i as the kernels see it.
  float at(size_t i) const {
    const uint8_t* bytes = bytes_.data() + offset_ + i * dtype_bytes(dtype_);
    if (dtype_ == Dtype::f32) {
      float value;
      std::memcpy(&value, bytes, sizeof value);
      return value;
    }
    uint16_t word;
    std::memcpy(&word, bytes, sizeof word);
    return dtype_ == Dtype::f16 ? f16_to_f32(word) : bf16_to_f32(word);
  }

 private:
  Dtype dtype_;
  size_t count_, offset_;
  std::vector<uint8_t> bytes_;
};

// Standard normal (Box and Muller).
inline float gaussian(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return static_cast<float>(radius * std::cos(6.283185307179586 * random.unit()));
}

// Weights of an ordinary tensor: normal with a spread of scales and a few outliers.
inline std::vector<float> plain_weights(Random& random, size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = 0.05f * gaussian(random) * std::exp(0.3f * gaussian(random));
    if (random.below(1000) == 0) value *= 8;
  }
  return values;
}

// Every kind of float: ordinary ones, any bit pattern, zeros of both signs, subnormals, infinities and NaNs of both
// signs.
inline std::vector<float> wild_floats(Random& random, size_t count) {
  constexpr uint32_t kSpecial[] = {0,          0x80000000, 1,          0x80000001, 0x007FFFFF, 0x807FFFFF,
                                   0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001,
                                   0x7FC00000, 0xFFC00000, 0x0001FFFF, 0x00020000};
  std::vector<float> values(count);
  for (float& value : values) {
    switch (random.below(4)) {
      case 0: value = std::bit_cast<float>(kSpecial[random.below(std::size(kSpecial))]); break;
      case 1: value = std::bit_cast<float>(static_cast<uint32_t>(random.next())); break;
      default: value = gaussian(random); break;
    }
  }
  return values;
}

// 96 x 96 weights of an attention projection of a small language model (data set lm-small, h.1.attn.proj.weight,
// checkpoints 16 and 17), little-endian binary32. Empty when the file cannot be read.
inline std::vector<float> real_weights(const char* which) {
  const auto path =
      std::filesystem::path(__FILE__).parent_path() / "fixtures" / ("attn_proj_96x96_" + std::string(which) + ".f32");
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace firn::test
