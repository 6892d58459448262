// Tokens of the run-length coder (Inshrinkerator section 6): a value -d <= 0, or a run length r >= 2 that follows its
// value.
//
// Tokens are numbered so that both kinds share one alphabet: value -d has id d (0..255), run r has id r + 254 (256 and
// up).
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "common/bytes.h"
#include "firn/delta.h"

namespace firn {

inline constexpr uint32_t kValueTokens = 256;
inline constexpr uint32_t kRunMin = 2;
inline constexpr uint32_t kRunMax = static_cast<uint32_t>(kBlockElementsMax);

constexpr bool token_is_run(uint32_t id) { return id >= kValueTokens; }
constexpr uint32_t run_token(uint32_t length) { return length + kValueTokens - kRunMin; }
constexpr uint32_t run_length(uint32_t id) { return id - kValueTokens + kRunMin; }

// Bytes readable (and, for decoding, writable) past the last difference of a block: runs are handled by words.
inline constexpr size_t kDifferencesSlackBytes = 16;

// Room for `count` differences and the slack, which is zero.
inline std::unique_ptr<uint8_t[]> make_differences(size_t count) {
  auto differences = std::make_unique_for_overwrite<uint8_t[]>(count + kDifferencesSlackBytes);
  std::memset(differences.get() + count, 0, kDifferencesSlackBytes);
  return differences;
}

// Index after the run of equal bytes that starts at `begin`; begin < end; reads up to kDifferencesSlackBytes past
// `end`.
inline size_t run_end(const uint8_t* differences, size_t begin, size_t end) {
  const uint64_t pattern = 0x0101010101010101ull * differences[begin];
  for (size_t i = begin + 1; i < end; i += 8) {
    const uint64_t unequal = load_le<uint64_t>(differences + i) ^ pattern;
    if (unequal != 0) {
      const size_t at = i + static_cast<size_t>(std::countr_zero(unequal)) / 8;
      return at < end ? at : end;
    }
  }
  return end;
}

}  // namespace firn
