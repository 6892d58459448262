// The exponent that difference contexts are counted down from.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/bytes.h"

namespace firn {

// One element in this many may have a larger exponent: a few outliers must not push all others into the lowest context.
inline constexpr size_t kExponentOutliers = 1024;

// They are looked at in runs, which are in few lines of a cache.
inline constexpr size_t kReferenceRun = 32;

// The largest exponent that more than one in kExponentOutliers of the elements looked at reach, the field of infinities
// and NaN left out; 0 for integers. Looked at is one run in `stride`. An encoder's choice: it is stored, and any value
// decodes.
template <typename E>
uint32_t reference_exponent(const uint8_t* words, size_t count, size_t stride = 1) {
  if constexpr (!E::kFloat) return 0;
  std::array<uint32_t, 1u << E::kExponentBits> counts{};
  for (size_t run = 0; run < count; run += kReferenceRun * stride) {
    const size_t end = std::min(run + kReferenceRun, count);
    for (size_t i = run; i < end; ++i)
      ++counts[E::exponent(load_le<typename E::Word>(words + i * sizeof(typename E::Word)))];
  }
  size_t above = 0;
  for (size_t exponent = counts.size() - 1; exponent-- > 1;) {
    above += counts[exponent];
    if (above > count / stride / kExponentOutliers) return static_cast<uint32_t>(exponent);
  }
  return 0;
}

}  // namespace firn
