// firn_bench [--json FILE] [TEXT]: prints one row per kernel. TEXT selects the rows whose name contains it; `coding`
// selects those of bench_coding.cc and bench_context.cc. Exit code 1 if a result was wrong, 2 on bad usage or an
// unwritable FILE.
#include <cstdio>
#include <cstring>
#include <string>

#include "bench/bench.h"

namespace {

bool write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

int main(int argc, char** argv) {
  std::string json_path, filter;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
      json_path = argv[++i];
    } else if (argv[i][0] != '-' && filter.empty()) {
      filter = argv[i];
    } else {
      std::fprintf(stderr, "usage: firn_bench [--json FILE] [TEXT]\n");
      return 2;
    }
  }
  const bool coding_only = filter == "coding";
  firn::bench::BenchReport report(coding_only ? "" : filter);
  if (!coding_only) firn::bench::bench_kernels(report);
  if (!coding_only) firn::bench::bench_lattice(report);
  if (!coding_only) firn::bench::bench_residual(report);
  firn::bench::bench_coding(report);
  firn::bench::bench_context(report);
  if (!json_path.empty() && !write_file(json_path, report.json())) {
    std::fprintf(stderr, "firn_bench: cannot write %s\n", json_path.c_str());
    return 2;
  }
  return report.failed() ? 1 : 0;
}
