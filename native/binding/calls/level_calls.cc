#include <algorithm>
#include <functional>
#include <string>

#include "binding/arguments/weight_pair.h"
#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/codebook_quant/assign.h"

namespace firn::binding {
namespace {

// Weights of a codebook, as the arguments of a call: a named pair (five arguments), a partition (four), centroids, the
// pruned and the protected level, boundaries.
struct CodebookBlock {
  NamedWeightPair pair;
  Partition partition;
  LevelMap map;
  size_t boundary_count = 0;  // 0 if the map has none

  // Arguments 1 to 13.
  static CodebookBlock read(Arguments& args) {
    CodebookBlock block{NamedWeightPair::read(args, 1), read_partition(args, 6), {}};
    const Input<float> centroids = args.floats(10);
    block.map.centroids = centroids.data;
    block.map.centroid_count = static_cast<uint32_t>(std::min<size_t>(centroids.count, kLevelsMax + 1));
    block.map.pruned_level = static_cast<int32_t>(args.integer(11, kNoLevel, kLevelsMax - 1));
    block.map.protected_level = static_cast<int32_t>(args.integer(12, kNoLevel, kLevelsMax - 1));
    const Input<float> boundaries = args.optional_floats(13);
    block.boundary_count = boundaries.count;
    if (boundaries.count > 0) block.map.boundaries = boundaries.data;
    return block;
  }
  bool valid() const {
    return pair.valid() && map.centroid_count >= 1 && map.centroid_count <= kLevelsMax &&
           increasing(map.centroids, map.centroid_count) &&
           (map.boundaries == nullptr ||
            (boundary_count == map.centroid_count - 1 && increasing(map.boundaries, boundary_count)));
  }
  // Levels to `levels`, one a weight, and the words of those that are protected.
  Status assign(uint8_t* levels, std::vector<uint16_t>* words) const {
    size_t protected_count = 0;
    const Status status = assign_levels(pair.weights.data, pair.weight_dtype, pair.gradients.data,
                                        pair.gradient_dtype, pair.count(), partition, map, levels, &protected_count);
    words->resize(status == Status::ok ? protected_count : 0);
    if (!words->empty())
      gather_protected(pair.weights.data, pair.weight_dtype, levels, pair.count(),
                       static_cast<uint8_t>(map.protected_level), words->data());
    return status;
  }

 private:
  static bool increasing(const float* values, size_t count) {
    return std::adjacent_find(values, values + count, std::not_fn(std::less<>())) == values + count;
  }
};

class AssignLevels final : public Job {
 public:
  AssignLevels(std::shared_ptr<DeviceContext> device, CodebookBlock block)
      : device_(std::move(device)), block_(std::move(block)) {}
  bool valid() const override { return block_.valid(); }
  std::optional<size_t> output_bytes() const override { return block_.pair.count(); }
  napi_value result(napi_env env, napi_value output) override {
    const napi_value words = copy_of(env, std::span<const uint16_t>(words_));
    napi_value result;
    if (!words || napi_create_object(env, &result) != napi_ok) return nullptr;
    if (napi_set_named_property(env, result, "levels", output) != napi_ok) return nullptr;
    return napi_set_named_property(env, result, "protectedWords", words) == napi_ok ? result : nullptr;
  }

 private:
  Status execute() override {
    const CodebookBlock& b = block_;
    const bool done =
        device_ && device_assign_levels(*device_, b.pair.for_device(), b.partition, b.map, output(), &words_);
    return done ? Status::ok : b.assign(output(), &words_);
  }
  std::shared_ptr<DeviceContext> device_;
  CodebookBlock block_;
  std::vector<uint16_t> words_;
};

// The elements that a block's levels stand for.
class CodebookElements final : public Job {
 public:
  struct Table {
    Dtype dtype;
    InputBytes elements;
    uint32_t level_count;
  };
  CodebookElements(std::shared_ptr<DeviceContext> device, CodebookBlock block, Table table)
      : device_(std::move(device)), block_(std::move(block)), table_(table) {}
  bool valid() const override {
    return block_.valid() && table_.elements.count == kLevelsMax * dtype_bytes(table_.dtype);
  }
  std::optional<size_t> output_bytes() const override { return block_.pair.count() * dtype_bytes(table_.dtype); }

 private:
  Status execute() override {
    const CodebookBlock& b = block_;
    const LevelTable there{table_.dtype, table_.elements.data, table_.level_count};
    if (device_ && device_codebook_elements(*device_, b.pair.for_device(), b.partition, b.map, there, output()))
      return Status::ok;
    std::vector<uint8_t> levels(b.pair.count());
    std::vector<uint16_t> words;
    if (const Status status = b.assign(levels.data(), &words); status != Status::ok) return status;
    return dequantize(levels.data(), levels.size(), table_.dtype, table_.elements.data, table_.level_count,
                      b.map.protected_level, words.data(), words.size(), output());
  }
  std::shared_ptr<DeviceContext> device_;
  CodebookBlock block_;
  Table table_;
};

}  // namespace

napi_value assign_levels_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  return start(args, engine, std::make_unique<AssignLevels>(device_of(engine), CodebookBlock::read(args)));
}

napi_value codebook_elements_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  CodebookBlock block = CodebookBlock::read(args);
  const Dtype dtype = args.dtype(14);
  const InputBytes elements = args.bytes(15);
  const auto level_count = static_cast<uint32_t>(args.integer(16, 1, kLevelsMax));
  return start(args, engine,
               std::make_unique<CodebookElements>(device_of(engine), std::move(block),
                                                  CodebookElements::Table{dtype, elements, level_count}));
}

}  // namespace firn::binding
