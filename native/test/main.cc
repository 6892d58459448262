// Runs the registered test cases. An argument selects the cases whose name contains it; `--odd` and `--even` select
// every other case.
#include <cstring>

#include "check.h"

int main(int argc, char** argv) {
  const char* const argument = argc > 1 ? argv[1] : nullptr;
  const auto is = [&](const char* option) { return argument && std::strcmp(argument, option) == 0; };
  if (is("--even")) return firn::test::run_all(nullptr, {0, 2});
  if (is("--odd")) return firn::test::run_all(nullptr, {1, 2});
  return firn::test::run_all(argument, {});
}
