// Runs the registered test cases; an argument keeps only the cases whose name contains it, `--odd` and `--even` every
// other case.
#include <cstring>

#include "check.h"

int main(int argc, char** argv) {
  const char* const argument = argc > 1 ? argv[1] : nullptr;
  const auto is = [&](const char* option) { return argument && std::strcmp(argument, option) == 0; };
  if (is("--even")) return firn::test::run_all(nullptr, {0, 2});
  if (is("--odd")) return firn::test::run_all(nullptr, {1, 2});
  return firn::test::run_all(argument, {});
}
