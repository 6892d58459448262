#include "stats/moments_lanes.h"
