// Translates exceptions at the seam to JavaScript.
#pragma once
#include <new>

#include "firn/status.h"

namespace firn::binding {

// The status that `body` returns. A failed allocation is `out_of_memory`; any other exception is a bug of ours, not of
// the caller's: `internal`.
template <typename Body>
Status status_of(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory;
  } catch (...) {
    return Status::internal;
  }
}

}  // namespace firn::binding
