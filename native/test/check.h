// The test harness: named cases, checks that report and continue, one line of totals.
//
// A test file holds TEST_CASE("guarantee it proves") { ... } blocks and links with main.cc. A failed check prints file,
// line and values; the case counts as failed and continues, except that REQUIRE leaves the case.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace firn::test {

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

// Failed checks of the running case.
inline size_t& failures() {
  static size_t count = 0;
  return count;
}

struct Registration {
  Registration(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

// Past this many messages in one case only the count goes on, so that a broken loop does not flood the terminal.
inline constexpr size_t kMessagesPerCaseMax = 20;

inline bool report(bool passed, const char* file, int line, const std::string& what) {
  if (passed) return true;
  if (++failures() <= kMessagesPerCaseMax) std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
  return false;
}

template <typename T>
std::string show(const T& value) {
  if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>) return std::to_string(static_cast<long long>(value));
  else if constexpr (std::is_floating_point_v<T>) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    return text;
  } else if constexpr (std::is_arithmetic_v<T>) return std::to_string(value);
  else if constexpr (std::is_convertible_v<T, std::string>) return std::string(value);
  else return "?";
}

template <typename A, typename B>
bool report_equal(const A& a, const B& b, const char* file, int line, const char* text) {
  return report(a == b, file, line, a == b ? std::string() : std::string(text) + ": " + show(a) + " != " + show(b));
}

// Small deterministic generator (SplitMix64), so that a failing case fails again.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // 0 <= result < bound; bound >= 1.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  // 0 <= result < 1, 53 bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

// Cases by number: those that leave `rest` when divided by `of`.
struct Share {
  size_t rest = 0, of = 1;
};

// Runs every case of a share whose name contains `filter` (all when null); returns the process exit code.
inline int run_all(const char* filter, const Share& share) {
  size_t passed = 0, failed = 0, number = 0;
  for (const Case& c : cases()) {
    if (number++ % share.of != share.rest || (filter && std::string(c.name).find(filter) == std::string::npos))
      continue;
    failures() = 0;
    c.run();
    if (failures() == 0) {
      ++passed;
    } else {
      ++failed;
      std::fprintf(stderr, "FAILED (%zu checks): %s\n", failures(), c.name);
    }
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace firn::test

#define FIRN_JOIN2(a, b) a##b
#define FIRN_JOIN(a, b) FIRN_JOIN2(a, b)

#define TEST_CASE(name)                                                                                              \
  static void FIRN_JOIN(firn_case_, __LINE__)();                                                                     \
  static const ::firn::test::Registration FIRN_JOIN(firn_registration_, __LINE__)(name,                              \
                                                                                  &FIRN_JOIN(firn_case_, __LINE__)); \
  static void FIRN_JOIN(firn_case_, __LINE__)()

#define CHECK(condition) ::firn::test::report(static_cast<bool>(condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(a, b) ::firn::test::report_equal((a), (b), __FILE__, __LINE__, #a " == " #b)
// |a - b| <= tolerance; false for NaN.
#define CHECK_NEAR(a, b, tolerance)                                                            \
  ::firn::test::report(((a) > (b) ? (a) - (b) : (b) - (a)) <= (tolerance), __FILE__, __LINE__, \
                       #a " near " #b ": " + ::firn::test::show(a) + " and " + ::firn::test::show(b))
// Leaves the case when it fails; for what the rest of the case depends on.
#define REQUIRE(condition)                                                                           \
  do {                                                                                               \
    if (!::firn::test::report(static_cast<bool>(condition), __FILE__, __LINE__, #condition)) return; \
  } while (0)
