// Runs a fuzz target without libFuzzer: replays every file of the given directories, then mutates them, from a fixed
// seed, for a bounded number of rounds. A failure aborts; its input is in the file crash-<target's name>.
//
//   fuzz_<target> [--rounds N] [--seed S] DIRECTORY...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint64_t kRoundsDefault = 5000;    // a second or two a target under sanitizers
constexpr size_t kInputBytesMax = 1u << 16;  // mutations grow no further

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // `bound` >= 1; the bias of the remainder does not matter here.
  size_t below(size_t bound) { return static_cast<size_t>(next() % bound); }

 private:
  uint64_t state_;
};

std::string g_crash_path;

// The input is written before it runs: whatever ends the process, it is there.
void run(const Bytes& input) {
  if (std::FILE* file = std::fopen(g_crash_path.c_str(), "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
  }
  // A copy of the exact size, so that a sanitizer sees reads past the end.
  const Bytes exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void mutate(Random& random, const std::vector<Bytes>& corpus, Bytes* input) {
  for (size_t edits = 1 + random.below(4); edits > 0; --edits) {
    const size_t at = input->empty() ? 0 : random.below(input->size());
    const auto position = input->begin() + static_cast<ptrdiff_t>(at);
    switch (random.below(input->empty() ? 1 : 7)) {
      case 0: input->insert(position, static_cast<uint8_t>(random.next())); break;
      case 1: (*input)[at] ^= static_cast<uint8_t>(1u << random.below(8)); break;
      case 2: (*input)[at] = static_cast<uint8_t>(random.next()); break;
      case 3: (*input)[at] = static_cast<uint8_t>((*input)[at] + (random.below(2) ? 1 : -1)); break;
      case 4: input->erase(position, position + static_cast<ptrdiff_t>(1 + random.below(input->size() - at))); break;
      case 5: {  // repeat a piece
        const Bytes piece(position, position + static_cast<ptrdiff_t>(1 + random.below(input->size() - at)));
        input->insert(position, piece.begin(), piece.end());
        break;
      }
      case 6: {  // the tail of another input
        const Bytes& other = corpus[random.below(corpus.size())];
        if (other.empty()) break;
        const size_t from = random.below(other.size());
        input->erase(position, input->end());
        input->insert(input->end(), other.begin() + static_cast<ptrdiff_t>(from), other.end());
        break;
      }
    }
  }
  if (input->size() > kInputBytesMax) input->resize(kInputBytesMax);
}

std::vector<Bytes> read_corpus(const std::vector<std::string>& directories) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& directory : directories) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());  // the same order everywhere
  std::vector<Bytes> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t rounds = kRoundsDefault, seed = 1;
  std::vector<std::string> directories;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) rounds = std::strtoull(argv[++i], nullptr, 10);
    else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) seed = std::strtoull(argv[++i], nullptr, 10);
    else directories.emplace_back(argv[i]);
  }
  g_crash_path = "crash-" + std::filesystem::path(argv[0]).filename().string();
  const std::vector<Bytes> corpus = read_corpus(directories);
  if (corpus.empty()) {
    std::fprintf(stderr, "no corpus files given\n");
    return 1;
  }
  for (const Bytes& input : corpus) run(input);
  Random random(seed);
  for (uint64_t round = 0; round < rounds; ++round) {
    Bytes input = corpus[random.below(corpus.size())];
    mutate(random, corpus, &input);
    run(input);
  }
  std::remove(g_crash_path.c_str());
  std::printf("%zu files, %llu mutations\n", corpus.size(), static_cast<unsigned long long>(rounds));
  return 0;
}
