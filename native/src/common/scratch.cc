#include "common/scratch.h"

#include <array>
#include <new>

#include "common/invariant.h"

namespace firn {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kHeaderBytes = 64;  // before the bytes; holds their number

// Most pieces that a thread keeps, and the largest size of one in bytes: the need of a block of binary32 numbers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kKeptMax = 0;  // a sanitizer should see every piece end
#else
constexpr size_t kKeptMax = 8;
#endif
constexpr size_t kKeptBytesMax = size_t{1} << 19;

size_t& size_of(uint8_t* bytes) { return *reinterpret_cast<size_t*>(bytes - kHeaderBytes); }

void free_scratch(uint8_t* bytes) { ::operator delete(bytes - kHeaderBytes, kAlignment); }

class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    while (count_ > 0) free_scratch(pieces_[--count_]);
  }

  // The smallest piece that is large enough, or null.
  uint8_t* take(size_t size) {
    size_t best = count_;
    for (size_t i = 0; i < count_; ++i) {
      if (size_of(pieces_[i]) >= size && (best == count_ || size_of(pieces_[i]) < size_of(pieces_[best]))) best = i;
    }
    if (best == count_) return nullptr;
    uint8_t* const piece = pieces_[best];
    pieces_[best] = pieces_[--count_];
    return piece;
  }

  // False if the piece is not kept.
  bool keep(uint8_t* piece) {
    if (count_ >= kKeptMax || size_of(piece) > kKeptBytesMax) return false;
    pieces_[count_++] = piece;
    return true;
  }

 private:
  std::array<uint8_t*, kKeptMax + 1> pieces_;
  size_t count_ = 0;
};

thread_local Kept kept;

}  // namespace

void ReturnScratch::operator()(uint8_t* bytes) const {
  if (!kept.keep(bytes)) free_scratch(bytes);
}

Scratch take_scratch(size_t size) {
  if (uint8_t* const piece = kept.take(size)) return Scratch(piece);
  auto* const bytes = static_cast<uint8_t*>(::operator new(kHeaderBytes + size, kAlignment)) + kHeaderBytes;
  FIRN_INVARIANT(reinterpret_cast<uintptr_t>(bytes) % static_cast<size_t>(kAlignment) == 0);
  size_of(bytes) = size;
  return Scratch(bytes);
}

}  // namespace firn
