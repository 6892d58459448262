// Conversion kernels behind convert(); one per instruction set, identical results.
#pragma once
#include <cstddef>

#include "firn/dtype.h"

namespace firn {

// Contract of convert() (firn/dtype.h), for two different dtypes. Pointers need no alignment.
void convert_scalar(const void* in, Dtype in_dtype, size_t count, void* out, Dtype out_dtype);
void convert_avx2(const void* in, Dtype in_dtype, size_t count, void* out, Dtype out_dtype);

}  // namespace firn
