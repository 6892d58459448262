// The search tree in registers, sixteen weights at a time: step t looks its boundary up by permuting the 2^t boundaries of that step.
// No inline functions of other headers are called here: the linker could keep this file's copy for everybody.
#include "codebook_quant/assign/bin_search.h"
#include "simd/cpu_features.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 16;

constexpr int registers_of(int step) { return step <= 4 ? 1 : 1 << (step - 4); }

template <int kDepth>
struct Tree {
  // Step t takes registers_of(t) vectors, one after the other: 1 1 1 1 1 2 4.
  static constexpr int kRegisters = kDepth <= 5 ? kDepth : 4 + (1 << (kDepth - 4)) - 1;
  __m512 nodes[kRegisters];

  explicit Tree(const float* tree) {
    int next = 0;
    for (int step = 0; step < kDepth; ++step) {
      const int size = 1 << step;
      for (int r = 0; r < registers_of(step); ++r) {
        const __mmask16 used = static_cast<__mmask16>(size >= 16 ? 0xFFFF : (1 << size) - 1);
        nodes[next++] = _mm512_maskz_loadu_ps(used, tree + (size - 1) + 16 * r);
      }
    }
  }
};

template <int kRegisters>
__m512 look_up(const __m512* nodes, __m512i path) {
  if constexpr (kRegisters == 1) {
    return _mm512_permutexvar_ps(path, nodes[0]);
  } else if constexpr (kRegisters == 2) {
    return _mm512_permutex2var_ps(nodes[0], path, nodes[1]);
  } else {
    constexpr int kHalf = kRegisters / 2;
    const __mmask16 upper = _mm512_test_epi32_mask(path, _mm512_set1_epi32(16 * kHalf));
    return _mm512_mask_mov_ps(look_up<kHalf>(nodes, path), upper, look_up<kHalf>(nodes + kHalf, path));
  }
}

template <int kDepth, int kStep = 0, int kFirst = 0>
__m512i descend(const Tree<kDepth>& tree, __m512 x, __m512i path) {
  if constexpr (kStep == kDepth) {
    return path;
  } else {
    const __m512i one = _mm512_set1_epi32(1);
    if constexpr (kStep == 0) {
      const __mmask16 right = _mm512_cmp_ps_mask(x, _mm512_broadcastss_ps(_mm512_castps512_ps128(tree.nodes[0])), _CMP_GE_OQ);
      return descend<kDepth, 1, 1>(tree, x, _mm512_maskz_mov_epi32(right, one));
    } else {
      const __mmask16 right = _mm512_cmp_ps_mask(x, look_up<registers_of(kStep)>(tree.nodes + kFirst, path), _CMP_GE_OQ);
      const __m512i doubled = _mm512_add_epi32(path, path);
      const __m512i next = _mm512_mask_add_epi32(doubled, right, doubled, one);
      return descend<kDepth, kStep + 1, kFirst + registers_of(kStep)>(tree, x, next);
    }
  }
}

template <int kDepth>
void find(const BinSearch& search, const unsigned char* weights, size_t count, uint8_t* bins) {
  const Tree<kDepth> tree(search.tree);
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; ++k) {
      const size_t at = i + k * kLanes;
      const __m512 x = _mm512_loadu_ps(reinterpret_cast<const float*>(weights + 4 * at));
      const __m512i path = descend<kDepth>(tree, x, _mm512_setzero_si512());
      _mm_storeu_si128(reinterpret_cast<__m128i*>(bins + at), _mm512_cvtepi32_epi8(path));
    }
  }
  if (i < count) find_bins_scalar(search, weights + 4 * i, count - i, bins + i);
}

}  // namespace

void find_bins_avx512(const BinSearch& search, const void* weights, size_t count, uint8_t* bins) {
  const unsigned char* bytes = static_cast<const unsigned char*>(weights);
  switch (search.depth) {
    case 1: return find<1>(search, bytes, count, bins);
    case 2: return find<2>(search, bytes, count, bins);
    case 3: return find<3>(search, bytes, count, bins);
    case 4: return find<4>(search, bytes, count, bins);
    case 5: return find<5>(search, bytes, count, bins);
    case 6: return find<6>(search, bytes, count, bins);
    case 7: return find<7>(search, bytes, count, bins);
    default: return find_bins_scalar(search, weights, count, bins);
  }
}

}  // namespace firn
#endif
