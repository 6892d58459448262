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
    const auto sketch_there = [&] {
      bench.check(bench.device().clear(sketch, sizeof(Sketch)));
      bench.check(bench.device().run(&DeviceTable::sketch_values,
                                     SketchValuesKernel{w, dtype, kDeviceElements, sketch}));
    };
    bench.measure({.name = "sketch_values" + suffix,
                   .bytes = elements.size(),
                   .bar = 0.5,
                   .on_device = sketch_there,
                   .on_processor =
                       [&](size_t first, size_t count) {
                         const auto own = std::make_unique<Sketch>();
                         sketch_values(elements.data() + first * size, dtype, count, *own);
                       },
                   .elements = kDeviceElements,
                   .same = same});
    SketchEntry* const entries = bench.room<SketchEntry>(buffers, kSketchBuckets);
    SketchRest* const rest = bench.room<SketchRest>(buffers, 1);
    if (bench.wants("sketch_pack" + suffix)) sketch_there();
    // One team: its time is what a block waits for, whatever share of the copy that is.
    bench.measure({.name = "sketch_pack" + suffix,
                   .bytes = sizeof(Sketch),
                   .bar = 0,
                   .on_device =
                       [&] {
                         bench.check(bench.device().run(&DeviceTable::sketch_pack,
                                                        SketchPackKernel{sketch, rest, entries}));
                       },
                   .on_processor = nullptr,
                   .elements = kSketchBuckets,
                   .same =
                       [&] {
                         uint64_t counted = 0, there = 0;
                         for (const uint64_t count : on_processor->counts) counted += count;
                         for (const SketchEntry& entry : bench.down(entries, bench.down(rest, 1)[0].entries))
                           there += entry.count;
                         return counted == there;
                       }});
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
