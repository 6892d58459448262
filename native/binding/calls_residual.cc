#include "calls.h"
#include "residual_arguments.h"

namespace firn::binding {
namespace {

// One output: the values, then the activity.
class ResidualStateJob final : public Job {
 public:
  explicit ResidualStateJob(ChainArguments chain) : chain_(std::move(chain)) {}
  bool valid() const override { return chain_.valid(); }
  std::optional<size_t> output_bytes() const override { return chain_.count() * (sizeof(int32_t) + 1); }

 private:
  Status execute() override {
    auto* const values = reinterpret_cast<int32_t*>(output());
    return chain_.with_chain([&](const ResidualChain& chain) { return residual_state(chain, values, output() + chain_.count() * sizeof(int32_t)); });
  }
  ChainArguments chain_;
};

class ResidualElementsJob final : public Job {
 public:
  ResidualElementsJob(ChainArguments chain, Dtype dtype, Output into) : chain_(std::move(chain)), dtype_(dtype), into_(into) {}
  bool valid() const override { return chain_.valid() && (!into_.data || into_.count == bytes()); }
  std::optional<size_t> output_bytes() const override { return into_.data ? std::nullopt : std::optional(bytes()); }

 private:
  Status execute() override {
    void* const to = into_.data ? into_.data : output();
    return chain_.with_chain([&](const ResidualChain& chain) { return residual_elements(chain, dtype_, to); });
  }
  size_t bytes() const { return chain_.count() * dtype_bytes(dtype_); }
  ChainArguments chain_;
  Dtype dtype_;
  Output into_;
};

}  // namespace

napi_value residual_state_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  return start(args, engine, std::make_unique<ResidualStateJob>(ChainArguments::read(args, 1)));
}

napi_value residual_elements_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const Dtype dtype = args.dtype(1);
  const Output into = args.optional_output(2);
  return start(args, engine, std::make_unique<ResidualElementsJob>(ChainArguments::read(args, 3), dtype, into));
}

}  // namespace firn::binding
