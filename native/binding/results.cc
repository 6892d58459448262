#include "binding/results.h"

#include <cstring>

namespace firn::binding {
namespace {

// A separate ArrayBuffer. Only Node's buffers can be allocated without zeroing.
napi_value new_array_buffer(napi_env env, size_t size, void** data) {
  static uint8_t nothing;
  *data = &nothing;
  napi_value buffer, memory;
  if (size == 0) return napi_create_arraybuffer(env, 0, nullptr, &memory) == napi_ok ? memory : nullptr;
  if (napi_create_buffer(env, size, data, &buffer) != napi_ok) return nullptr;
  size_t offset = 0;
  if (napi_get_typedarray_info(env, buffer, nullptr, nullptr, nullptr, &memory, &offset) != napi_ok || offset != 0)
    return nullptr;
  return memory;
}

template <class T>
napi_value typed_copy(napi_env env, napi_typedarray_type type, std::span<const T> elements) {
  void* data;
  const napi_value memory = new_array_buffer(env, elements.size_bytes(), &data);
  if (!memory) return nullptr;
  if (!elements.empty()) std::memcpy(data, elements.data(), elements.size_bytes());
  napi_value array;
  return napi_create_typedarray(env, type, elements.size(), memory, 0, &array) == napi_ok ? array : nullptr;
}

}  // namespace

napi_value status_value(napi_env env, int32_t status) {
  napi_value value;
  return napi_create_int32(env, status, &value) == napi_ok ? value : nullptr;
}

napi_value status_value(napi_env env, Status status) { return status_value(env, static_cast<int32_t>(status)); }

napi_value new_bytes(napi_env env, size_t size, uint8_t** data) {
  void* memory_data;
  const napi_value memory = new_array_buffer(env, size, &memory_data);
  *data = static_cast<uint8_t*>(memory_data);
  napi_value array;
  if (!memory || napi_create_typedarray(env, napi_uint8_array, size, memory, 0, &array) != napi_ok) return nullptr;
  return array;
}

napi_value copy_of(napi_env env, std::span<const uint8_t> bytes) { return typed_copy(env, napi_uint8_array, bytes); }

napi_value copy_of(napi_env env, std::span<const uint16_t> words) { return typed_copy(env, napi_uint16_array, words); }

napi_value copy_of(napi_env env, std::span<const uint32_t> numbers) {
  return typed_copy(env, napi_uint32_array, numbers);
}

napi_value copy_of(napi_env env, std::span<const float> floats) { return typed_copy(env, napi_float32_array, floats); }

napi_value copy_of(napi_env env, std::span<const double> sums) { return typed_copy(env, napi_float64_array, sums); }

napi_value copy_of(napi_env env, std::span<const int64_t> sums) { return typed_copy(env, napi_bigint64_array, sums); }

bool set_number(napi_env env, napi_value object, const char* name, double number) {
  napi_value value;
  return napi_create_double(env, number, &value) == napi_ok &&
         napi_set_named_property(env, object, name, value) == napi_ok;
}

}  // namespace firn::binding
