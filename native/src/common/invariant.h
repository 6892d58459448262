// Conditions that hold unless this code has a bug; input from outside never breaks them. A broken one ends the process.
//
//   FIRN_INVARIANT(condition)        about a call or a block
//   FIRN_INNER_INVARIANT(condition)  about an element or a bit, in loops that benches measure
//
// FIRN_INVARIANTS selects at build time which are checked: 0 none (releases), 1 the first kind (the tests preset), 2
// both (the sanitize presets). Other conditions are compiled, but never evaluated.
#pragma once

#ifndef FIRN_INVARIANTS
#define FIRN_INVARIANTS 0
#endif

namespace firn {

[[noreturn]] void invariant_broken(const char* condition, const char* file, int line);

}  // namespace firn

#define FIRN_INVARIANT_CHECKED(condition) \
  ((condition) ? static_cast<void>(0) : ::firn::invariant_broken(#condition, __FILE__, __LINE__))
#define FIRN_INVARIANT_STATED(condition) static_cast<void>(sizeof((condition) ? 1 : 0))

#if FIRN_INVARIANTS >= 1
#define FIRN_INVARIANT(condition) FIRN_INVARIANT_CHECKED(condition)
#else
#define FIRN_INVARIANT(condition) FIRN_INVARIANT_STATED(condition)
#endif

#if FIRN_INVARIANTS >= 2
#define FIRN_INNER_INVARIANT(condition) FIRN_INVARIANT_CHECKED(condition)
#else
#define FIRN_INNER_INVARIANT(condition) FIRN_INVARIANT_STATED(condition)
#endif
