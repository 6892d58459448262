#include "simd/cpu_features.h"

#include <atomic>

#if FIRN_X86
#include <cpuid.h>
#endif

namespace firn {
namespace {

#if FIRN_X86
struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// All zero when the processor does not have the leaf.
Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

// Register state the operating system saves on a context switch (XCR0); needs OSXSAVE.
uint64_t saved_state() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

constexpr bool has(uint64_t word, uint64_t bits) { return (word & bits) == bits; }

// Bit numbers: Intel SDM volume 2A, CPUID; volume 1, section 13.3 (XCR0).
Isa detect() {
  constexpr uint64_t kXmmYmm = 0x6, kOpmaskZmm = 0xE6;
  constexpr unsigned kFma = 1u << 12, kPopcnt = 1u << 23, kOsxsave = 1u << 27, kAvx = 1u << 28, kF16c = 1u << 29;
  constexpr unsigned kBmi1 = 1u << 3, kAvx2 = 1u << 5, kBmi2 = 1u << 8;
  constexpr unsigned kAvx512f = 1u << 16, kAvx512dq = 1u << 17, kAvx512cd = 1u << 28, kAvx512bw = 1u << 30,
                     kAvx512vl = 1u << 31;
  constexpr unsigned kLzcnt = 1u << 5;
  const Registers one = cpuid(1, 0), seven = cpuid(7, 0), extended = cpuid(0x80000001, 0);
  if (!has(one.ecx, kFma | kPopcnt | kOsxsave | kAvx | kF16c) || !has(seven.ebx, kBmi1 | kAvx2 | kBmi2))
    return Isa::scalar;
  if (!has(extended.ecx, kLzcnt)) return Isa::scalar;
  const uint64_t saved = saved_state();
  if (!has(saved, kXmmYmm)) return Isa::scalar;
  if (!has(saved, kOpmaskZmm) || !has(seven.ebx, kAvx512f | kAvx512dq | kAvx512cd | kAvx512bw | kAvx512vl))
    return Isa::avx2;
  return Isa::avx512;
}

bool detect_vbmi2() {
  constexpr unsigned kVbmi2 = 1u << 6;
  return has(cpuid(7, 0).ecx, kVbmi2);
}
#else
Isa detect() { return Isa::scalar; }
bool detect_vbmi2() { return false; }
#endif

std::atomic<Isa> g_limit{Isa::avx512};
std::atomic<bool> g_vbmi2{true};

}  // namespace

Isa detected_isa() {
  static const Isa detected = detect();
  return detected;
}

Isa active_isa() {
  const Isa limit = g_limit.load(std::memory_order_relaxed), detected = detected_isa();
  return limit < detected ? limit : detected;
}

bool active_vbmi2() {
  static const bool detected = detect_vbmi2();
  return detected && active_isa() >= Isa::avx512 && g_vbmi2.load(std::memory_order_relaxed);
}

void limit_isa(Isa highest, bool vbmi2) {
  g_limit.store(highest, std::memory_order_relaxed);
  g_vbmi2.store(vbmi2, std::memory_order_relaxed);
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::scalar: return "scalar";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
  }
  return "unknown";
}

}  // namespace firn
