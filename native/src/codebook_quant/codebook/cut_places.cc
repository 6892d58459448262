#include "codebook_quant/codebook/cut_places.h"

namespace firn {

std::vector<size_t> cut_places(const Runs& points, const std::vector<size_t>& edges, size_t places) {
  std::vector<size_t> ends;
  const bool all = points.size() <= places;
  const size_t clusters = edges.size() - 1;
  for (size_t c = 0; c < clusters; ++c) {
    const double low = points.value(edges[c]), width = points.value(edges[c + 1] - 1) - low;
    // The highest value has a part of its own.
    const double parts = static_cast<double>(places / clusters - 1);
    const auto part_of = [&](size_t i) { return static_cast<size_t>((points.value(i) - low) / width * parts); };
    for (size_t i = edges[c]; i + 1 < edges[c + 1]; ++i) {
      if (all || part_of(i) != part_of(i + 1)) ends.push_back(i + 1);
    }
    ends.push_back(edges[c + 1]);
  }
  return ends;
}

}  // namespace firn
