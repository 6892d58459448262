// Entropy-constrained scalar quantization of a sketch: cells with the least cost in squared error and bits together.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codebook_quant/codebook/runs.h"

namespace firn {

// Clusters of neighbouring points: the first point of each, and behind them the number of points. At most `k` (>= 1) of
// them, in as few clusters as attain the least of
//
//   sum over clusters of cost + price * mass * log2(all mass / mass)
//
// where a cluster's mass is the sum of `masses` of its points (whole numbers, all below 2^53; one for each of `runs`,
// all positive) and `price` >= 0 is in the unit of cost. Cuts are exact: every way to cut the points is considered, but
// those that cannot be in a best one. The best last cluster of j points does not move one way as j grows, as it does
// without a price (the second term breaks the quadrangle inequality: a run's bits are concave in its mass), so there is
// no divide and conquer: time O(k n^2) for n points, memory O(k n). No math library, and every sum in one order: the
// same on every machine. Throws std::bad_alloc.
std::vector<size_t> entropy_edges(const Runs& runs, const std::vector<double>& masses, uint32_t k, double price);

}  // namespace firn
