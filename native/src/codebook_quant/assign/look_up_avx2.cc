// Tables of up to 64 binary32 values in registers, looked up by permutation.
#include "codebook_quant/assign/look_up.h"
#include "simd/cpu_features.h"

#if FIRN_X86
#include "codebook_quant/assign/look_up_lanes.h"

namespace firn::avx2 {
namespace {

struct Words32 {
  static constexpr uint32_t kWords = 8, kRegistersMax = 8;
  using Vector = F32;
  static Vector load(const unsigned char* from) { return load_f32(from); }
  static I32 places(const uint8_t* levels) { return widen_bytes(levels); }
  template <int kRegisters>
  static Vector find(const Vector* table, I32 places) {
    return look_up<kRegisters>(table, places);
  }
};

}  // namespace

uint8_t look_up32(const uint8_t* levels, size_t count, const void* table, uint32_t level_count, void* out) {
  return look_up_words<Words32>(levels, count, table, level_count, out, scalar::look_up32);
}

}  // namespace firn::avx2
#endif
