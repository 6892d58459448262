#include "stats/sketch_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(sketch_values, firn::SketchValuesKernel)
FIRN_LAUNCH(sketch_sensitivity, firn::SketchSensitivityKernel)
FIRN_LAUNCH(sketch_pack, firn::SketchPackKernel)
