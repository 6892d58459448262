// Weights to tokens of their levels in one call, so that a device need not give the levels back.
#include <mutex>

#include "binding/arguments/codebook_arguments.h"
#include "binding/arguments/token_handles.h"
#include "binding/calls/calls.h"
#include "binding/results.h"

namespace firn::binding {
namespace {

// Weights of a codebook, and the levels that theirs are coded against.
struct CodedLevels {
  CodebookBlock block;
  InputBytes previous;  // data is null for a base
  std::string previous_name;
  uint32_t modulus;

  // Arguments 1 to 16.
  static CodedLevels read(Arguments& args) {
    CodebookBlock block = CodebookBlock::read(args);
    return {std::move(block), args.optional_bytes(14), args.text(15), static_cast<uint32_t>(args.integer(16, 1, 256))};
  }
  bool valid() const {
    return block.valid() && block.pair.count() <= kBlockElementsMax &&
           (!previous.data || previous.count == block.pair.count());
  }
  LevelsBefore before() const { return {previous_name, previous.data, modulus}; }
};

class CountLevelTokens final : public Job {
 public:
  CountLevelTokens(std::shared_ptr<DeviceContext> device, CodedLevels levels, std::shared_ptr<SharedCounts> shared)
      : device_(std::move(device)), levels_(std::move(levels)), shared_(std::move(shared)) {}
  bool valid() const override { return levels_.valid(); }
  napi_value result(napi_env env, napi_value) override {
    napi_value result;
    const bool made = napi_create_object(env, &result) == napi_ok &&
                      set_number(env, result, "protectedCount", static_cast<double>(findings_.protected_count)) &&
                      set_number(env, result, "moved", static_cast<double>(findings_.moved));
    return made ? result : nullptr;
  }

 private:
  Status execute() override {
    const CodebookBlock& b = levels_.block;
    CountedTokens counted;
    if (device_ && device_count_tokens(*device_, b.pair.for_device(), b.partition, b.map, levels_.before(), &counted,
                                       &findings_)) {
      const std::lock_guard lock(shared_->mutex);
      return shared_->counts.add_counted(counted);
    }
    std::vector<uint8_t> levels(b.pair.count());
    std::vector<uint16_t> words;
    if (const Status status = b.assign(levels.data(), &words); status != Status::ok) return status;
    const uint8_t* const previous = levels_.previous.data;
    findings_ = {words.size(), 0};
    for (size_t i = 0; previous && i < levels.size(); ++i) findings_.moved += levels[i] != previous[i];
    return add(previous, levels);
  }
  // To the shared counts; while another thread adds to those, to counts of its own first.
  Status add(const uint8_t* previous, const std::vector<uint8_t>& levels) {
    std::unique_lock lock(shared_->mutex, std::try_to_lock);
    if (lock) return shared_->counts.add(previous, levels.data(), levels.size(), levels_.modulus);
    TokenCounts own;
    const Status status = own.add(previous, levels.data(), levels.size(), levels_.modulus);
    if (status != Status::ok) return status;
    lock.lock();
    shared_->counts.merge(own);
    return Status::ok;
  }

  std::shared_ptr<DeviceContext> device_;
  CodedLevels levels_;
  std::shared_ptr<SharedCounts> shared_;
  LevelFindings findings_;
};

class EncodeLevelTokens final : public Job {
 public:
  EncodeLevelTokens(std::shared_ptr<DeviceContext> device, CodedLevels levels,
                    std::shared_ptr<const TokenTables> tables)
      : device_(std::move(device)), levels_(std::move(levels)), tables_(std::move(tables)) {}
  bool valid() const override { return levels_.valid(); }
  napi_value result(napi_env env, napi_value) override {
    const napi_value tokens = copy_of(env, std::span<const uint8_t>(stream_));
    const napi_value words = copy_of(env, std::span<const uint16_t>(words_));
    napi_value result;
    if (!tokens || !words || napi_create_object(env, &result) != napi_ok) return nullptr;
    if (napi_set_named_property(env, result, "tokens", tokens) != napi_ok) return nullptr;
    return napi_set_named_property(env, result, "protectedWords", words) == napi_ok ? result : nullptr;
  }

 private:
  Status execute() override {
    const CodebookBlock& b = levels_.block;
    if (device_ && device_encode_tokens(*device_, b.pair.for_device(), b.partition, b.map, levels_.before(), *tables_,
                                        &stream_, &words_))
      return Status::ok;
    stream_.clear();
    std::vector<uint8_t> levels(b.pair.count());
    if (const Status status = b.assign(levels.data(), &words_); status != Status::ok) return status;
    return tables_->encode(levels_.previous.data, levels.data(), levels.size(), levels_.modulus, &stream_);
  }

  std::shared_ptr<DeviceContext> device_;
  CodedLevels levels_;
  std::shared_ptr<const TokenTables> tables_;
  std::vector<uint8_t> stream_;
  std::vector<uint16_t> words_;
};

}  // namespace

napi_value count_tokens_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  CodedLevels levels = CodedLevels::read(args);
  auto shared = args.handle<SharedCounts>(17);
  return start(args, engine,
               std::make_unique<CountLevelTokens>(device_of(engine), std::move(levels), std::move(shared)));
}

napi_value encode_tokens_call(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  CodedLevels levels = CodedLevels::read(args);
  auto tables = args.handle<TokenTables>(17);
  return start(args, engine,
               std::make_unique<EncodeLevelTokens>(device_of(engine), std::move(levels), std::move(tables)));
}

}  // namespace firn::binding
