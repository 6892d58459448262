#include "binding/arguments/context_handles.h"
#include "binding/calls/calls.h"
#include "binding/results.h"
#include "firn/residual_quant/lattice.h"

namespace firn::binding {
namespace {

struct LayoutArguments {
  InputBytes contexts;
  Input<uint32_t> counts, slots;

  // Arguments `first`..`first + 2`.
  static LayoutArguments read(Arguments& args, size_t first) {
    return {args.bytes(first), args.numbers(first + 1), args.numbers(first + 2)};
  }
  bool valid() const { return contexts.count <= kBlockElementsMax && counts.count == slots.count; }
  ContextLayout layout() const { return {contexts.data, contexts.count, counts.data, slots.data, counts.count}; }
};

struct BlockArguments {
  LayoutArguments layout;
  InputBytes symbols;
  Input<uint32_t> escapes;

  // Arguments `first`..`first + 4`.
  static BlockArguments read(Arguments& args, size_t first) {
    const LayoutArguments layout = LayoutArguments::read(args, first);
    return {layout, args.bytes(first + 3), args.numbers(first + 4)};
  }
  bool valid() const { return layout.valid() && symbols.count == layout.contexts.count; }
  ContextBlock block() const { return {layout.layout(), symbols.data, escapes.data, escapes.count}; }
};

class AddContexts final : public Job {
 public:
  AddContexts(std::shared_ptr<SharedContextCounts> shared, BlockArguments block)
      : shared_(std::move(shared)), block_(block) {}
  Lane lane() const noexcept override { return shared_.get(); }
  bool valid() const override { return block_.valid(); }

 private:
  Status execute() override {
    const std::lock_guard lock(shared_->mutex);
    return shared_->counts.add(block_.block());
  }
  std::shared_ptr<SharedContextCounts> shared_;
  BlockArguments block_;
};

class BuildContexts final : public Job {
 public:
  BuildContexts(std::shared_ptr<SharedContextCounts> shared, uint32_t slots)
      : shared_(std::move(shared)), slots_(slots) {}
  Lane lane() const noexcept override { return shared_.get(); }
  napi_value result(napi_env env, napi_value) override { return make_handle(env, std::move(tables_)); }

 private:
  Status execute() override {
    const std::lock_guard lock(shared_->mutex);
    return shared_->counts.build(slots_, tables_.get());
  }
  std::shared_ptr<SharedContextCounts> shared_;
  uint32_t slots_;
  std::shared_ptr<ContextTables> tables_ = std::make_shared<ContextTables>();
};

class SymbolRates final : public Job {
 public:
  explicit SymbolRates(std::shared_ptr<SharedContextCounts> shared) : shared_(std::move(shared)) {}
  Lane lane() const noexcept override { return shared_.get(); }
  std::optional<size_t> output_bytes() const override { return kLatticeRates; }

 private:
  Status execute() override {
    const std::lock_guard lock(shared_->mutex);
    return shared_->counts.symbol_rates(output());
  }
  std::shared_ptr<SharedContextCounts> shared_;
};

class EncodeContexts final : public Job {
 public:
  EncodeContexts(std::shared_ptr<const ContextTables> tables, BlockArguments block)
      : tables_(std::move(tables)), block_(block) {}
  bool valid() const override { return block_.valid(); }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override { return tables_->encode(block_.block(), &out_); }
  std::shared_ptr<const ContextTables> tables_;
  BlockArguments block_;
  std::vector<uint8_t> out_;
};

class DecodeContexts final : public Job {
 public:
  DecodeContexts(std::shared_ptr<const ContextTables> tables, InputBytes payload, LayoutArguments layout)
      : tables_(std::move(tables)), payload_(payload), layout_(layout) {}
  bool valid() const override { return layout_.valid(); }
  std::optional<size_t> output_bytes() const override { return layout_.contexts.count; }
  napi_value result(napi_env env, napi_value output) override {
    const napi_value escapes = copy_of(env, std::span<const uint32_t>(escapes_));
    napi_value result;
    if (!escapes || napi_create_object(env, &result) != napi_ok) return nullptr;
    if (napi_set_named_property(env, result, "symbols", output) != napi_ok) return nullptr;
    return napi_set_named_property(env, result, "escapes", escapes) == napi_ok ? result : nullptr;
  }

 private:
  Status execute() override {
    return tables_->decode(payload_.data, payload_.count, layout_.layout(), output(), &escapes_);
  }
  std::shared_ptr<const ContextTables> tables_;
  InputBytes payload_;
  LayoutArguments layout_;
  std::vector<uint32_t> escapes_;
};

}  // namespace

napi_value create_context_counts(Arguments& args) {
  return make_handle(args.env(), std::make_shared<SharedContextCounts>());
}

napi_value context_counts_add(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto shared = args.handle<SharedContextCounts>(1);
  const BlockArguments block = BlockArguments::read(args, 2);
  return start(args, engine, std::make_unique<AddContexts>(std::move(shared), block));
}

napi_value context_counts_merge(Arguments& args) {
  const auto into = args.handle<SharedContextCounts>(0), from = args.handle<SharedContextCounts>(1);
  if (!args.ok()) return args.throw_type_error();
  if (into == from) return status_value(args.env(), Status::invalid_argument);
  const std::scoped_lock lock(into->mutex, from->mutex);
  return status_value(args.env(), into->counts.merge(from->counts));
}

napi_value context_counts_build(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto shared = args.handle<SharedContextCounts>(1);
  const auto slots = static_cast<uint32_t>(args.integer(2, 0, kContextSlotsMax));
  return start(args, engine, std::make_unique<BuildContexts>(std::move(shared), slots));
}

napi_value context_counts_symbol_rates(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto shared = args.handle<SharedContextCounts>(1);
  return start(args, engine, std::make_unique<SymbolRates>(std::move(shared)));
}

napi_value parse_context_tables(Arguments& args) {
  const InputBytes bytes = args.bytes(0);
  const auto slots = static_cast<uint32_t>(args.integer(1, 0, kContextSlotsMax));
  if (!args.ok()) return args.throw_type_error();
  auto tables = std::make_shared<ContextTables>();
  const Status status = ContextTables::parse(bytes.data, bytes.count, slots, tables.get());
  return status == Status::ok ? make_handle(args.env(), std::move(tables)) : status_value(args.env(), status);
}

napi_value context_tables_serialize(Arguments& args) {
  const auto tables = args.handle<ContextTables>(0);
  if (!args.ok()) return args.throw_type_error();
  return copy_of(args.env(), std::span<const uint8_t>(tables->serialize()));
}

napi_value context_tables_total_bits(Arguments& args) {
  const auto tables = args.handle<ContextTables>(0);
  if (!args.ok()) return args.throw_type_error();
  napi_value bits;
  return napi_create_double(args.env(), tables->total_bits(), &bits) == napi_ok ? bits : nullptr;
}

napi_value context_tables_encode(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto tables = args.handle<ContextTables>(1);
  const BlockArguments block = BlockArguments::read(args, 2);
  return start(args, engine, std::make_unique<EncodeContexts>(std::move(tables), block));
}

napi_value context_tables_decode(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto tables = args.handle<ContextTables>(1);
  const InputBytes payload = args.bytes(2);
  const LayoutArguments layout = LayoutArguments::read(args, 3);
  return start(args, engine, std::make_unique<DecodeContexts>(std::move(tables), payload, layout));
}

}  // namespace firn::binding
