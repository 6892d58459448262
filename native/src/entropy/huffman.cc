#include "entropy/huffman.h"

#include <algorithm>
#include <numeric>

#include "common/invariant.h"

namespace firn {
namespace {

// Depths of the leaves of a Huffman tree over ascending weights, by the two-queue method; `depths` follows that order.
std::vector<uint32_t> tree_depths(const std::vector<uint64_t>& ascending) {
  const size_t n = ascending.size();
  std::vector<uint64_t> weight(ascending);  // leaves, then the n - 1 inner nodes in order of creation
  weight.resize(2 * n - 1);
  std::vector<uint32_t> parent(2 * n - 1, 0);
  size_t leaf = 0, inner = n;
  for (size_t made = n; made < 2 * n - 1; ++made) {
    uint64_t sum = 0;
    for (int side = 0; side < 2; ++side) {
      const bool take_leaf = leaf < n && (inner == made || weight[leaf] <= weight[inner]);
      const size_t node = take_leaf ? leaf++ : inner++;
      sum += weight[node];
      parent[node] = static_cast<uint32_t>(made);
    }
    weight[made] = sum;
  }
  std::vector<uint32_t> depth(2 * n - 1, 0);
  for (size_t node = 2 * n - 2; node-- > 0;) depth[node] = depth[parent[node]] + 1;
  depth.resize(n);
  return depth;
}

// Package-merge (Larmore and Hirschberg 1990) over ascending weights. One bit per list entry says leaf or package;
// walking the lists down from the 2n - 2 cheapest entries of the last one counts how many leading leaves each level
// takes.
std::vector<uint32_t> limited_depths(const std::vector<uint64_t>& ascending, uint32_t length_max) {
  const size_t n = ascending.size();
  std::vector<std::vector<bool>> is_leaf(length_max);
  std::vector<uint64_t> list(ascending), next;
  is_leaf[0].assign(n, true);
  for (uint32_t level = 1; level < length_max; ++level) {
    const size_t packages = list.size() / 2;
    next.clear();
    is_leaf[level].reserve(n + packages);
    size_t leaf = 0, package = 0;
    while (leaf < n || package < packages) {
      const uint64_t pair = package < packages ? list[2 * package] + list[2 * package + 1] : 0;
      const bool take_leaf = package == packages || (leaf < n && ascending[leaf] <= pair);
      next.push_back(take_leaf ? ascending[leaf] : pair);
      is_leaf[level].push_back(take_leaf);
      ++(take_leaf ? leaf : package);
    }
    list.swap(next);
  }
  std::vector<uint32_t> depth(n, 0);
  size_t taken = 2 * n - 2;
  for (uint32_t level = length_max; level-- > 0;) {
    size_t leaves = 0;
    for (size_t i = 0; i < taken; ++i) leaves += is_leaf[level][i];
    for (size_t i = 0; i < leaves; ++i) ++depth[i];
    taken = 2 * (taken - leaves);
  }
  return depth;
}

}  // namespace

std::vector<uint8_t> huffman_lengths(const std::vector<uint64_t>& counts, uint32_t length_max) {
  const size_t n = counts.size();
  FIRN_INVARIANT(length_max < 64 && n <= uint64_t{1} << length_max);
  FIRN_INVARIANT(std::find(counts.begin(), counts.end(), 0u) == counts.end());
  if (n <= 1) return std::vector<uint8_t>(n, 0);
  std::vector<uint32_t> order(
      n);  // ascending count; among equals the higher index first, so that it gets the longer code
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return counts[a] != counts[b] ? counts[a] < counts[b] : a > b; });
  std::vector<uint64_t> ascending(n);
  for (size_t i = 0; i < n; ++i) ascending[i] = counts[order[i]];
  std::vector<uint32_t> depth = tree_depths(ascending);
  if (*std::max_element(depth.begin(), depth.end()) > length_max) depth = limited_depths(ascending, length_max);
  // Equal counts may have got their depths in any order; it only matters that depths never grow with the count.
  std::sort(depth.begin(), depth.end(), std::greater<>());
  std::vector<uint8_t> lengths(n);
  for (size_t i = 0; i < n; ++i) lengths[order[i]] = static_cast<uint8_t>(depth[i]);
  return lengths;
}

bool huffman_is_complete(const std::vector<uint8_t>& lengths, uint32_t length_max) {
  if (lengths.size() == 1) return lengths[0] == 0;
  uint64_t sum = 0;  // in units of 2^-length_max
  for (const uint8_t length : lengths) {
    if (length < 1 || length > length_max) return false;
    sum += uint64_t{1} << (length_max - length);
  }
  return sum == uint64_t{1} << length_max;
}

std::vector<uint32_t> huffman_codes(const std::vector<uint8_t>& lengths) {
  constexpr uint32_t kLengths = 33;  // codes are 32-bit words
  uint32_t population[kLengths] = {};
  for (const uint8_t length : lengths) ++population[length];
  uint32_t next[kLengths] = {};
  uint32_t code = 0;
  for (uint32_t length = 1; length < kLengths; ++length) {
    code = (code + (length > 1 ? population[length - 1] : 0)) << 1;
    next[length] = code;
  }
  std::vector<uint32_t> codes(lengths.size(), 0);
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 0) codes[i] = next[lengths[i]]++;
  }
  return codes;
}

}  // namespace firn
