// Places where clusters may be cut, for an algorithm that cannot try every place.
#pragma once
#include <cstddef>
#include <vector>

#include "codebook_quant/codebook/runs.h"

namespace firn {

// Ends of runs of points that stay together: each point alone if there are at most `places`, else fewer runs than that.
// `edges` are those of the optimal clusters (codebook_quant/codebook/optimal.h), at most places / 2 of them. Each
// cluster is divided into equally wide parts, so places are dense where clusters are.
std::vector<size_t> cut_places(const Runs& points, const std::vector<size_t>& edges, size_t places);

}  // namespace firn
