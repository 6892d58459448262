#include "binding/arguments/codebook_arguments.h"
#include "binding/calls/calls.h"
#include "binding/results.h"

namespace firn::binding {
namespace {

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
