#include "simd/cpu_features.h"

#if FIRN_X86
#include "context/dense/dense_512.h"
#include "context/dense/dense_encode_512.h"
#endif
