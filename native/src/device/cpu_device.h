// The processor as a device: every kernel with teams of one, at once, in plain memory.
#pragma once
#include "device/table.h"

namespace firn {

const DeviceTable& cpu_device_table();

}  // namespace firn
