// The search tree in registers, eight weights at a time: step t looks its boundary up by permuting the 2^t boundaries of that step.
// No inline functions of other headers are called here: the linker could keep this file's copy for everybody.
#include "codebook_quant/assign/bin_search.h"
#include "simd/cpu_features.h"

#if FIRN_X86
#include <immintrin.h>

namespace firn {
namespace {

constexpr size_t kLanes = 8;

constexpr int registers_of(int step) { return step <= 3 ? 1 : 1 << (step - 3); }

template <int kDepth>
struct Tree {
  // Step t takes registers_of(t) vectors, one after the other: 1 1 1 1 2 4.
  static constexpr int kRegisters = kDepth <= 4 ? kDepth : 3 + (1 << (kDepth - 3)) - 1;
  __m256 nodes[kRegisters];

  explicit Tree(const float* tree) {
    int next = 0;
    for (int step = 0; step < kDepth; ++step) {
      const int size = 1 << step;
      const __m256i used = _mm256_cmpgt_epi32(_mm256_set1_epi32(size), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
      for (int r = 0; r < registers_of(step); ++r) nodes[next++] = _mm256_maskload_ps(tree + (size - 1) + 8 * r, used);
    }
  }
};

template <int kRegisters>
__m256 look_up(const __m256* nodes, __m256i path) {
  if constexpr (kRegisters == 1) {
    return _mm256_permutevar8x32_ps(nodes[0], path);
  } else {
    constexpr int kHalf = kRegisters / 2;
    constexpr int kBit = kRegisters == 2 ? 3 : kRegisters == 4 ? 4 : 5;  // of the path; picks the upper half
    const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(path, 31 - kBit));
    return _mm256_blendv_ps(look_up<kHalf>(nodes, path), look_up<kHalf>(nodes + kHalf, path), upper);
  }
}

template <int kDepth, int kStep = 0, int kFirst = 0>
__m256i descend(const Tree<kDepth>& tree, __m256 x, __m256i path) {
  if constexpr (kStep == kDepth) {
    return path;
  } else {
    __m256 node;
    if constexpr (kStep == 0) node = _mm256_broadcastss_ps(_mm256_castps256_ps128(tree.nodes[0]));
    else node = look_up<registers_of(kStep)>(tree.nodes + kFirst, path);
    const __m256i right = _mm256_castps_si256(_mm256_cmp_ps(x, node, _CMP_GE_OQ));  // -1 where true
    const __m256i next = _mm256_sub_epi32(_mm256_add_epi32(path, path), right);
    return descend<kDepth, kStep + 1, kFirst + registers_of(kStep)>(tree, x, next);
  }
}

template <int kDepth>
void find(const BinSearch& search, const unsigned char* weights, size_t count, uint8_t* bins) {
  const Tree<kDepth> tree(search.tree);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // undoes the lane-wise packing
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    __m256i path[4];
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; ++k) {
      const __m256 x = _mm256_loadu_ps(reinterpret_cast<const float*>(weights + 4 * (i + k * kLanes)));
      path[k] = descend<kDepth>(tree, x, _mm256_setzero_si256());
    }
    const __m256i packed = _mm256_packus_epi16(_mm256_packs_epi32(path[0], path[1]), _mm256_packs_epi32(path[2], path[3]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bins + i), _mm256_permutevar8x32_epi32(packed, order));
  }
  if (i < count) find_bins_scalar(search, weights + 4 * i, count - i, bins + i);
}

}  // namespace

void find_bins_avx2(const BinSearch& search, const void* weights, size_t count, uint8_t* bins) {
  const unsigned char* bytes = static_cast<const unsigned char*>(weights);
  switch (search.depth) {
    case 1: return find<1>(search, bytes, count, bins);
    case 2: return find<2>(search, bytes, count, bins);
    case 3: return find<3>(search, bytes, count, bins);
    case 4: return find<4>(search, bytes, count, bins);
    case 5: return find<5>(search, bytes, count, bins);
    case 6: return find<6>(search, bytes, count, bins);
    default: return find_bins_scalar(search, weights, count, bins);
  }
}

}  // namespace firn
#endif
