// Runs the registered test cases; an argument keeps only the cases whose name contains it.
#include "check.h"

int main(int argc, char** argv) { return firn::test::run_all(argc > 1 ? argv[1] : nullptr); }
