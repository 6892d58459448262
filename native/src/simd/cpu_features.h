// Which instruction sets the kernels may use, decided at run time.
#pragma once
#include <cstdint>

// The build decides whether the x86 kernels are compiled in.
#ifndef FIRN_X86
#if defined(__x86_64__)
#define FIRN_X86 1
#else
#define FIRN_X86 0
#endif
#endif

namespace firn {

// Levels are cumulative: a machine at one level runs every kernel of the levels below it. All levels give identical
// results.
enum class Isa : uint8_t {
  scalar = 0,  // the reference code, on any machine
  avx2 = 1,    // AVX2, F16C, FMA (never contracted into), BMI1, BMI2, LZCNT, POPCNT: files named *_avx2.cc
  avx512 = 2,  // avx2 and AVX-512 F, BW, CD, DQ, VL: files named *_avx512.cc
};

// The highest level that this machine and its operating system support. Determined once, then cached; may be called
// from any thread.
Isa detected_isa();

// The level to dispatch on: detected_isa(), or the limit below if that is lower.
Isa active_isa();

// Whether to dispatch on AVX-512 VBMI2, which a machine at Isa::avx512 may also have: files named *_vbmi2.cc.
bool active_vbmi2();

// Caps active_isa() for the whole process, and active_vbmi2() where `vbmi2` is false; Isa::avx512 lifts the cap. For
// tests and benches, which compare levels.
void limit_isa(Isa highest, bool vbmi2 = true);

// "scalar", "avx2" or "avx512"; never null.
const char* isa_name(Isa isa);

}  // namespace firn
