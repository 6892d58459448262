// BitSnap's quantization of optimizer state (section 3.4, algorithm 2): 16 clusters of a tensor between quantiles of
// the normal distribution of its mean and deviation; in each, 256 values from the least to the largest. As in the paper
// nothing is entropy-coded: 12 bits an element.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "common/bytes.h"
#include "optimizer_state/state_coder.h"

namespace firn {
namespace {

constexpr size_t kClusters = 16;
constexpr float kCodeMax = 255;
// Quantiles i / 16 of the standard normal distribution, i = 1..15.
constexpr std::array<double, kClusters - 1> kQuantiles = {
    -1.5341205443525463, -1.1503493803760079, -0.8871465590188762, -0.6744897501960817,
    -0.4887764111146695, -0.3186393639643751, -0.1573106846101707, 0,
    0.1573106846101707,  0.3186393639643751,  0.4887764111146695,  0.6744897501960817,
    0.8871465590188762,  1.1503493803760079,  1.5341205443525463};

struct Cluster {
  float scale = 0, least = 0;

  float value(uint8_t code) const { return least + scale * (static_cast<float>(code) / kCodeMax); }
  uint8_t code(float value) const {
    if (scale == 0) return 0;
    const double share = (static_cast<double>(value) - static_cast<double>(least)) / static_cast<double>(scale);
    return static_cast<uint8_t>(std::clamp(std::nearbyint(share * kCodeMax), 0.0, double{kCodeMax}));
  }
};

using Bounds = std::array<float, kClusters - 1>;

Bounds bounds_of(std::span<const float> values) {
  double sum = 0, squares = 0;
  for (const float value : values) sum += static_cast<double>(value);
  const double mean = sum / static_cast<double>(values.size());
  for (const float value : values) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
  Bounds bounds;
  std::transform(kQuantiles.begin(), kQuantiles.end(), bounds.begin(),
                 [&](double z) { return static_cast<float>(mean + z * deviation); });
  return bounds;
}

// How many bounds are at or below the value.
uint8_t label_of(const Bounds& bounds, float value) {
  return static_cast<uint8_t>(std::upper_bound(bounds.begin(), bounds.end(), value) - bounds.begin());
}

// False if a cluster's range is too wide for binary32.
bool clusters_of(std::span<const float> values, std::span<const uint8_t> labels,
                 std::array<Cluster, kClusters>* clusters) {
  std::array<float, kClusters> least, most;
  least.fill(INFINITY);
  most.fill(-INFINITY);
  for (size_t i = 0; i < values.size(); ++i) {
    least[labels[i]] = std::min(least[labels[i]], values[i]);
    most[labels[i]] = std::max(most[labels[i]], values[i]);
  }
  for (size_t i = 0; i < kClusters; ++i) {
    if (!(least[i] <= most[i])) continue;
    (*clusters)[i] = {most[i] - least[i], least[i]};
    if (!std::isfinite((*clusters)[i].scale)) return false;
  }
  return true;
}

}  // namespace

bool encode_clusters(const StateBits& bits, const StateLayout& layout, std::vector<uint8_t>* out) {
  if (!std::all_of(bits.begin(), bits.end(), is_finite_bits)) return false;
  std::vector<float> values(bits.size());
  std::transform(bits.begin(), bits.end(), values.begin(),
                 [](uint32_t pattern) { return std::bit_cast<float>(pattern); });
  std::vector<uint8_t> labels(values.size()), codes(values.size());
  size_t first = 0;
  for (const StateSegment& segment : std::span(layout.segments, layout.segment_count)) {
    const auto part = std::span(values).subspan(first, segment.count);
    const auto label = std::span(labels).subspan(first, segment.count);
    std::array<Cluster, kClusters> clusters;
    if (!part.empty()) {
      const Bounds bounds = bounds_of(part);
      std::transform(part.begin(), part.end(), label.begin(), [&](float value) { return label_of(bounds, value); });
      if (!clusters_of(part, label, &clusters)) return false;
    }
    for (const Cluster& cluster : clusters) {
      append_float(cluster.scale, out);
      append_float(cluster.least, out);
    }
    for (size_t i = 0; i < part.size(); ++i) codes[first + i] = clusters[label[i]].code(part[i]);
    first += segment.count;
  }
  for (size_t i = 0; i < labels.size(); i += 2) {
    const uint32_t second = i + 1 < labels.size() ? labels[i + 1] : 0u;
    out->push_back(static_cast<uint8_t>(labels[i] | second << 4));
  }
  out->insert(out->end(), codes.begin(), codes.end());
  return true;
}

Status decode_clusters(ByteReader in, const StateLayout& layout, StateBits* out) {
  std::vector<std::array<Cluster, kClusters>> clusters(layout.segment_count);
  for (auto& of_segment : clusters) {
    for (Cluster& cluster : of_segment) {
      const uint8_t* const bytes = in.take(8);
      if (!bytes) return Status::truncated;
      const auto scale = load_le<uint32_t>(bytes), least = load_le<uint32_t>(bytes + 4);
      if (scale >= kInfinityBits || !is_finite_bits(least)) return Status::corrupt;
      cluster = {std::bit_cast<float>(scale), std::bit_cast<float>(least)};
    }
  }
  const uint8_t* const labels = in.take((layout.count + 1) / 2);
  const uint8_t* const codes = in.take(layout.count);
  if (!labels || (!codes && layout.count > 0)) return Status::truncated;
  if (in.left() > 0 || (layout.count % 2 != 0 && labels[layout.count / 2] >> 4 != 0)) return Status::corrupt;
  size_t element = 0;
  for (size_t segment = 0; segment < layout.segment_count; ++segment) {
    for (const size_t end = element + layout.segments[segment].count; element < end; ++element) {
      const uint8_t label = labels[element / 2] >> (element % 2 * 4) & 15;
      (*out)[element] = std::bit_cast<uint32_t>(clusters[segment][label].value(codes[element]));
    }
  }
  return Status::ok;
}

}  // namespace firn
