// The namespaces of the instruction set that this file is compiled for. The build sets FIRN_ISA beside the flags of the
// set.
#pragma once

// A function that the linker sees under one name must not exist in two versions: the linker keeps one of them for
// everybody, and it may be one that a machine cannot run. So all that is compiled for an instruction set lives in a
// namespace of its own:
//   kernels         namespace firn::FIRN_ISA { ... }
//   inline helpers  namespace firn { inline namespace FIRN_FOR_ISA { ... } }, in headers that kernels share with other
//   code
// native/test/check_isa_symbols.cmake looks at what the compiler made of it.
#ifndef FIRN_ISA
#define FIRN_ISA scalar
#endif

#define FIRN_ISA_JOIN_EXPANDED(a, b) a##b
#define FIRN_ISA_JOIN(a, b) FIRN_ISA_JOIN_EXPANDED(a, b)
#define FIRN_FOR_ISA FIRN_ISA_JOIN(for_, FIRN_ISA)
