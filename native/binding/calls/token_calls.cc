#include "binding/arguments/token_handles.h"
#include "binding/calls/calls.h"
#include "binding/results.h"

namespace firn::binding {
namespace {

struct LevelBlock {
  InputBytes previous;  // data is null for a base
  InputBytes current;
  uint32_t modulus;

  // Arguments `first`..`first + 2`.
  static LevelBlock read(Arguments& args, size_t first) {
    return {args.optional_bytes(first), args.bytes(first + 1), static_cast<uint32_t>(args.integer(first + 2, 1, 256))};
  }
  bool valid() const {
    return current.count <= kBlockElementsMax && (!previous.data || previous.count == current.count);
  }
};

class AddTokens final : public Job {
 public:
  AddTokens(std::shared_ptr<SharedCounts> shared, LevelBlock block) : shared_(std::move(shared)), block_(block) {}
  Lane lane() const noexcept override { return shared_.get(); }
  bool valid() const override { return block_.valid(); }

 private:
  Status execute() override {
    const std::lock_guard lock(shared_->mutex);
    return shared_->counts.add(block_.previous.data, block_.current.data, block_.current.count, block_.modulus);
  }
  std::shared_ptr<SharedCounts> shared_;
  LevelBlock block_;
};

class EncodeTokens final : public Job {
 public:
  EncodeTokens(std::shared_ptr<const TokenTables> tables, LevelBlock block)
      : tables_(std::move(tables)), block_(block) {}
  bool valid() const override { return block_.valid(); }
  napi_value result(napi_env env, napi_value) override { return copy_of(env, std::span<const uint8_t>(out_)); }

 private:
  Status execute() override {
    return tables_->encode(block_.previous.data, block_.current.data, block_.current.count, block_.modulus, &out_);
  }
  std::shared_ptr<const TokenTables> tables_;
  LevelBlock block_;
  std::vector<uint8_t> out_;
};

class DecodeTokens final : public Job {
 public:
  struct Request {
    InputBytes payload;
    InputBytes previous;
    size_t count;
    uint32_t modulus;
  };
  DecodeTokens(std::shared_ptr<const TokenTables> tables, Request request)
      : tables_(std::move(tables)), request_(request) {}
  bool valid() const override { return !request_.previous.data || request_.previous.count == request_.count; }
  std::optional<size_t> output_bytes() const override { return request_.count; }

 private:
  Status execute() override {
    const Request& r = request_;
    return tables_->decode(r.payload.data, r.payload.count, r.previous.data, r.count, r.modulus, output());
  }
  std::shared_ptr<const TokenTables> tables_;
  Request request_;
};

}  // namespace

napi_value create_token_counts(Arguments& args) { return make_handle(args.env(), std::make_shared<SharedCounts>()); }

napi_value token_counts_add(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto shared = args.handle<SharedCounts>(1);
  const LevelBlock block = LevelBlock::read(args, 2);
  return start(args, engine, std::make_unique<AddTokens>(std::move(shared), block));
}

napi_value token_counts_merge(Arguments& args) {
  const auto into = args.handle<SharedCounts>(0), from = args.handle<SharedCounts>(1);
  if (!args.ok()) return args.throw_type_error();
  if (into == from) return status_value(args.env(), Status::invalid_argument);
  const std::scoped_lock lock(into->mutex, from->mutex);
  into->counts.merge(from->counts);
  return status_value(args.env(), Status::ok);
}

napi_value token_counts_build(Arguments& args) {
  const auto shared = args.handle<SharedCounts>(0);
  if (!args.ok()) return args.throw_type_error();
  const std::lock_guard lock(shared->mutex);
  return make_handle(args.env(), std::make_shared<TokenTables>(shared->counts.build()));
}

napi_value token_counts_payload_bits(Arguments& args) {
  const auto shared = args.handle<SharedCounts>(0);
  if (!args.ok()) return args.throw_type_error();
  const std::lock_guard lock(shared->mutex);
  napi_value bits;
  return napi_create_double(args.env(), static_cast<double>(shared->counts.payload_bits()), &bits) == napi_ok ? bits
                                                                                                              : nullptr;
}

napi_value parse_token_tables(Arguments& args) {
  const InputBytes bytes = args.bytes(0);
  if (!args.ok()) return args.throw_type_error();
  auto tables = std::make_shared<TokenTables>();
  const Status status = TokenTables::parse(bytes.data, bytes.count, tables.get());
  return status == Status::ok ? make_handle(args.env(), std::move(tables)) : status_value(args.env(), status);
}

napi_value token_tables_serialize(Arguments& args) {
  const auto tables = args.handle<TokenTables>(0);
  if (!args.ok()) return args.throw_type_error();
  return copy_of(args.env(), std::span<const uint8_t>(tables->serialize()));
}

napi_value token_tables_encode(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto tables = args.handle<TokenTables>(1);
  const LevelBlock block = LevelBlock::read(args, 2);
  return start(args, engine, std::make_unique<EncodeTokens>(std::move(tables), block));
}

napi_value token_tables_decode(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  auto tables = args.handle<TokenTables>(1);
  DecodeTokens::Request request;
  request.payload = args.bytes(2);
  request.previous = args.optional_bytes(3);
  request.count = static_cast<size_t>(args.integer(4, 0, kBlockElementsMax));
  request.modulus = static_cast<uint32_t>(args.integer(5, 1, 256));
  return start(args, engine, std::make_unique<DecodeTokens>(std::move(tables), request));
}

}  // namespace firn::binding
