#include <cstring>
#include <string>

#include "binding/arguments/residual_arguments.h"
#include "binding/calls/calls.h"
#include "binding/results.h"

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
    return chain_.with_chain([&](const ResidualChain& chain) {
      return residual_state(chain, values, output() + chain_.count() * sizeof(int32_t));
    });
  }
  ChainArguments chain_;
};

class ResidualElementsJob final : public Job {
 public:
  ResidualElementsJob(ChainArguments chain, Dtype dtype, Output into)
      : chain_(std::move(chain)), dtype_(dtype), into_(into) {}
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

class ResidualQuantizeJob final : public Job {
 public:
  ResidualQuantizeJob(std::shared_ptr<DeviceContext> device, CodedBlock block,
                      std::shared_ptr<SharedContextCounts> counts, bool keep, bool plain)
      : device_(std::move(device)),
        block_(std::move(block)),
        counts_(std::move(counts)),
        cached_(keep ? std::make_shared<CachedSymbols>() : nullptr),
        plain_(plain) {}
  bool valid() const override { return block_.valid(); }
  napi_value result(napi_env env, napi_value undefined) override {
    static_assert(sizeof(LatticeStatistics) % sizeof(int64_t) == 0 && sizeof(LatticeErrorSums) % sizeof(double) == 0);
    const std::span words(reinterpret_cast<const int64_t*>(statistics_.data()),
                          statistics_.size() * sizeof(LatticeStatistics) / sizeof(int64_t));
    const std::span sums(reinterpret_cast<const double*>(errors_.data()),
                         errors_.size() * sizeof(LatticeErrorSums) / sizeof(double));
    const std::span plain(reinterpret_cast<const double*>(plain_errors_.data()),
                          plain_errors_.size() * sizeof(LatticeErrorSums) / sizeof(double));
    const napi_value statistics = copy_of(env, words), errors = copy_of(env, sums),
                     plain_errors = !plain_ ? undefined : plain.empty() ? errors : copy_of(env, plain),
                     symbols = cached_ ? make_handle(env, cached_) : undefined;
    napi_value result;
    if (!statistics || !errors || !plain_errors || !symbols) return nullptr;
    if (napi_create_object(env, &result) != napi_ok) return nullptr;
    const auto set = [&](const char* name, napi_value value) {
      return napi_set_named_property(env, result, name, value) == napi_ok;
    };
    napi_value symbol_bytes;
    const bool is_here = cached_ && !cached_->there;
    if (napi_create_double(env, is_here ? static_cast<double>(cached_->packed.bytes()) : 0, &symbol_bytes) != napi_ok)
      return nullptr;
    return set("statistics", statistics) && set("errors", errors) && set("plainErrors", plain_errors) &&
                   set("symbols", symbols) && set("symbolBytes", symbol_bytes)
               ? result
               : nullptr;
  }

 private:
  Status execute() override {
    return block_.chain.with_chain([&](const ResidualChain& before) {
      if (device_ && done_there(before)) return Status::ok;
      ResidualCoding coding;
      if (const Status status = block_.quantize(before, coding, statistics_); status != Status::ok) return status;
      errors_.resize(statistics_.size());
      const WeightPair& pair = block_.pair;
      const Status status = coding.error_sums(pair.weights.data, pair.weight_dtype, pair.gradients.data,
                                              pair.gradient_dtype, block_.gradient_scales.data, errors_.data());
      if (status != Status::ok) return status;
      if (plain_ && pair.gradients.data) {
        plain_errors_.resize(statistics_.size());
        const Status summed = coding.error_sums(pair.weights.data, pair.weight_dtype, nullptr, pair.gradient_dtype,
                                                nullptr, plain_errors_.data());
        if (summed != Status::ok) return summed;
      }
      const ContextBlock block = coding.context_block(block_.slots.data());
      if (cached_) {
        if (const Status kept = keep(block); kept != Status::ok) return kept;
      }
      return counts_->add(block);
    });
  }
  bool done_there(const ResidualChain& before) {
    ContextCounts own;
    DeviceFindings found;
    DeviceRounding rounding;
    const DeviceBlock block = block_.for_device(before, &rounding);
    if (!device_quantize(device_, block, block_.device_slots(), plain_, &own, &found)) return false;
    if (cached_ && !keep_there(found)) return false;
    if (counts_->add(own) != Status::ok) return false;
    statistics_ = std::move(found.statistics);
    errors_ = std::move(found.errors);
    plain_errors_ = std::move(found.plain_errors);
    return true;
  }
  // False if the device has lost them.
  bool keep_there(DeviceFindings& found) {
    cached_->count = block_.segments.count;
    if (found.symbols->may_stay()) {
      cached_->there = std::move(found.symbols);
      return true;
    }
    PlainSymbols plain(cached_->count);
    return plain.fetch(*found.symbols) && keep(plain.block()) == Status::ok;
  }
  Status keep(const ContextBlock& block) {
    cached_->count = block.layout.count;
    cached_->there = nullptr;
    return cached_->packed.pack(block);
  }
  std::shared_ptr<DeviceContext> device_;
  CodedBlock block_;
  std::shared_ptr<SharedContextCounts> counts_;
  std::shared_ptr<CachedSymbols> cached_;
  std::vector<LatticeStatistics> statistics_;
  std::vector<LatticeErrorSums> errors_;
  bool plain_;
  // With `plain_`: as `errors_`, with equal weights; empty without gradients, because they are the same then.
  std::vector<LatticeErrorSums> plain_errors_;
};

class ResidualEncodeJob final : public Job {
 public:
  ResidualEncodeJob(std::shared_ptr<DeviceContext> device, CodedBlock block,
                    std::shared_ptr<const ContextTables> tables)
      : device_(std::move(device)), block_(std::move(block)), tables_(std::move(tables)) {}
  bool valid() const override { return block_.valid(); }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(payload_)); }

 private:
  Status execute() override {
    return block_.chain.with_chain([&](const ResidualChain& before) {
      if (device_ && done_there(before)) return Status::ok;
      ResidualCoding coding;
      std::vector<LatticeStatistics> statistics;
      if (const Status status = block_.quantize(before, coding, statistics); status != Status::ok) return status;
      return tables_->encode(coding.context_block(block_.slots.data()), &payload_);
    });
  }
  bool done_there(const ResidualChain& before) {
    DeviceFindings found;
    DeviceRounding rounding;
    const DeviceSlots slots = block_.device_slots();
    if (!device_quantize(device_, block_.for_device(before, &rounding), slots, false, nullptr, &found)) return false;
    if (!block_.left_name.empty()) device_hold_state(*found.symbols, block_.left_state());
    return device_encode(*found.symbols, slots, *tables_, &payload_);
  }
  std::shared_ptr<DeviceContext> device_;
  CodedBlock block_;
  std::shared_ptr<const ContextTables> tables_;
  std::vector<uint8_t> payload_;
};

class ResidualCodedElementsJob final : public Job {
 public:
  ResidualCodedElementsJob(std::shared_ptr<DeviceContext> device, CodedBlock block, Dtype dtype, Output into)
      : device_(std::move(device)), block_(std::move(block)), dtype_(dtype), into_(into) {}
  bool valid() const override { return block_.valid() && (!into_.data || into_.count == bytes()); }
  std::optional<size_t> output_bytes() const override { return into_.data ? std::nullopt : std::optional(bytes()); }

 private:
  Status execute() override {
    return block_.chain.with_chain([&](const ResidualChain& before) {
      if (device_ && done_there(before)) return Status::ok;
      ResidualCoding coding;
      std::vector<LatticeStatistics> statistics;
      if (const Status status = block_.quantize(before, coding, statistics); status != Status::ok) return status;
      return coding.elements(dtype_, into_.data ? into_.data : output());
    });
  }
  bool done_there(const ResidualChain& before) {
    DeviceFindings found;
    DeviceRounding rounding;
    const DeviceBlock block = block_.for_device(before, &rounding);
    return device_quantize(device_, block, block_.device_slots(), false, nullptr, &found) &&
           device_elements(*found.symbols, block, dtype_, into_.data ? into_.data : output());
  }
  size_t bytes() const { return block_.segments.count * dtype_bytes(dtype_); }
  std::shared_ptr<DeviceContext> device_;
  CodedBlock block_;
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

napi_value residual_quantize_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto counts = args.handle<SharedContextCounts>(1);
  const bool keep = args.integer(2, 0, 1) == 1, plain = args.integer(3, 0, 1) == 1;
  CodedBlock block = CodedBlock::read(args, 4);
  return start(
      args, engine,
      std::make_unique<ResidualQuantizeJob>(device_of(engine), std::move(block), std::move(counts), keep, plain));
}

napi_value residual_encode_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto tables = args.handle<ContextTables>(1);
  CodedBlock block = CodedBlock::read(args, 2);
  return start(args, engine,
               std::make_unique<ResidualEncodeJob>(device_of(engine), std::move(block), std::move(tables)));
}

napi_value residual_coded_elements_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const Dtype dtype = args.dtype(1);
  const Output into = args.optional_output(2);
  CodedBlock block = CodedBlock::read(args, 3);
  return start(args, engine,
               std::make_unique<ResidualCodedElementsJob>(device_of(engine), std::move(block), dtype, into));
}

}  // namespace firn::binding
