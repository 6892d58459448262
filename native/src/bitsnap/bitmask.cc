// The packed bitmask of BitSnap, section 3.3 and algorithm 1: differences, a mask of them, eight bits to a byte, and
// the states that changed.
#include "firn/bitmask.h"

#include <algorithm>
#include <bit>
#include <new>

#include "bitsnap/bitmask_kernels.h"
#include "common/bytes.h"
#include "firn/delta.h"
#include "simd/cpu_features.h"

namespace firn {

namespace scalar {

size_t changed_mask(const uint8_t* current, const uint8_t* previous, size_t count, uint8_t* mask) {
  size_t changed = 0;
  std::fill_n(mask, (count + 7) / 8, uint8_t{0});
  for (size_t i = 0; i < count; ++i) {
    if (load_le<uint16_t>(current + 2 * i) == load_le<uint16_t>(previous + 2 * i)) continue;
    mask[i / 8] = static_cast<uint8_t>(mask[i / 8] | 1u << (i % 8));
    ++changed;
  }
  return changed;
}

}  // namespace scalar

namespace {

constexpr size_t kStateBytes = 2;
constexpr size_t kStatesOfByte = 8;

size_t mask_bytes(size_t count) { return (count + kStatesOfByte - 1) / kStatesOfByte; }

size_t changed_mask(const void* current, const void* previous, size_t count, uint8_t* mask) {
  const auto* const now = static_cast<const uint8_t*>(current);
  const auto* const then = static_cast<const uint8_t*>(previous);
#if FIRN_X86
  if (active_isa() >= Isa::avx2) return avx2::changed_mask(now, then, count, mask);
#endif
  return scalar::changed_mask(now, then, count, mask);
}

bool is_valid(size_t count, ElementKind kind) {
  return count <= kBlockElementsMax && (kind == ElementKind::f16 || kind == ElementKind::bf16);
}

// Calls `changed(state)` for every set bit, in order.
template <typename Changed>
void for_each_bit(const uint8_t* mask, size_t bytes, Changed changed) {
  for (size_t byte = 0; byte < bytes; ++byte) {
    for (unsigned left = mask[byte]; left != 0; left &= left - 1)
      changed(kStatesOfByte * byte + static_cast<size_t>(std::countr_zero(left)));
  }
}

}  // namespace

size_t bitmask_changed(const void* current, const void* previous, size_t count) {
  constexpr size_t kPieceStates = 4096;
  uint8_t mask[kPieceStates / kStatesOfByte];
  size_t changed = 0;
  for (size_t at = 0; at < count; at += kPieceStates)
    changed += changed_mask(static_cast<const uint8_t*>(current) + kStateBytes * at,
                            static_cast<const uint8_t*>(previous) + kStateBytes * at,
                            std::min(kPieceStates, count - at), mask);
  return changed;
}

Status bitmask_encode(const void* current, const void* previous, size_t count, ElementKind kind,
                      std::vector<uint8_t>* out) try {
  if (!is_valid(count, kind)) return Status::invalid_argument;
  std::vector<uint8_t> payload;
  if (const Status status = exact_encode(current, nullptr, count, kind, &payload); status != Status::ok) return status;
  if (previous) {
    std::vector<uint8_t> mask(mask_bytes(count));
    const size_t changed = changed_mask(current, previous, count, mask.data());
    const size_t size = 1 + mask.size() + kStateBytes * changed;
    if (16 * changed < kBitmaskShareSixteenths * count && size <= payload.size()) {
      payload.assign(size, kBitmaskMode);
      std::copy(mask.begin(), mask.end(), payload.begin() + 1);
      uint8_t* to = payload.data() + 1 + mask.size();
      for_each_bit(mask.data(), mask.size(), [&](size_t state) {
        std::copy_n(static_cast<const uint8_t*>(current) + kStateBytes * state, kStateBytes, to);
        to += kStateBytes;
      });
    }
  }
  out->insert(out->end(), payload.begin(), payload.end());
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status bitmask_decode(const uint8_t* bytes, size_t size, const void* previous, size_t count, ElementKind kind,
                      void* out) {
  if (!is_valid(count, kind)) return Status::invalid_argument;
  if (size == 0) return Status::truncated;
  if (!bitmask_needs_previous(bytes, size)) {
    // An exact block that needs a previous one has no place here: no encoder writes it.
    if (!exact_is_standalone(bytes, size)) return Status::corrupt;
    return exact_decode(bytes, size, nullptr, count, kind, out);
  }
  if (!previous) return Status::invalid_argument;
  const size_t masked = mask_bytes(count);
  if (size - 1 < masked) return Status::truncated;
  const uint8_t* const mask = bytes + 1;
  if (count % kStatesOfByte != 0 && mask[masked - 1] >> (count % kStatesOfByte) != 0) return Status::corrupt;
  size_t changed = 0;
  for (size_t byte = 0; byte < masked; ++byte) changed += static_cast<size_t>(std::popcount(mask[byte]));
  const size_t expected = 1 + masked + kStateBytes * changed;
  if (size != expected) return size < expected ? Status::truncated : Status::corrupt;
  uint8_t* const to = static_cast<uint8_t*>(out);
  std::copy_n(static_cast<const uint8_t*>(previous), kStateBytes * count, to);
  const uint8_t* from = mask + masked;
  for_each_bit(mask, masked, [&](size_t state) {
    std::copy_n(from, kStateBytes, to + kStateBytes * state);
    from += kStateBytes;
  });
  return Status::ok;
}

bool bitmask_needs_previous(const uint8_t* bytes, size_t) { return bytes[0] == kBitmaskMode; }

}  // namespace firn
