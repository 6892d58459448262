#include <string>

#include "binding/calls/calls.h"
#include "binding/results.h"

namespace firn::binding {
namespace {

constexpr int64_t kDevicesMax = 1024;
constexpr int64_t kExactMax = int64_t{1} << 53;  // of a JavaScript number

napi_value text_value(napi_env env, const std::string& text) {
  napi_value value;
  return napi_create_string_utf8(env, text.data(), text.size(), &value) == napi_ok ? value : nullptr;
}

}  // namespace

// Returns undefined, or a sentence that says why there is no device. Takes as long as its driver takes to start.
napi_value open_device(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  DeviceChoice choice;
  choice.kind = args.member<DeviceKind>(1, 2);
  choice.index = static_cast<int32_t>(args.integer(2, 0, kDevicesMax));
  choice.budget_bytes = static_cast<uint64_t>(args.integer(3, 0, kExactMax));
  choice.library = args.text(4);
  choice.fails_at = static_cast<uint64_t>(args.integer(5, 0, kExactMax));
  choice.memory_fails_at = static_cast<uint64_t>(args.integer(6, 0, kExactMax));
  if (!args.ok()) return args.throw_type_error();
  std::string why_not;
  auto device = DeviceContext::open(choice, &why_not);
  if (!device) return text_value(args.env(), why_not);
  engine->use_device(std::move(device));
  return nullptr;
}

// Undefined without a device.
napi_value device_figures(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  if (!args.ok()) return args.throw_type_error();
  if (!engine->device()) return nullptr;
  const DeviceFigures figures = engine->device()->figures();
  const napi_env env = args.env();
  napi_value object, lost;
  const napi_value name = text_value(env, figures.name), last_failure = text_value(env, figures.last_failure);
  if (!name || !last_failure || napi_create_object(env, &object) != napi_ok) return nullptr;
  if (napi_get_boolean(env, figures.lost, &lost) != napi_ok) return nullptr;
  const auto set = [&](const char* key, napi_value value) {
    return napi_set_named_property(env, object, key, value) == napi_ok;
  };
  const auto number = [&](const char* key, uint64_t value) {
    return set_number(env, object, key, static_cast<double>(value));
  };
  const bool done = set("name", name) && set("lost", lost) && set("lastFailure", last_failure) &&
                    number("totalBytes", figures.total_bytes) && number("budgetBytes", figures.budget_bytes) &&
                    number("usedBytes", figures.used_bytes) && number("peakBytes", figures.peak_bytes) &&
                    number("uploadedBytes", figures.uploaded_bytes) &&
                    number("downloadedBytes", figures.downloaded_bytes) &&
                    number("works", figures.works) && number("declined", figures.declined) &&
                    number("failures", figures.failures) &&
                    set_number(env, object, "busySeconds", figures.busy_seconds);
  return done ? object : nullptr;
}

// A handle of an engine, or undefined without a device.
napi_value account_engine(Arguments& args) {
  auto engine = args.handle<Engine>(0);
  if (!args.ok()) return args.throw_type_error();
  if (!engine->device()) return nullptr;
  return Engine::create_with_account(args.env(), std::move(engine));
}

// A handle of an engine whose jobs use no device.
napi_value engine_without_device(Arguments& args) {
  auto engine = args.handle<Engine>(0);
  if (!args.ok()) return args.throw_type_error();
  return Engine::create_without_device(args.env(), std::move(engine));
}

// Undefined without a device.
napi_value device_account(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  if (!args.ok()) return args.throw_type_error();
  if (!engine->device()) return nullptr;
  const DeviceAccount account = engine->device()->account();
  const napi_env env = args.env();
  napi_value object;
  if (napi_create_object(env, &object) != napi_ok) return nullptr;
  const auto number = [&](const char* key, uint64_t value) {
    return set_number(env, object, key, static_cast<double>(value));
  };
  const bool done = number("works", account.works) && number("failures", account.failures) &&
                    number("afterLoss", account.after_loss);
  return done ? object : nullptr;
}

// Gives what is held under names that begin with argument 1 names that begin with argument 2.
napi_value device_rename(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const std::string from = args.text(1), to = args.text(2);
  if (!args.ok()) return args.throw_type_error();
  if (engine->device()) engine->device()->rename(from, to);
  return nullptr;
}

napi_value device_forget(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const std::string prefix = args.text(1);
  if (!args.ok()) return args.throw_type_error();
  if (engine->device()) engine->device()->forget(prefix);
  return nullptr;
}

}  // namespace firn::binding
