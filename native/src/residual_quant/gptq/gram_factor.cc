#include <cmath>
#include <cstring>
#include <vector>

#include "firn/residual_quant/gptq.h"

namespace firn {
namespace {

// A pivot below this share of the mean diagonal is only rounding error.
constexpr double kPivotMin = 1e-9;

// Eliminates from the last row up; row j of the remainder is d_j times column j of U.
bool factor_one(const float* gram, size_t size, double damping, std::vector<double>& work, float* factor) {
  double trace = 0;
  for (size_t j = 0; j < size; ++j) trace += gram[j * size + j];
  const double mean = trace / static_cast<double>(size);
  if (!(mean > 0) || !std::isfinite(mean)) return false;
  for (size_t j = 0; j < size; ++j) {
    // Uses the lower half for both: an exact product is symmetric, a rounded one may not be.
    for (size_t k = 0; k <= j; ++k) work[j * size + k] = gram[j * size + k];
    work[j * size + j] += damping * mean;
  }
  for (size_t j = size; j-- > 0;) {
    const double* const row = work.data() + j * size;
    if (!(row[j] > kPivotMin * mean) || !std::isfinite(row[j])) return false;
    for (size_t i = 0; i < j; ++i) {
      const double share = row[i] / row[j];
      factor[j * size + i] = static_cast<float>(share);
      double* const above = work.data() + i * size;
      for (size_t k = 0; k <= i; ++k) above[k] -= share * row[k];
    }
  }
  for (size_t i = 0; i < size * size; ++i) {
    if (!std::isfinite(factor[i])) return false;
  }
  return true;
}

}  // namespace

Status gram_factor(const float* gram, size_t blocks, size_t size, float damping, float* factor) {
  if (size == 0 || size > kGptqBlockMax || !(damping > 0) || !std::isfinite(damping))
    return Status::invalid_argument;
  const size_t count = size * size;
  std::vector<double> work(count);
  for (size_t block = 0; block < blocks; ++block) {
    float* const out = factor + block * count;
    std::memset(out, 0, count * sizeof *out);
    if (!factor_one(gram + block * count, size, damping, work, out)) std::memset(out, 0, count * sizeof *out);
  }
  return Status::ok;
}

}  // namespace firn
