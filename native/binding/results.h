// C++ results as JavaScript values. Each returns an empty value with an exception pending when the environment refuses.
#pragma once
#include "firn/status.h"
#include "node_api.h"
#include "owned_bytes.h"

namespace firn::binding {

// Outcomes that the core does not know; src/native/native-status.ts has the same numbers.
inline constexpr int32_t kOverloaded = 100;
inline constexpr int32_t kCancelled = 101;

napi_value status_value(napi_env env, Status status);
napi_value status_value(napi_env env, int32_t status);

// A typed array of `bytes` (whole elements). Large results are the memory itself, freed when collected; small ones, and all of them
// in a runtime without external buffers, are copied.
napi_value typed_array(napi_env env, napi_typedarray_type type, OwnedBytes bytes);

// An ArrayBuffer over `data`; `release(data, size)` runs when it is collected, or at once when the result is empty or a copy.
napi_value external_array_buffer(napi_env env, void* data, size_t size, void (*release)(void* data, size_t size));

}  // namespace firn::binding
