// Every kernel a device runs: FIRN_EACH_KERNEL(X) is X(name, type of its arguments) for each. To add one: the kernel in
// src/<room>/<name>_team.h, FIRN_LAUNCH in src/<room>/<name>.cu, a line here, a test in test/device/, a row in
// bench/device/. Each line raises kDeviceTableVersion.
#pragma once
#include "stats/sketch_team.h"

// clang-format off
#define FIRN_EACH_KERNEL(X) \
  X(sketch_values, SketchValuesKernel) \
  X(sketch_sensitivity, SketchSensitivityKernel)
// clang-format on
