#include "results.h"

#include <memory>

namespace firn::binding {
namespace {

// Up to here a copy costs less than registering a finalizer.
constexpr size_t kCopyBytesMax = 4096;

struct Mapping {
  size_t size;
  void (*release)(void* data, size_t size);
};

void finalize_mapping(napi_env, void* data, void* hint) {
  const std::unique_ptr<Mapping> mapping(static_cast<Mapping*>(hint));
  mapping->release(data, mapping->size);
}

void free_bytes(void* data, size_t) { std::free(data); }

napi_value copied_array_buffer(napi_env env, const void* data, size_t size) {
  void* copy = nullptr;
  napi_value buffer;
  if (napi_create_arraybuffer(env, size, &copy, &buffer) != napi_ok) return nullptr;
  if (size > 0) std::memcpy(copy, data, size);
  return buffer;
}

size_t element_bytes(napi_typedarray_type type) {
  switch (type) {
    case napi_uint16_array: return 2;
    case napi_float32_array: return 4;
    default: return 1;
  }
}

}  // namespace

napi_value status_value(napi_env env, int32_t status) {
  napi_value value;
  return napi_create_int32(env, status, &value) == napi_ok ? value : nullptr;
}

napi_value status_value(napi_env env, Status status) { return status_value(env, static_cast<int32_t>(status)); }

napi_value external_array_buffer(napi_env env, void* data, size_t size, void (*release)(void*, size_t)) {
  auto mapping = std::make_unique<Mapping>(Mapping{size, release});
  napi_value buffer;
  const napi_status created = napi_create_external_arraybuffer(env, data, size, finalize_mapping, mapping.get(), &buffer);
  if (created == napi_ok) {
    mapping.release();
    return buffer;
  }
  buffer = created == napi_no_external_buffers_allowed ? copied_array_buffer(env, data, size) : nullptr;
  release(data, size);
  return buffer;
}

napi_value typed_array(napi_env env, napi_typedarray_type type, OwnedBytes bytes) {
  const size_t size = bytes.size();
  const napi_value buffer = size <= kCopyBytesMax ? copied_array_buffer(env, bytes.data(), size)
                                                  : external_array_buffer(env, bytes.release(), size, free_bytes);
  napi_value array;
  if (!buffer || napi_create_typedarray(env, type, size / element_bytes(type), buffer, 0, &array) != napi_ok) return nullptr;
  return array;
}

}  // namespace firn::binding
