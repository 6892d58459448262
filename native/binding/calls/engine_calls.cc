#include "binding/calls/calls.h"
#include "binding/results.h"
#include "simd/cpu_features.h"

namespace firn::binding {
namespace {

// More threads or a longer queue than any machine uses; keeps a wrong option from exhausting memory.
constexpr int64_t kThreadsMax = 1024;
constexpr int64_t kQueueMax = 1 << 20;
constexpr int64_t kJobNumberMax = int64_t{1} << 53;

}  // namespace

napi_value init(Arguments& args) {
  const int64_t threads = args.integer(0, 1, kThreadsMax);
  const int64_t queue_max = args.integer(1, 1, kQueueMax);
  if (!args.ok()) return args.throw_type_error();
  return Engine::create(args.env(), static_cast<size_t>(threads), static_cast<size_t>(queue_max));
}

napi_value cancel(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const int64_t job = args.integer(1, 1, kJobNumberMax);
  if (!args.ok()) return args.throw_type_error();
  engine->cancel(static_cast<uint64_t>(job));
  return nullptr;
}

napi_value stats(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  if (!args.ok()) return args.throw_type_error();
  const WorkerPool::Load load = engine->pool().load();
  const napi_env env = args.env();
  napi_value object, simd;
  if (napi_create_object(env, &object) != napi_ok) return nullptr;
  if (!set_number(env, object, "threads", static_cast<double>(engine->pool().threads()))) return nullptr;
  if (!set_number(env, object, "queued", static_cast<double>(load.queued))) return nullptr;
  if (!set_number(env, object, "running", static_cast<double>(load.running))) return nullptr;
  if (napi_create_string_utf8(env, isa_name(active_isa()), NAPI_AUTO_LENGTH, &simd) != napi_ok) return nullptr;
  return napi_set_named_property(env, object, "simd", simd) == napi_ok ? object : nullptr;
}

}  // namespace firn::binding
