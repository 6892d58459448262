#include "codebook_quant/codebook/entropy.h"

#include <algorithm>
#include <limits>

#include "codebook_quant/codebook/mass_bits.h"
#include "codebook_quant/codebook/optimal.h"

namespace firn {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Sums of two rows, stored separately so that several are added and compared at a time. The least of doubles is the
// same in any order.
constexpr size_t kLanes = 8;

double least_sum(const double* a, const double* b, size_t count) {
  double least[kLanes];
  std::fill_n(least, kLanes, kNever);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const double sum = a[i + lane] + b[i + lane];
      least[lane] = sum < least[lane] ? sum : least[lane];
    }
  }
  double result = *std::min_element(least, least + kLanes);
  for (; i < count; ++i) result = std::min(result, a[i] + b[i]);
  return result;
}

// rows[c][j] = the least cost of the first j points in c + 1 clusters.
class PricedTable {
 public:
  PricedTable(const Runs& runs, const std::vector<double>& masses, uint32_t k, double price)
      : runs_(runs), k_(k), points_(runs.size()), masses_(points_ + 1, 0), last_(points_),
        rows_(k * (points_ + 1), kNever), price_(price) {
    for (size_t i = 0; i < points_; ++i) masses_[i + 1] = masses_[i] + masses[i];
    bound_ = cost_of(optimal_edges(runs, k));
    for (size_t j = 1; j <= points_; ++j) fill(j);
  }

  std::vector<size_t> edges() const {
    uint32_t c = 0;
    for (uint32_t other = 1; other < k_; ++other) {
      if (row(other)[points_] < row(c)[points_]) c = other;
    }
    std::vector<size_t> edges(c + 2, 0);
    edges[c + 1] = points_;
    for (; c > 0; --c) edges[c] = last_start(c, edges[c + 1]);
    return edges;
  }

 private:
  const double* row(uint32_t c) const { return &rows_[c * (points_ + 1)]; }

  double cost(size_t begin, size_t end) const {
    const double mass = masses_[end] - masses_[begin];
    return runs_.cost(begin, end) + price_ * (mass * (mass_bits(masses_[points_]) - mass_bits(mass)));
  }

  double cost_of(const std::vector<size_t>& edges) const {
    double sum = 0;
    for (size_t c = 0; c + 1 < edges.size(); ++c) sum += cost(edges[c], edges[c + 1]);
    return sum;
  }

  void fill(size_t j) {
    // Error alone grows with a cluster, and one beyond the cost of the best clusters without a price is in no best way
    // to cut.
    while (first_ + 1 < j && runs_.cost(first_, j) > bound_) ++first_;
    for (size_t i = first_; i < j; ++i) last_[i] = cost(i, j);
    if (first_ == 0) rows_[j] = last_[0];
    for (uint32_t c = 1; c < k_ && c < j; ++c) {
      const size_t from = std::max<size_t>(first_, c);
      rows_[c * (points_ + 1) + j] = least_sum(row(c - 1) + from, &last_[from], j - from);
    }
  }

  // Start of the last of c + 1 clusters of the first j points: the first place whose sum equals the row's entry.
  size_t last_start(uint32_t c, size_t j) const {
    size_t at = c;
    while (at + 1 < j && row(c - 1)[at] + cost(at, j) != row(c)[j]) ++at;
    return at;
  }

  const Runs& runs_;
  uint32_t k_;
  size_t points_, first_ = 0;
  std::vector<double> masses_;  // before each point
  std::vector<double> last_;    // by where it starts: the cost of the last cluster of the j points at hand
  std::vector<double> rows_;
  double price_, bound_ = kNever;
};

}  // namespace

std::vector<size_t> entropy_edges(const Runs& runs, const std::vector<double>& masses, uint32_t k, double price) {
  k = static_cast<uint32_t>(std::min<size_t>(k, runs.size()));
  return PricedTable(runs, masses, k, price).edges();
}

}  // namespace firn
