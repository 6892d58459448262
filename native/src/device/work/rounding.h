// The targets of one segment's weights, on a device (lattice_targets).
#pragma once
#include <string_view>

#include "device/work/block_arguments.h"
#include "residual_quant/gptq/gptq_cells_team.h"

namespace firn {

class Rounding {
 public:
  // False when the processor has to do it.
  bool find_cells(const LatticeSegment& segment, const Gptq& gptq);
  // Returns the targets, in memory of the device; null after a failure. A state without values is a base. Adds to
  // *d_failures if a weight or a previous value is out of range.
  float* round(DeviceWork& work, std::string_view factor_name, const void* d_weights, Dtype dtype, StateThere state,
               const uint8_t* d_rates, uint32_t* d_failures);

 private:
  LatticeSegment segment_;
  Gptq gptq_;
  GptqCells cells_{};
  uint64_t first_block_ = 0;
  uint32_t blocks_ = 0;
};

}  // namespace firn
