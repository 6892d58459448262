#include "firn/status.h"

namespace firn {

const char* status_text(Status status) {
  switch (status) {
    case Status::ok: return "done";
    case Status::corrupt: return "the bytes are damaged or were not written by this format";
    case Status::truncated: return "the bytes end before the declared content";
    case Status::invalid_argument: return "an argument is outside its documented range";
    case Status::out_of_memory: return "not enough memory, or a limit on memory was met";
    case Status::internal: return "the core made a mistake";
    case Status::gone: return "a device has lost what it held";
    case Status::unsupported: return "the version or mode is not known to this build";
  }
  return "unknown status";
}

}  // namespace firn
