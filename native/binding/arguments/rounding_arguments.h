// How one segment is rounded along the inputs of its matrix, as arguments of a call.
#pragma once
#include <string>

#include "binding/arguments/arguments.h"
#include "firn/residual_quant/gptq.h"

namespace firn::binding {

// Arguments `first`..`first + 8`: the factor, the side of its blocks, inputs, outputs, whether inputs are the last
// axis, the segment's first element, strength, dead zone, and the factor's name on a device.
struct RoundingArguments {
  static constexpr size_t kCount = 9;
  Input<float> factor;  // data is null without rounding
  Gptq gptq;            // without rates
  std::string factor_name;

  static RoundingArguments read(Arguments& args, size_t first) {
    constexpr int64_t kSideMax = (int64_t{1} << 31) - 1, kElementMax = (int64_t{1} << 53) - 1;
    RoundingArguments r;
    r.factor = args.optional_floats(first);
    r.gptq.factor = r.factor.data;
    r.gptq.size = static_cast<uint32_t>(args.integer(first + 1, 1, kGptqBlockMax));
    r.gptq.inputs = static_cast<uint32_t>(args.integer(first + 2, 1, kSideMax));
    r.gptq.outputs = static_cast<uint32_t>(args.integer(first + 3, 1, kSideMax));
    r.gptq.inputs_last = args.integer(first + 4, 0, 1) == 1;
    r.gptq.first = static_cast<uint64_t>(args.integer(first + 5, 0, kElementMax));
    r.gptq.strength = static_cast<float>(args.number(first + 6));
    r.gptq.hysteresis = {static_cast<uint32_t>(args.integer(first + 7, 0, 256))};
    r.factor_name = args.text(first + 8);
    return r;
  }
  bool valid() const { return !factor.data || factor.count == uint64_t{gptq.inputs} * gptq.size; }
};

}  // namespace firn::binding
