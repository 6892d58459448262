// Objects of the token coder that JavaScript holds.
#pragma once
#include <mutex>

#include "binding/arguments/handle.h"
#include "firn/delta.h"

namespace firn::binding {

// Counts that pool threads add to while the JavaScript thread may merge or read them.
struct SharedCounts {
  std::mutex mutex;
  TokenCounts counts;
};

template <>
struct HandleTag<SharedCounts> {
  static constexpr napi_type_tag value{0x3a6be0d94c8f1275, 0xc7d2419e5fb0863a};
};

template <>
struct HandleTag<TokenTables> {
  static constexpr napi_type_tag value{0x84f7c2a15d3e9b60, 0x1eb95a70d6c3f248};
};

}  // namespace firn::binding
