// Symbols that were found before, in memory of the process or of a device.
#include <string>

#include "binding/arguments/residual_arguments.h"
#include "binding/calls/calls.h"
#include "binding/results.h"

namespace firn::binding {
namespace {

// use(symbols) with symbols on the host; gone if a device has lost them.
template <typename Use>
Status here(const CachedSymbols& cached, Use use) {
  PlainSymbols plain(cached.count);
  if (cached.there) return plain.fetch(*cached.there) ? use(plain) : Status::gone;
  if (const Status status = cached.packed.unpack(plain.symbols.get(), plain.contexts.get()); status != Status::ok)
    return status;
  plain.escapes = cached.packed.escapes();
  return use(plain);
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
    return here(*cached, [&](const PlainSymbols& own) {
      ContextBlock block = own.block();
      block.layout.segment_counts = counts.data();
      block.layout.segment_slots = slots.data();
      block.layout.segments = counts.size();
      return use(block);
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
    if (there && device_count(*there, block_.device_slots(), &own)) return counts_->add(own);
    return block_.with_block([&](const ContextBlock& block) { return counts_->add(block); });
  }
  CachedBlock block_;
  std::shared_ptr<SharedContextCounts> counts_;
};

// The state that a block of cached symbols leaves behind, if a device is to hold it, as arguments `first`..`first + 3`:
// its name, that of the state before, whether that is the block's origins, and the segments.
struct LeftState {
  std::string name, state_name;
  bool starts;
  Segments segments;

  static LeftState read(Arguments& args, size_t first) {
    return {args.text(first), args.text(first + 1), args.integer(first + 2, 0, 1) == 1,
            Segments::read(args, first + 3)};
  }
};

class EncodeCachedSymbolsJob final : public Job {
 public:
  EncodeCachedSymbolsJob(CachedBlock block, LeftState left, std::shared_ptr<const ContextTables> tables)
      : block_(std::move(block)), left_(std::move(left)), tables_(std::move(tables)) {}
  bool valid() const override { return block_.valid(); }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(payload_)); }

 private:
  Status execute() override {
    const auto& there = block_.cached->there;
    if (there && !left_.name.empty())
      device_hold_state(*there, {left_.name, left_.state_name, left_.starts, left_.segments.view()});
    if (there && device_encode(*there, block_.device_slots(), *tables_, &payload_)) return Status::ok;
    return block_.with_block([&](const ContextBlock& block) { return tables_->encode(block, &payload_); });
  }
  CachedBlock block_;
  LeftState left_;
  std::shared_ptr<const ContextTables> tables_;
  std::vector<uint8_t> payload_;
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
    return (r.chain.left_out() ? r.segments.valid() : r.chain.valid(r.segments)) &&
           r.cached->count == r.segments.count && fits;
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
      if (r.chain.left_out()) return Status::gone;
      return here(*r.cached, [&](const PlainSymbols& own) {
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
  return start(args, engine,
               std::make_unique<EncodeCachedSymbolsJob>(CachedBlock::read(args, 2), LeftState::read(args, 5),
                                                        std::move(tables)));
}

// Frees the symbols, unless a job works on them: then it does.
napi_value release_cached_symbols(Arguments& args) {
  if (!args.release<CachedSymbols>(0)) return args.throw_type_error();
  napi_value undefined;
  return napi_get_undefined(args.env(), &undefined) == napi_ok ? undefined : nullptr;
}

}  // namespace firn::binding
