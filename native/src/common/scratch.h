// Working memory of a block. Its thread reuses it for the next block, because new pages cost more than filling them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace firn {

struct ReturnScratch {
  void operator()(uint8_t* bytes) const;
};
using Scratch = std::unique_ptr<uint8_t[], ReturnScratch>;

// At least `size` bytes with any content, from an address that vectors of 64 bytes never straddle. May be given back by
// another thread. Throws std::bad_alloc.
Scratch take_scratch(size_t size);

}  // namespace firn
