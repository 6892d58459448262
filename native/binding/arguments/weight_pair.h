// Weights and, optionally, their gradient averages, as arguments `first`..`first + 3` of a call.
#pragma once
#include <string>

#include "binding/arguments/arguments.h"
#include "firn/codebook_quant/partition.h"
#include "firn/device_codebook.h"

namespace firn::binding {

struct WeightPair {
  InputBytes weights;
  Dtype weight_dtype;
  InputBytes gradients;  // data is null without gradients
  Dtype gradient_dtype;

  static WeightPair read(Arguments& args, size_t first) {
    return {args.bytes(first), args.dtype(first + 1), args.optional_bytes(first + 2), args.dtype(first + 3)};
  }
  size_t count() const { return weights.count / dtype_bytes(weight_dtype); }
  bool valid() const {
    return weights.count % dtype_bytes(weight_dtype) == 0 &&
           (!gradients.data || gradients.count == count() * dtype_bytes(gradient_dtype));
  }
};

// A pair, and the name under which a device holds it, as arguments `first`..`first + 4`.
struct NamedWeightPair : WeightPair {
  std::string name;

  static NamedWeightPair read(Arguments& args, size_t first) {
    return {WeightPair::read(args, first), args.text(first + 4)};
  }
  CodebookWeights for_device() const {
    return {name, weights.data, weight_dtype, gradients.data, gradient_dtype, count()};
  }
};

// The thresholds of a partition, as arguments `first`..`first + 3`.
inline Partition read_partition(Arguments& args, size_t first) {
  return {static_cast<float>(args.number(first)), static_cast<float>(args.number(first + 1)),
          args.member<Metric>(first + 2, 2), static_cast<float>(args.number(first + 3))};
}

}  // namespace firn::binding
