// Result codes of the core. Numbers are pinned: they cross the seam to TypeScript (src/native/core.ts).
#pragma once
#include <cstdint>

namespace firn {

enum class Status : int32_t {
  ok = 0,
  corrupt = 1,           // bytes that no encoder writes; hostile or damaged input
  truncated = 2,         // input ends before the declared content
  invalid_argument = 3,  // the caller violated a documented range
  out_of_memory = 4,     // an allocation failed or a named limit on memory was reached
  unsupported = 5,       // a version or mode that this build does not support
  internal = 6,          // a defect of the core: an unexpected exception
  gone = 7,              // a device has failed, and with it what only it held; it has to be made again
};

// Returns one English sentence without a trailing full stop; never null, never allocated.
const char* status_text(Status status);

}  // namespace firn
