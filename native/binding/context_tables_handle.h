// Context tables as JavaScript holds them.
#pragma once
#include "firn/context_coder.h"
#include "handle.h"

namespace firn::binding {

template <>
struct HandleTag<ContextTables> {
  static constexpr napi_type_tag value{0xe1763d08f52bc94a, 0x27c40eb95f8d6a13};
};

}  // namespace firn::binding
