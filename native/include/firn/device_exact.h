// Exact coding of blocks (firn/lossless.h) on a device (firn/device.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "firn/device.h"
#include "firn/lossless.h"
#include "firn/status.h"

namespace firn {

// exact_encode(), with the passes over a large block taken by the device: byte planes, exponents and differences to the
// previous block, and the context coder's dense mode. The rest is done here, as is whatever fails there: the answer and
// the bytes are always those of exact_encode().
Status device_exact_encode(const std::shared_ptr<DeviceContext>& context, const void* current, const void* previous,
                           size_t count, ElementKind kind, std::vector<uint8_t>* out);

}  // namespace firn
