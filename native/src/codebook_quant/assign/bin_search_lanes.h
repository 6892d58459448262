// The search tree in registers, kLanes weights at a time: step t looks its boundary up by permuting the 2^t boundaries
// of that step. Include in one file per instruction set.
#pragma once
#include "codebook_quant/assign/bin_search.h"
#include "simd/vectors.h"

namespace firn::FIRN_ISA {
namespace {

constexpr int registers_of(int step) {
  return (1 << step) <= static_cast<int>(kLanes) ? 1 : (1 << step) / static_cast<int>(kLanes);
}

constexpr int registers_to(int depth) {
  int registers = 0;
  for (int step = 0; step < depth; ++step) registers += registers_of(step);
  return registers;
}

template <int kDepth>
struct SearchTree {
  // Step t takes registers_of(t) vectors, one after the other.
  F32 nodes[registers_to(kDepth)];

  explicit SearchTree(const float* tree) {
    int next = 0;
    for (int step = 0; step < kDepth; ++step) {
      const size_t size = size_t{1} << step;
      for (size_t first = 0; first < size; first += kLanes)
        nodes[next++] = load_first(tree + (size - 1) + first, size - first);
    }
  }
};

template <int kDepth, int kStep = 0>
I32 descend(const SearchTree<kDepth>& tree, F32 x, I32 path) {
  if constexpr (kStep == kDepth) {
    return path;
  } else if constexpr (kStep == 0) {
    return descend<kDepth, 1>(tree, x, increment(at_least(x, broadcast_first(tree.nodes[0])), I32::zero()));
  } else {
    const Mask right = at_least(x, look_up<registers_of(kStep)>(tree.nodes + registers_to(kStep), path));
    return descend<kDepth, kStep + 1>(tree, x, increment(right, path + path));
  }
}

template <int kDepth>
void find(const BinSearch& search, const unsigned char* weights, size_t count, uint8_t* bins) {
  const SearchTree<kDepth> tree(search.tree);
  size_t i = 0;
  for (; i + kByteLanes <= count; i += kByteLanes) {
    I32 paths[4];
#pragma GCC unroll 4
    for (size_t part = 0; part < 4; ++part)
      paths[part] = descend<kDepth>(tree, load_f32(weights + 4 * (i + part * kLanes)), I32::zero());
    store_as_bytes(bins + i, paths);
  }
  if (i < count) scalar::find_bins(search, weights + 4 * i, count - i, bins + i);
}

}  // namespace

void find_bins(const BinSearch& search, const void* weights, size_t count, uint8_t* bins) {
  const unsigned char* bytes = static_cast<const unsigned char*>(weights);
  switch (search.depth) {
    case 1: return find<1>(search, bytes, count, bins);
    case 2: return find<2>(search, bytes, count, bins);
    case 3: return find<3>(search, bytes, count, bins);
    case 4: return find<4>(search, bytes, count, bins);
    case 5: return find<5>(search, bytes, count, bins);
    case 6: return find<6>(search, bytes, count, bins);
    case 7:
      if constexpr (kSearchDepthInRegistersMax >= 7) return find<7>(search, bytes, count, bins);
      break;
  }
  scalar::find_bins(search, weights, count, bins);
}

}  // namespace firn::FIRN_ISA
