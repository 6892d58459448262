// C++ results as JavaScript values. Each returns an empty value with an exception pending when the environment refuses.
//
// Memory of results belongs to the JavaScript heap, never to an external buffer: those are freed before any cleanup
// hook of an ending environment runs, while jobs that read them may still be running.
#pragma once
#include <cstddef>
#include <span>

#include "binding/node_api.h"
#include "firn/status.h"

namespace firn::binding {

// Outcomes that the core does not know; src/native/check/native-status.ts has the same numbers.
inline constexpr int32_t kOverloaded = 100;
inline constexpr int32_t kCancelled = 101;

napi_value status_value(napi_env env, Status status);
napi_value status_value(napi_env env, int32_t status);

// A Uint8Array of `size` bytes that are not initialised; `data` is never null.
napi_value new_bytes(napi_env env, size_t size, uint8_t** data);

// Typed arrays with a copy of the elements.
napi_value copy_of(napi_env env, std::span<const uint8_t> bytes);
napi_value copy_of(napi_env env, std::span<const uint16_t> words);
napi_value copy_of(napi_env env, std::span<const uint32_t> numbers);
napi_value copy_of(napi_env env, std::span<const float> floats);
napi_value copy_of(napi_env env, std::span<const double> sums);
napi_value copy_of(napi_env env, std::span<const int64_t> sums);

// A number as a property of an object; false when the environment refuses.
bool set_number(napi_env env, napi_value object, const char* name, double number);

}  // namespace firn::binding
