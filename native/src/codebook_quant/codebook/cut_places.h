// Places where clusters may be cut, for an algorithm that cannot try every place.
#pragma once
#include <cstddef>
#include <vector>

#include "codebook_quant/codebook/runs.h"

namespace firn {

// Ends of runs of points that stay together: each point alone where there are at most `places`, else fewer runs than
// that. `edges` are those of the optimal clusters (codebook_quant/codebook/optimal.h), at most places / 2 of them; each
// is divided into equally wide parts, so places lie as close as clusters do.
std::vector<size_t> cut_places(const Runs& points, const std::vector<size_t>& edges, size_t places);

}  // namespace firn
