#include <cstring>

#include "codebook_quant/assign/look_up.h"
#include "common/f32_view.h"
#include "firn/codebook_quant/assign.h"
#include "simd/cpu_features.h"

namespace firn {
namespace {

LookUpKernel* look_up_kernel(size_t word_bytes) {
#if FIRN_X86
  switch (active_isa()) {
    case Isa::avx512: return word_bytes == 4 ? avx512::look_up32 : avx512::look_up16;
    case Isa::avx2: return word_bytes == 4 ? avx2::look_up32 : scalar::look_up16;
    case Isa::scalar: break;
  }
#endif
  return word_bytes == 4 ? scalar::look_up32 : scalar::look_up16;
}

// The protected words not yet handed out.
struct ProtectedWords {
  const uint16_t* next;
  size_t left;
};

// Writes the next words at the places with levels[i] == level. False if there are too few words.
bool patch(const uint8_t* levels, size_t count, uint8_t level, Dtype dtype, ProtectedWords& words, uint8_t* out) {
  const uint8_t* const end = levels + count;
  for (const uint8_t* at = levels; at < end; ++at) {
    at = static_cast<const uint8_t*>(std::memchr(at, level, static_cast<size_t>(end - at)));
    if (at == nullptr) return true;
    if (words.left == 0) return false;
    uint8_t* element = out + static_cast<size_t>(at - levels) * dtype_bytes(dtype);
    if (dtype == Dtype::f32) {
      const float value = bf16_to_f32(*words.next);
      std::memcpy(element, &value, sizeof value);
    } else {
      std::memcpy(element, words.next, sizeof *words.next);
    }
    ++words.next;
    --words.left;
  }
  return true;
}

}  // namespace

Status dequantize(const uint8_t* levels, size_t count, Dtype dtype, const void* table, uint32_t level_count,
                  int32_t protected_level, const uint16_t* protected_words, size_t protected_count, void* out) {
  const bool protects = protected_level != kNoLevel;
  if (level_count > kLevelsMax ||
      (protects && (protected_level < 0 || protected_level >= static_cast<int32_t>(level_count)))) {
    return Status::invalid_argument;
  }
  LookUpKernel* const look_up = look_up_kernel(dtype_bytes(dtype));
  ProtectedWords words{protected_words, protected_count};
  uint8_t* to = static_cast<uint8_t*>(out);
  for (size_t first = 0; first < count; first += kStepElements) {
    const size_t step = count - first < kStepElements ? count - first : kStepElements;
    const uint8_t* step_levels = levels + first;
    uint8_t* step_out = to + first * dtype_bytes(dtype);
    if (look_up(step_levels, step, table, level_count, step_out) >= level_count) return Status::corrupt;
    if (protects && !patch(step_levels, step, static_cast<uint8_t>(protected_level), dtype, words, step_out))
      return Status::corrupt;
  }
  return words.left == 0 ? Status::ok : Status::corrupt;
}

}  // namespace firn
