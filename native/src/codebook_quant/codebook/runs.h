// Runs of a codebook's points: the cost and the centroid of a cluster of them.
#pragma once
#include <cstddef>
#include <vector>

#include "codebook_quant/codebook/points.h"

namespace firn {

// A running sum and its rounding error so far, so that differences of two sums keep their digits.
struct Sum {
  double high = 0, low = 0;

  void add(double term) {
    const double sum = high + term, part = sum - high;
    low += (high - (sum - part)) + (term - part);  // Knuth's two-sum
    high = sum;
  }
  friend double operator-(const Sum& a, const Sum& b) { return (a.high - b.high) + (a.low - b.low); }
};

// Sums of w, w x and w x^2 over the points before one.
struct Moments {
  Sum weight, first, second;
};

// Points that have weight, and the cost of making a run of them one cluster.
class Runs {
 public:
  explicit Runs(const Points& points) : moments_(1) {
    for (size_t i = 0; i < points.size(); ++i) {
      const double value = points.values[i], weight = points.weights[i];
      if (!(weight > 0)) continue;
      Moments next = moments_.back();
      next.weight.add(weight);
      next.first.add(weight * value);
      next.second.add(weight * value * value);
      moments_.push_back(next);
      values_.push_back(value);
    }
  }

  // Runs of points that stay together, each of at least one point and given by its end. The cost of a cluster of them
  // is still that of its points.
  Runs(const Runs& points, const std::vector<size_t>& ends) : moments_(1) {
    size_t begin = 0;
    for (const size_t end : ends) {
      moments_.push_back(points.moments_[end]);
      values_.push_back(points.mean(begin, end));
      begin = end;
    }
  }

  size_t size() const { return values_.size(); }
  double value(size_t at) const { return values_[at]; }

  // Points [begin, end), begin < end.
  double cost(size_t begin, size_t end) const {
    const Moments &a = moments_[begin], &b = moments_[end];
    const double first = b.first - a.first, cost = (b.second - a.second) - first * first / (b.weight - a.weight);
    return cost > 0 ? cost : 0;
  }

  double mean(size_t begin, size_t end) const {
    if (end - begin == 1) return values_[begin];
    const Moments &a = moments_[begin], &b = moments_[end];
    return (b.first - a.first) / (b.weight - a.weight);
  }

 private:
  std::vector<Moments> moments_;
  std::vector<double> values_;
};

}  // namespace firn
