#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "check.h"
#include "common/scratch.h"

using firn::Scratch;
using firn::take_scratch;

TEST_CASE("scratch: pieces in use never overlap, and begin where vectors do not straddle lines") {
  for (int round = 0; round < 3; ++round) {
    std::vector<Scratch> pieces;
    for (size_t size = 0; size < 300000; size = 3 * size + 1) {
      pieces.push_back(take_scratch(size));
      CHECK_EQ(reinterpret_cast<uintptr_t>(pieces.back().get()) % 64, uintptr_t{0});
      std::memset(pieces.back().get(), static_cast<int>(pieces.size()), size);
    }
    size_t number = 0;
    for (size_t size = 0; size < 300000; size = 3 * size + 1) {
      const uint8_t* const piece = pieces[number++].get();
      for (size_t i = 0; i < size; ++i) CHECK_EQ(piece[i], number);
    }
  }
}

TEST_CASE("scratch: a piece may be given back by another thread than took it") {
  Scratch piece = take_scratch(1000);
  std::thread([&] { piece.reset(); }).join();
  CHECK(take_scratch(1000) != nullptr);
}
