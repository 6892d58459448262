#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "check.h"
#include "common/bit_writer.h"
#include "common/invariant.h"
#include "entropy/huffman.h"

namespace {

// Standard error of a child process that runs `body`, if abort() ends it; otherwise a description of its end.
template <typename Body>
std::string last_words(Body body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child < 0) return "no process";
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]), close(ends[1]);
    body();
    _exit(0);
  }
  close(ends[1]);
  std::string words;
  char part[256];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;) words.append(part, static_cast<size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return "ended by itself with " + std::to_string(WEXITSTATUS(status));
  return WTERMSIG(status) == SIGABRT ? words : "ended by signal " + std::to_string(WTERMSIG(status));
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST_CASE("test builds look at invariants: a broken one ends the process and says which and where") {
  const std::string words = last_words([] { (void)firn::huffman_lengths({1, 2, 3}, 1); });
  CHECK(contains(words, "huffman.cc:"));
  CHECK(contains(words, "invariant broken: length_max < 64 && n <= uint64_t{1} << length_max"));
  CHECK_EQ(last_words([] { (void)firn::huffman_lengths({1, 2, 3}, 2); }), std::string("ended by itself with 0"));
}

TEST_CASE("sanitizer builds look at invariants of elements too") {
  const auto too_wide = [] {
    uint8_t bytes[16];
    firn::BitWriter(bytes).put(4, 2);
  };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  CHECK(contains(last_words(too_wide), "invariant broken: count <= 56 && value >> count == 0"));
#else
  CHECK_EQ(last_words(too_wide), std::string("ended by itself with 0"));
#endif
}

}  // namespace
