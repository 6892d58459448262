#include "common/invariant.h"

#include <cstdio>
#include <cstdlib>

namespace firn {

void invariant_broken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace firn
