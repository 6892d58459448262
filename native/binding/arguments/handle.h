// C++ objects held by JavaScript: a plain object that wraps a shared pointer and carries a type tag, so that any other
// object in its place is recognised instead of reinterpreted.
#pragma once
#include <memory>

#include "binding/node_api.h"

namespace firn::binding {

// One random tag per C++ type, specialised beside the type: static constexpr napi_type_tag value.
template <class T>
struct HandleTag;

// Returns an empty value with a JavaScript exception pending when the environment refuses. The pointer is released when
// the object is collected or the environment ends.
template <class T>
napi_value make_handle(napi_env env, std::shared_ptr<T> pointer) {
  napi_value object;
  if (napi_create_object(env, &object) != napi_ok) return nullptr;
  auto held = std::make_unique<std::shared_ptr<T>>(std::move(pointer));
  const auto release = [](napi_env, void* data, void*) { delete static_cast<std::shared_ptr<T>*>(data); };
  if (napi_wrap(env, object, held.get(), release, nullptr, nullptr) != napi_ok) return nullptr;
  held.release();
  if (napi_type_tag_object(env, object, &HandleTag<T>::value) != napi_ok) return nullptr;
  return object;
}

// Null for anything but a handle of this very type.
template <class T>
std::shared_ptr<T> open_handle(napi_env env, napi_value object) {
  napi_valuetype type;
  bool tagged = false;
  void* held = nullptr;
  if (napi_typeof(env, object, &type) != napi_ok || type != napi_object) return nullptr;
  if (napi_check_object_type_tag(env, object, &HandleTag<T>::value, &tagged) != napi_ok || !tagged) return nullptr;
  if (napi_unwrap(env, object, &held) != napi_ok) return nullptr;
  return *static_cast<std::shared_ptr<T>*>(held);
}

// Lets go of the pointer of a handle of this very type: it is of no more use, and its memory is freed with the last job
// that has it. False for anything else.
template <class T>
bool release_handle(napi_env env, napi_value object) {
  void* held = nullptr;
  if (!open_handle<T>(env, object) || napi_remove_wrap(env, object, &held) != napi_ok) return false;
  delete static_cast<std::shared_ptr<T>*>(held);
  return true;
}

}  // namespace firn::binding
