#include <cstring>
#include <memory>

#include "bench/device/device_bench.h"
#include "firn/sketch.h"

namespace firn::bench {

void device_bench_stats(DeviceBench& bench) {
  const std::vector<float> weights = bench_weights(kDeviceElements, 1);
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    const std::string suffix = dtype == Dtype::f32 ? " f32" : " bf16";
    const size_t size = dtype_bytes(dtype);
    std::vector<DeviceBuffer> buffers;
    std::vector<uint8_t> elements(kDeviceElements * size);
    convert(weights.data(), Dtype::f32, weights.size(), elements.data(), dtype);
    const uint8_t* const w = bench.up(buffers, elements);
    const uint8_t* const g = bench.up(buffers, elements);  // an array of its own: the same one would be in the cache
    Sketch* const sketch = bench.room<Sketch>(buffers, 1);
    const auto on_processor = std::make_unique<Sketch>();
    sketch_values(elements.data(), dtype, kDeviceElements, *on_processor);
    const auto same = [&] {
      return std::memcmp(bench.down(sketch, 1).data(), on_processor.get(), sizeof(Sketch)) == 0;
    };
    bench.measure({.name = "sketch_values" + suffix,
                   .bytes = elements.size(),
                   .bar = 0.5,
                   .on_device =
                       [&] {
                         bench.check(bench.device().clear(sketch, sizeof(Sketch)));
                         bench.check(bench.device().run(&DeviceTable::sketch_values,
                                                        SketchValuesKernel{w, dtype, kDeviceElements, sketch}));
                       },
                   .on_processor =
                       [&](size_t first, size_t count) {
                         const auto own = std::make_unique<Sketch>();
                         sketch_values(elements.data() + first * size, dtype, count, *own);
                       },
                   .elements = kDeviceElements,
                   .same = same});
    *on_processor = {};
    sketch_sensitivity(elements.data(), dtype, elements.data(), dtype, kDeviceElements, *on_processor);
    bench.measure({.name = "sketch_sensitivity" + suffix,
                   .bytes = 2 * elements.size(),
                   .bar = 0.5,
                   .on_device =
                       [&] {
                         bench.check(bench.device().clear(sketch, sizeof(Sketch)));
                         bench.check(bench.device().run(
                             &DeviceTable::sketch_sensitivity,
                             SketchSensitivityKernel{w, g, dtype, dtype, kDeviceElements, sketch}));
                       },
                   .on_processor = nullptr,
                   .elements = kDeviceElements,
                   .same = same});
  }
}

}  // namespace firn::bench
