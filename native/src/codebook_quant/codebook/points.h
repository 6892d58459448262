// The points a codebook is clustered from: the occupied buckets of a sketch.
#pragma once
#include <cstddef>
#include <vector>

#include "firn/codebook_quant/codebook.h"

namespace firn {

// In increasing order of value; the two vectors have one length. Exact zeros are one point of value 0.
struct Points {
  std::vector<double> values;   // bucket midpoints
  std::vector<double> weights;  // >= 0
  size_t size() const { return values.size(); }
};

// The smallest value of each occupied bucket, in the same order.
std::vector<float> bucket_floors(const Sketch& sketch);

// Throws std::bad_alloc.
Points make_points(const Sketch& sketch, Weighting weighting, double sigma);

}  // namespace firn
