// Passes of exact blocks over teams: planes with their counts (lossless/exact/planes.cc), exponents apart from the rest
// (lossless/float/exponents.cc), and differences with contexts (lossless/float/context_difference.cc). A team takes a
// block at a time.
#pragma once
#include <cstddef>
#include <cstdint>

#include "firn/delta.h"
#include "firn/lossless.h"
#include "lossless/exact/difference_symbol.h"
#include "lossless/exact/element.h"
#include "lossless/exact/reference_exponent.h"
#include "lossless/float/difference_fields.h"
#include "lossless/float/float_kernels.h"
#include "lossless/float/pair_counts_team.h"
#include "team/team.h"

namespace firn {

// A block's elements: at most kBlockElementsMax, at a multiple of their size.
struct ExactTeamBlock {
  uint64_t first;  // in the arrays of elements
  uint32_t count;
};

inline constexpr uint32_t kExactTeamMembers = 256;

// Element `at` of an array whose address is a multiple of an element's size.
template <typename E>
FIRN_EACH typename E::Word team_word(const void* words, uint64_t at) {
  return static_cast<const typename E::Word*>(words)[at];
}

template <typename Body>
FIRN_EACH void with_float_element(ElementKind kind, Body body) {
  if (kind == ElementKind::f16) body(F16Element{});
  else if (kind == ElementKind::bf16) body(Bf16Element{});
  else body(F32Element{});
}

// Byte planes, most significant first: those of a block follow each other, in as many bytes as its elements.
struct ExactPlanesKernel {
  static constexpr uint32_t kMembers = kExactTeamMembers, kResident = 8, kPlanesMax = 8, kValues = 256;
  static constexpr size_t kSharedBytes = kPlanesMax * kValues * sizeof(uint32_t);

  const void* current;
  const void* previous;  // null: the planes of the elements, not of their XOR with the previous ones
  ElementKind kind;
  const ExactTeamBlock* blocks;
  uint32_t count;
  uint8_t* planes;
  uint32_t* counts;  // [block][kPlanesMax][kValues]: receives those of the planes there are

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* memory) const {
    auto* const own = reinterpret_cast<uint32_t*>(memory);
    switch (kind) {
      case ElementKind::bytes: return run<ByteElement>(team, team_index, teams, own);
      case ElementKind::f16: return run<F16Element>(team, team_index, teams, own);
      case ElementKind::bf16: return run<Bf16Element>(team, team_index, teams, own);
      case ElementKind::f32: return run<F32Element>(team, team_index, teams, own);
      case ElementKind::f64: return run<F64Element>(team, team_index, teams, own);
      case ElementKind::word16: return run<Word16Element>(team, team_index, teams, own);
      case ElementKind::word32: return run<Word32Element>(team, team_index, teams, own);
      case ElementKind::word64: return run<Word64Element>(team, team_index, teams, own);
    }
  }

 private:
  template <typename E, typename Team>
  FIRN_EACH void run(const Team& team, uint32_t team_index, uint32_t teams, uint32_t* own) const {
    using Word = typename E::Word;
    constexpr uint32_t kPlanes = sizeof(Word);
    for (uint32_t b = team_index; b < count; b += teams) {
      const ExactTeamBlock block = blocks[b];
      for_each_element(team, kPlanes * kValues, [&](size_t i) { own[i] = 0; });
      team.barrier();
      uint8_t* const to = planes + block.first * kPlanes;
      for_each_element(team, block.count, [&](size_t i) {
        Word word = team_word<E>(current, block.first + i);
        if (previous) word = static_cast<Word>(word ^ team_word<E>(previous, block.first + i));
        const Word rotated = E::to_rotated(word);
        FIRN_UNROLL
        for (uint32_t k = 0; k < kPlanes; ++k) {
          const auto byte = static_cast<uint8_t>(rotated >> (8 * (kPlanes - 1 - k)));
          to[size_t{k} * block.count + i] = byte;
          team.add(&own[k * kValues + byte], 1u);
        }
      });
      team.barrier();
      for_each_element(team, kPlanes * kValues,
                       [&](size_t i) { counts[size_t{b} * kPlanesMax * kValues + i] = own[i]; });
      team.barrier();
    }
  }
};

// Exponents of bf16 and f32, the sums of each chunk's, and the rest of the bits as a payload has them.
struct ExactCutKernel {
  static constexpr uint32_t kMembers = kExactTeamMembers, kResident = 8;
  static constexpr uint32_t kChunksMax = kBlockElementsMax / kExponentChunk;
  static constexpr size_t kSharedBytes = kChunksMax * sizeof(uint32_t);
  // Numbers and their sum in one word: a chunk's sum is below this.
  static constexpr uint32_t kOneNumber = 1u << 17;
  static_assert(kExponentChunk * 255 < kOneNumber && kExponentChunk < (1u << 31) / kOneNumber);

  const void* current;
  ElementKind kind;
  const ExactTeamBlock* blocks;
  uint32_t count;
  uint8_t* exponents;  // one an element
  uint8_t* rest;       // of a block one byte less than its elements have, low words first
  ExponentSum* sums;   // [block][kChunksMax]: receives those of its chunks

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* memory) const {
    if (kind == ElementKind::f32) run<F32Element>(team, team_index, teams, reinterpret_cast<uint32_t*>(memory));
    else run<Bf16Element>(team, team_index, teams, reinterpret_cast<uint32_t*>(memory));
  }

 private:
  template <typename E, typename Team>
  FIRN_EACH void run(const Team& team, uint32_t team_index, uint32_t teams, uint32_t* own) const {
    constexpr uint32_t kHighShift = E::kExponentShift - 7, kRest = sizeof(typename E::Word) - 1;
    for (uint32_t b = team_index; b < count; b += teams) {
      const ExactTeamBlock block = blocks[b];
      const uint32_t chunks = (block.count + kExponentChunk - 1) / kExponentChunk;
      for_each_element(team, chunks, [&](size_t c) { own[c] = 0; });
      team.barrier();
      uint8_t* const low = rest + block.first * kRest;
      uint8_t* const high = low + (kRest - 1) * size_t{block.count};
      for (uint32_t c = 0; c < chunks; ++c) {
        uint32_t sum = 0;
        for (uint32_t j = team.rank(); j < kExponentChunk; j += team.size()) {
          const uint32_t i = c * kExponentChunk + j;
          if (i >= block.count) break;
          const uint32_t word = team_word<E>(current, block.first + i);
          const uint32_t exponent = word >> E::kExponentShift & 0xFF;
          exponents[block.first + i] = static_cast<uint8_t>(exponent);
          high[i] = static_cast<uint8_t>((word >> kHighShift & 0x7F) | (word >> (E::kWordBits - 8) & 0x80));
          if constexpr (E::kWordBits == 32) {
            low[2 * i] = static_cast<uint8_t>(word);
            low[2 * i + 1] = static_cast<uint8_t>(word >> 8);
          }
          sum += exponent + (exponent == 0 ? 0 : kOneNumber);
        }
        team.add_all(&own[c], sum);
      }
      team.barrier();
      for_each_element(team, chunks, [&](size_t c) {
        sums[size_t{b} * kChunksMax + c] = {own[c] / kOneNumber, own[c] % kOneNumber};
      });
      team.barrier();
    }
  }
};

// What a pass found of a block's differences.
struct ExactTeamDifferences {
  uint32_t reference, changed, occurring, field_bits;
};

// The reference, contexts and symbols of differences to the previous block, and their counts.
struct ExactDifferenceKernel {
  static constexpr uint32_t kMembers = kExactTeamMembers, kResident = 8;
  static constexpr uint32_t kKeys = kDifferenceContexts * 32, kExponents = 256;
  struct Shared {
    uint32_t counts[kKeys];
    uint32_t exponents[kExponents];
    ExactTeamDifferences found;
    uint32_t occurring[32];
  };
  static constexpr size_t kSharedBytes = sizeof(Shared);

  const void* current;
  const void* previous;
  ElementKind kind;  // f16, bf16 or f32
  const ExactTeamBlock* blocks;
  uint32_t count;
  uint8_t* contexts;  // one an element, as the symbols
  uint8_t* symbols;
  uint32_t* counts;   // [block][context][symbol], as plan_context_difference counts them
  ExactTeamDifferences* found;

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* memory) const {
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    with_float_element(kind, [&](auto element) {
      for (uint32_t b = team_index; b < count; b += teams) run<decltype(element)>(team, b, shared);
    });
  }

  template <typename E>
  FIRN_EACH static uint32_t bits_of_field(uint32_t symbol) {
    if constexpr (E::kWordBits == 32) return symbol == kWordSymbol<E> ? 32 : symbol;
    if (symbol == kWordSymbol<E>) return 16;
    return symbol < kFirstLongSymbol ? 0 : kFirstLength + symbol - kFirstLongSymbol;
  }
  template <typename E>
  FIRN_EACH static uint32_t doubled(typename E::Word now, typename E::Word before) {
    const Difference d = difference<E>(now, before);
    return static_cast<uint32_t>(d.magnitude << 1) | static_cast<uint32_t>(d.against);
  }

 private:
  FIRN_EACH static uint32_t length_of(uint32_t magnitude) {
#ifdef __CUDA_ARCH__
    return 32 - static_cast<uint32_t>(__clz(static_cast<int>(magnitude)));
#elif !defined(__CUDACC__)
    return bit_length(magnitude);
#else
    return 0;
#endif
  }

  template <typename E>
  FIRN_EACH static uint32_t symbol_of(typename E::Word now, typename E::Word before) {
    const Difference d = difference<E>(now, before);
    const auto m = static_cast<uint32_t>(d.magnitude);
    uint32_t symbol = length_of(m);
    if constexpr (E::kWordBits == 16) {
      const uint32_t z = m << 1 | static_cast<uint32_t>(d.against);
      symbol = m <= kShortMax ? z - (z != 0) : kFirstLongSymbol + symbol - kFirstLength;
    }
    return symbol < kWordSymbol<E> ? symbol : kWordSymbol<E>;
  }

  template <typename E>
  FIRN_EACH static uint32_t exponent_of(typename E::Word word) {
    return static_cast<uint32_t>(word >> E::kExponentShift) & ((1u << E::kExponentBits) - 1);
  }

  template <typename E, typename Team>
  FIRN_EACH void find_reference(const Team& team, const ExactTeamBlock& block, Shared& shared) const {
    constexpr uint32_t kStride = 64;  // of runs looked at
    const uint32_t period = static_cast<uint32_t>(kReferenceRun) * kStride;
    const uint32_t runs = (block.count + period - 1) / period;
    for_each_element(team, runs * kReferenceRun, [&](size_t i) {
      const size_t at = i / kReferenceRun * period + i % kReferenceRun;
      if (at < block.count) team.add(&shared.exponents[exponent_of<E>(team_word<E>(previous, block.first + at))], 1u);
    });
    team.barrier();
    if (team.rank() != 0) return;
    uint32_t above = 0, reference = 0;
    for (uint32_t exponent = (1u << E::kExponentBits) - 1; exponent-- > 1;) {
      above += shared.exponents[exponent];
      if (above > block.count / kStride / kExponentOutliers) {
        reference = exponent;
        break;
      }
    }
    shared.found.reference = reference;
  }

  template <typename E, typename Team>
  FIRN_EACH void run(const Team& team, uint32_t b, Shared& shared) const {
    const ExactTeamBlock block = blocks[b];
    for_each_element(team, kKeys, [&](size_t i) { shared.counts[i] = 0; });
    for_each_element(team, kExponents, [&](size_t i) { shared.exponents[i] = 0; });
    for_each_element(team, 32, [&](size_t i) { shared.occurring[i] = 0; });
    if (team.rank() == 0) shared.found = {0, 0, 0, 0};
    team.barrier();
    find_reference<E>(team, block, shared);
    team.barrier();
    const auto top = static_cast<int32_t>(shared.found.reference);
    uint32_t changed = 0, bits = 0, occurring = 0;
    for_each_element(team, block.count, [&](size_t i) {
      const auto now = team_word<E>(current, block.first + i), before = team_word<E>(previous, block.first + i);
      const int32_t below = top - static_cast<int32_t>(exponent_of<E>(before));
      constexpr int32_t kLast = static_cast<int32_t>(kDifferenceContexts) - 1;
      contexts[block.first + i] = static_cast<uint8_t>(below < 0 ? 0 : below > kLast ? kLast : below);
      const uint32_t symbol = symbol_of<E>(now, before);
      symbols[block.first + i] = static_cast<uint8_t>(symbol);
      changed += symbol != 0;
      bits += bits_of_field<E>(symbol);
      occurring |= 1u << symbol;
    });
    for (uint32_t s = 0; s < 32; ++s) {
      if (occurring >> s & 1) team.add(&shared.occurring[s], 1u);
    }
    team.add_all(&shared.found.changed, changed);
    team.add_all(&shared.found.field_bits, bits);
    team.barrier();
    count_keys(team, block, shared);
    if (team.rank() == 0) {
      for (uint32_t s = 0; s < 32; ++s) shared.found.occurring |= static_cast<uint32_t>(shared.occurring[s] != 0) << s;
      found[b] = shared.found;
    }
    team.barrier();
    for_each_element(team, kKeys, [&](size_t i) { counts[size_t{b} * kKeys + i] = shared.counts[i]; });
    team.barrier();
  }

  // One run in some of a large block of which much changed.
  template <typename Team>
  FIRN_EACH void count_keys(const Team& team, const ExactTeamBlock& block, Shared& shared) const {
    constexpr uint32_t kChangedShare = 8;
    const bool whole = block.count <= kCountedWholeMax || shared.found.changed < block.count / kChangedShare;
    count_pairs_team(team, symbols + block.first, contexts + block.first, block.count,
                     static_cast<uint32_t>(whole ? 1 : kCountedStride), shared.counts);
  }
};

// The fields that complete the symbols of differences, one after another, the first in the lowest bits.
struct ExactFieldsKernel {
  static constexpr uint32_t kMembers = kExactTeamMembers, kResident = 8;
  static constexpr uint32_t kEach = 4;                     // consecutive elements of a member
  static constexpr uint32_t kTile = kMembers * kEach;      // of a team, if it has so many members
  static constexpr size_t kSharedBytes = (kTile + 2) * sizeof(uint32_t);

  const void* current;
  const void* previous;
  ElementKind kind;
  const ExactTeamBlock* blocks;
  uint32_t count;
  const uint8_t* symbols;
  const uint64_t* places;  // [block]: where in `fields` its bytes begin
  uint8_t* fields;         // receives (field_bits + 7) / 8 bytes a block

  uint32_t teams(uint32_t) const { return count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t teams, unsigned char* memory) const {
    with_float_element(kind, [&](auto element) {
      for (uint32_t b = team_index; b < count; b += teams)
        run<decltype(element)>(team, blocks[b], fields + places[b], reinterpret_cast<uint32_t*>(memory));
    });
  }

 private:
  template <typename E, typename Team>
  FIRN_EACH void run(const Team& team, const ExactTeamBlock& block, uint8_t* out, uint32_t* words) const {
    for_each_element(team, kTile + 2, [&](size_t i) { words[i] = 0; });
    const uint32_t tile = team.size() * kEach;
    uint32_t carried = 0;  // bits of the first word that are there already
    for (uint64_t begin = 0; begin < block.count; begin += tile) {
      uint32_t field[kEach], bits[kEach], own = 0;
      FIRN_UNROLL
      for (uint32_t e = 0; e < kEach; ++e) {
        const uint64_t i = begin + team.rank() * kEach + e;
        bits[e] = field[e] = 0;
        if (i < block.count) {
          const uint32_t symbol = symbols[block.first + i];
          const auto now = team_word<E>(current, block.first + i), before = team_word<E>(previous, block.first + i);
          bits[e] = ExactDifferenceKernel::bits_of_field<E>(symbol);
          field[e] = symbol == kWordSymbol<E> ? now : ExactDifferenceKernel::doubled<E>(now, before);
          field[e] &= static_cast<uint32_t>((uint64_t{1} << bits[e]) - 1);
        }
        own += bits[e];
      }
      uint32_t total;
      uint32_t at = carried + team.exclusive_sum(own, &total);
      FIRN_UNROLL
      for (uint32_t e = 0; e < kEach; ++e) {
        const uint64_t shifted = uint64_t{field[e]} << (at % 32);
        // Bits of different members are apart, so that a sum is their union.
        if (bits[e] > 0) {
          team.add(&words[at / 32], static_cast<uint32_t>(shifted));
          if (shifted >> 32) team.add(&words[at / 32 + 1], static_cast<uint32_t>(shifted >> 32));
        }
        at += bits[e];
      }
      team.barrier();
      const uint32_t filled = carried + total, whole = filled / 32;
      const bool last = begin + tile >= block.count;
      const uint32_t bytes = last ? (filled + 7) / 8 : 4 * whole;
      for_each_element(team, bytes, [&](size_t i) { out[i] = static_cast<uint8_t>(words[i / 4] >> (i % 4 * 8)); });
      out += 4 * whole;
      const uint32_t rest = words[whole];
      team.barrier();
      for_each_element(team, whole + 2, [&](size_t i) { words[i] = i == 0 ? rest : 0; });
      team.barrier();
      carried = filled % 32;
    }
    team.barrier();
  }
};

}  // namespace firn
