// Moments of the segments of a block on a device, for the sake of its weights, which stay there.
#include "device/work/block_arguments.h"
#include "stats/moments_team.h"

namespace firn {

bool device_moments(DeviceContext& context, const DeviceWeights& block, const uint32_t* counts, size_t segments,
                    Moments* moments) {
  // A row for each segment is more work than the sums of small ones.
  constexpr size_t kSegmentsMax = 1024;
  if (block.name.empty() || segments == 0 || segments > kSegmentsMax) return false;
  size_t count = 0;
  for (size_t s = 0; s < segments; ++s) count += counts[s];
  if (count == 0) return false;
  DeviceWork work(context, "add up moments");
  const auto* const d_weights = static_cast<const uint8_t*>(
      work.held(weights_name(block.name), block.weights, count * dtype_bytes(block.dtype)));
  const auto* const d_gradients =
      block.gradients ? static_cast<const uint8_t*>(work.held(gradients_name(block.name), block.gradients,
                                                              count * dtype_bytes(block.gradient_dtype)))
                      : nullptr;
  auto* const d_moments = work.room<Moments>(segments);
  std::vector<MomentsOfTensor> parts;
  size_t first = 0;
  for (size_t s = 0; work.ok() && s < segments; first += counts[s], ++s) {
    parts.push_back({d_weights + first * dtype_bytes(block.dtype),
                     d_gradients ? d_gradients + first * dtype_bytes(block.gradient_dtype) : nullptr, counts[s],
                     block.dtype, block.gradient_dtype, d_moments + s});
  }
  const MomentsOfTensor* const d_parts = work.put(parts);
  work.run(&DeviceTable::weight_moments, MomentsKernel{d_parts, static_cast<uint32_t>(parts.size())});
  work.bring(moments, d_moments, segments * sizeof(Moments));
  return work.wait() && work.done();
}

}  // namespace firn
