// Conversion kernels behind convert(); one per instruction set, identical results.
#pragma once
#include <cstddef>

#include "firn/dtype.h"

namespace firn {

// Contract of convert() (firn/dtype.h), for two different dtypes. Pointers need no alignment.
using ConvertKernel = void(const void* in, Dtype in_dtype, size_t count, void* out, Dtype out_dtype);
namespace scalar {
ConvertKernel convert;
}
namespace avx2 {
ConvertKernel convert;
}

}  // namespace firn
