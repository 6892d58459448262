// Vectors of the instruction set that this file is compiled for, under common names, so that kernels are written once.
//
//   kLanes        32-bit lanes of a vector: 8 with AVX2, 16 with AVX-512
//   I32, F32      whole numbers and binary32 numbers
//   F64           kLanes binary64 numbers
//   Mask          a bit for each lane
//   Bytes         4 * kLanes bytes; ByteMask: a bit for each
//
// Everything is internal to the including file and ends in one to a few instructions. Float results are those of IEEE
// 754.
#pragma once
#include "simd/isa_namespace.h"

#ifdef __AVX512F__
#include "simd/vectors_512.h"
#else
#include "simd/vectors_avx2.h"
#endif
