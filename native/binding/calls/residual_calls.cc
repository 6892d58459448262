#include <cstring>
#include <string>

#include "binding/arguments/residual_arguments.h"
#include "binding/calls/calls.h"
#include "binding/results.h"

namespace firn::binding {
namespace {

// Counts go into a local copy first, so that jobs wait for each other only while adding up.
Status add_to(SharedContextCounts& shared, const ContextCounts& own) {
  const std::lock_guard lock(shared.mutex);
  return shared.counts.merge(own);
}

Status count_symbols_of(const ContextBlock& block, SharedContextCounts& shared) {
  ContextCounts own;
  const Status status = own.add(block);
  return status == Status::ok ? add_to(shared, own) : status;
}

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
    napi_value on_device;
    if (napi_get_boolean(env, cached_ && cached_->there, &on_device) != napi_ok) return nullptr;
    return set("statistics", statistics) && set("errors", errors) && set("plainErrors", plain_errors) &&
                   set("symbols", symbols) && set("onDevice", on_device)
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
      if (cached_) keep(block);
      return count_symbols_of(block, *counts_);
    });
  }
  bool done_there(const ResidualChain& before) {
    ContextCounts own;
    DeviceFindings found;
    DeviceRounding rounding;
    const DeviceBlock block = block_.for_device(before, &rounding);
    if (!device_quantize(device_, block, block_.device_slots(), plain_, &own, &found)) return false;
    if (cached_) {
      cached_->count = block_.segments.count;
      if (found.symbols->may_stay()) cached_->there = std::move(found.symbols);
      else if (!cached_->fetch(*found.symbols)) return false;
    }
    if (add_to(*counts_, own) != Status::ok) return false;
    statistics_ = std::move(found.statistics);
    errors_ = std::move(found.errors);
    plain_errors_ = std::move(found.plain_errors);
    return true;
  }
  void keep(const ContextBlock& block) {
    const size_t count = cached_->count = block.layout.count;
    cached_->there = nullptr;
    cached_->symbols = std::make_unique_for_overwrite<uint8_t[]>(count);
    cached_->contexts = std::make_unique_for_overwrite<uint8_t[]>(count);
    std::memcpy(cached_->symbols.get(), block.symbols, count);
    std::memcpy(cached_->contexts.get(), block.layout.contexts, count);
    cached_->escapes.assign(block.escapes, block.escapes + block.escape_count);
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

// use(symbols) with symbols on the host; gone if a device has lost them.
template <typename Use>
Status here(const CachedSymbols& cached, Use use) {
  if (!cached.there) return use(cached);
  CachedSymbols fetched;
  fetched.count = cached.count;
  return fetched.fetch(*cached.there) ? use(fetched) : Status::gone;
}

// Cached symbols and their destination.
struct CachedBlock {
  std::shared_ptr<const CachedSymbols> cached;
  std::vector<uint32_t> counts, slots;

  // Arguments `first`..`first + 2`.
  static CachedBlock read(Arguments& args, size_t first) {
    return {args.handle<CachedSymbols>(first), args.uint32_copy(first + 1), args.uint32_copy(first + 2)};
  }
  bool valid() const { return counts.size() == slots.size(); }
  DeviceSlots device_slots() const { return {counts.data(), slots.data(), counts.size()}; }
  // use(block) with the symbols on the host; gone if a device has lost them.
  template <typename Use>
  Status with_block(Use use) const {
    return here(*cached, [&](const CachedSymbols& own) {
      const ContextLayout layout{own.contexts.get(), own.count, counts.data(), slots.data(), counts.size()};
      return use(ContextBlock{layout, own.symbols.get(), own.escapes.data(), own.escapes.size()});
    });
  }
};

class CountCachedSymbolsJob final : public Job {
 public:
  CountCachedSymbolsJob(CachedBlock block, std::shared_ptr<SharedContextCounts> counts)
      : block_(std::move(block)), counts_(std::move(counts)) {}
  bool valid() const override { return block_.valid(); }

 private:
  Status execute() override {
    ContextCounts own;
    const auto& there = block_.cached->there;
    if (there && device_count(*there, block_.device_slots(), &own)) return add_to(*counts_, own);
    return block_.with_block([&](const ContextBlock& block) { return count_symbols_of(block, *counts_); });
  }
  CachedBlock block_;
  std::shared_ptr<SharedContextCounts> counts_;
};

class EncodeCachedSymbolsJob final : public Job {
 public:
  EncodeCachedSymbolsJob(CachedBlock block, std::shared_ptr<const ContextTables> tables)
      : block_(std::move(block)), tables_(std::move(tables)) {}
  bool valid() const override { return block_.valid(); }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(payload_)); }

 private:
  Status execute() override {
    const auto& there = block_.cached->there;
    if (there && device_encode(*there, block_.device_slots(), *tables_, &payload_)) return Status::ok;
    return block_.with_block([&](const ContextBlock& block) { return tables_->encode(block, &payload_); });
  }
  CachedBlock block_;
  std::shared_ptr<const ContextTables> tables_;
  std::vector<uint8_t> payload_;
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
    return device_quantize(device_, block_.for_device(before, &rounding), slots, false, nullptr, &found) &&
           device_encode(*found.symbols, slots, *tables_, &payload_);
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

// Elements after a chain, from symbols found before.
class ResidualMovedElementsJob final : public Job {
 public:
  struct Request {
    std::shared_ptr<const CachedSymbols> cached;
    std::string state_name;
    Segments segments;
    ChainArguments chain;
    Dtype dtype;
    Output into;
  };
  explicit ResidualMovedElementsJob(Request request) : request_(std::move(request)) {}
  bool valid() const override {
    const Request& r = request_;
    const bool fits = !r.into.data || r.into.count == bytes();
    return r.chain.valid(r.segments) && r.cached->count == r.segments.count && fits;
  }
  std::optional<size_t> output_bytes() const override {
    return request_.into.data ? std::nullopt : std::optional(bytes());
  }

 private:
  Status execute() override {
    const Request& r = request_;
    void* const to = r.into.data ? r.into.data : output();
    return r.chain.with_chain([&](const ResidualChain& before) {
      if (r.cached->there) {
        DeviceBlock block;
        block.segments = r.segments.view();
        block.state_name = r.state_name;
        block.chain = before;
        if (device_elements(*r.cached->there, block, r.dtype, to)) return Status::ok;
      }
      return here(*r.cached, [&](const CachedSymbols& own) {
        ResidualCoding coding;
        if (const Status status = coding.begin(before, r.segments.view()); status != Status::ok) return status;
        coding.use(own.symbols.get(), own.escapes.data(), own.escapes.size());
        return coding.elements(r.dtype, to);
      });
    });
  }
  size_t bytes() const { return request_.segments.count * dtype_bytes(request_.dtype); }
  Request request_;
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

napi_value residual_moved_elements_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  ResidualMovedElementsJob::Request request;
  request.dtype = args.dtype(1);
  request.into = args.optional_output(2);
  request.cached = args.handle<CachedSymbols>(3);
  request.state_name = args.text(4);
  request.segments = Segments::read(args, 5);
  request.chain = ChainArguments::read(args, 6);
  return start(args, engine, std::make_unique<ResidualMovedElementsJob>(std::move(request)));
}

napi_value count_cached_symbols_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto counts = args.handle<SharedContextCounts>(1);
  return start(args, engine, std::make_unique<CountCachedSymbolsJob>(CachedBlock::read(args, 2), std::move(counts)));
}

napi_value encode_cached_symbols_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto tables = args.handle<ContextTables>(1);
  return start(args, engine, std::make_unique<EncodeCachedSymbolsJob>(CachedBlock::read(args, 2), std::move(tables)));
}

// Frees the symbols, unless a job works on them: then it does.
napi_value release_cached_symbols(Arguments& args) {
  if (!args.release<CachedSymbols>(0)) return args.throw_type_error();
  napi_value undefined;
  return napi_get_undefined(args.env(), &undefined) == napi_ok ? undefined : nullptr;
}

}  // namespace firn::binding
