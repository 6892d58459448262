// Sixteen binary32 numbers at a time, or thirty-two of sixteen bits. Include in one file per instruction set.
#pragma once
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "lossless/float/float_kernels.h"
#include "lossless/float/float_passes.h"
#include "simd/words_512.h"

namespace firn::FIRN_ISA {
namespace {

constexpr uint32_t kWindowBits = 512;  // of fields read at once

// Blocks are read from memory once or twice, four KiB pages at a time; machines fetch ahead within a page, and begin
// late in each.
[[gnu::always_inline]] inline void fetch_ahead(const uint8_t* bytes) {
  constexpr uintptr_t kAhead = 2048;
  _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<uintptr_t>(bytes) + kAhead), _MM_HINT_T0);
}

[[gnu::always_inline]] inline bool fit(__m512i lengths) {
  return _mm512_cmpgt_epu64_mask(lengths, _mm512_set1_epi64(FieldWriter::kBitsMax)) == 0;
}

template <int kLane>
[[gnu::always_inline]] inline uint64_t lane(__m512i values) {
  const __m128i two = _mm512_extracti64x2_epi64(values, kLane / 2);
  return static_cast<uint64_t>(kLane % 2 == 0 ? _mm_cvtsi128_si64(two) : _mm_extract_epi64(two, 1));
}

template <int... kLanes>
[[gnu::always_inline]] inline void put_lanes(__m512i fields, __m512i lengths, FieldWriter* writer) {
  (writer->put(lane<kLanes>(fields), static_cast<uint32_t>(lane<kLanes>(lengths))), ...);
}

// Fields of up to 64 bits, each in two halves.
inline void put_long(__m512i fields, __m512i lengths, FieldWriter* writer) {
  constexpr uint64_t kHalfBits = 32;
  alignas(64) uint64_t values[8], bits[8];
  _mm512_store_si512(values, fields);
  _mm512_store_si512(bits, lengths);
  for (size_t i = 0; i < 8; ++i) {
    writer->put(values[i] & 0xFFFFFFFF, static_cast<uint32_t>(std::min(bits[i], kHalfBits)));
    writer->put(values[i] >> kHalfBits, static_cast<uint32_t>(std::max(bits[i], kHalfBits) - kHalfBits));
  }
}

// Eight fields of up to 64 bits. Two, four or all of them (2^kJoins) are joined and written at once if they fit;
// otherwise fewer.
template <uint32_t kJoins>
[[gnu::always_inline]] inline void put_eight(__m512i fields, __m512i lengths, FieldWriter* writer) {
  if constexpr (kJoins == 0) {
    if (!fit(lengths)) [[unlikely]]
      return put_long(fields, lengths, writer);
    put_lanes<0, 1, 2, 3, 4, 5, 6, 7>(fields, lengths, writer);
  } else {
    const __m512i of_two = _mm512_add_epi64(lengths, _mm512_shuffle_epi32(lengths, _MM_PERM_BADC));
    const __m512i of_four = _mm512_add_epi64(of_two, _mm512_permutex_epi64(of_two, _MM_PERM_BADC));
    const __m512i of_eight = _mm512_add_epi64(of_four, _mm512_shuffle_i64x2(of_four, of_four, _MM_PERM_BADC));
    if (!fit(kJoins == 1 ? of_two : kJoins == 2 ? of_four : of_eight)) [[unlikely]]
      return put_eight<kJoins - 1>(fields, lengths, writer);
    const __m512i twos =
        _mm512_or_si512(fields, _mm512_sllv_epi64(_mm512_shuffle_epi32(fields, _MM_PERM_BADC), lengths));
    if constexpr (kJoins == 1) return put_lanes<0, 2, 4, 6>(twos, of_two, writer);
    const __m512i fours = _mm512_or_si512(twos, _mm512_sllv_epi64(_mm512_permutex_epi64(twos, _MM_PERM_BADC), of_two));
    if constexpr (kJoins == 2) return put_lanes<0, 4>(fours, of_four, writer);
    put_lanes<0>(_mm512_or_si512(fours, _mm512_sllv_epi64(_mm512_shuffle_i64x2(fours, fours, _MM_PERM_BADC), of_four)),
                 of_eight, writer);
  }
}

// Two fields of up to 32 bits become one.
template <uint32_t kJoins>
[[gnu::always_inline]] inline void put_sixteen(__m512i fields, __m512i lengths, FieldWriter* writer) {
  const __m512i low_half = _mm512_set1_epi64(0xFFFFFFFF), first = _mm512_and_si512(lengths, low_half);
  put_eight<kJoins>(
      _mm512_or_si512(_mm512_and_si512(fields, low_half), _mm512_sllv_epi64(_mm512_srli_epi64(fields, 32), first)),
      _mm512_add_epi64(first, _mm512_srli_epi64(lengths, 32)), writer);
}

// Sums of sixteen numbers up to and with each.
[[gnu::always_inline]] inline __m512i running_sums(__m512i values) {
  const __m512i zero = _mm512_setzero_si512();
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zero, 15));
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zero, 14));
  values = _mm512_add_epi32(values, _mm512_alignr_epi32(values, zero, 12));
  return _mm512_add_epi32(values, _mm512_alignr_epi32(values, zero, 8));
}

[[gnu::always_inline]] inline uint32_t last_of_sixteen(__m512i values) {
  return static_cast<uint32_t>(_mm_extract_epi32(_mm512_extracti32x4_epi32(values, 3), 3));
}

struct Doubled {
  __m512i magnitude, z;
};

// Lanes of 32 bits.
struct Wide {
  using E = F32Element;
  static constexpr size_t kLanes = 16;
  static constexpr uint32_t kWordBits = 32;

  static __m512i all(uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
  static __m512i load(const uint8_t* words, size_t i) { return _mm512_loadu_si512(words + 4 * i); }
  static void store(__m512i value, uint8_t* words, size_t i) { _mm512_storeu_si512(words + 4 * i, value); }
  static __m512i load_symbols(const uint8_t* symbols) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols)));
  }
  static void store_symbols(__m512i values, uint8_t* symbols) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(symbols), _mm512_cvtepi32_epi8(values));
  }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
  static __m512i sub(__m512i a, __m512i b) { return _mm512_sub_epi32(a, b); }
  static __m512i sign(__m512i a) { return _mm512_srai_epi32(a, 31); }
  static __m512i absolute(__m512i a) { return _mm512_abs_epi32(a); }
  static __mmask16 nonzero(__m512i a) { return _mm512_test_epi32_mask(a, a); }
  static __mmask16 equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi32_mask(a, b); }
  static __m512i choose(__mmask16 where, __m512i yes, __m512i no) { return _mm512_mask_mov_epi32(no, where, yes); }
  static __m512i least(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
  template <int kBits>
  static __m512i down(__m512i a) {
    return _mm512_srli_epi32(a, kBits);
  }
  static __m512i above(__m512i a, __m512i b) {
    return _mm512_max_epi32(sub(a, b), _mm512_setzero_si512());
  }  // a - b or 0
  static __m512i low_bits(__m512i values, __m512i bits) {
    return _mm512_andnot_si512(_mm512_sllv_epi32(all(~0u), bits), values);
  }

  // Sets of symbols.
  static __m512i unite(__m512i set, __m512i symbols) {
    return _mm512_or_si512(set, _mm512_sllv_epi32(all(1), symbols));
  }
  static uint32_t united(__m512i set) { return static_cast<uint32_t>(_mm512_reduce_or_epi32(set)); }
  static __m512i in_pairs(__m512i bits) { return bits; }  // sums of 32 bits

  static __m512i symbols(const Doubled& d) { return _mm512_sub_epi32(all(32), _mm512_lzcnt_epi32(d.magnitude)); }
  template <uint32_t kJoins>
  static void put(__m512i fields, __m512i lengths, FieldWriter* writer) {
    put_sixteen<kJoins>(fields, lengths, writer);
  }
  static __m512i sums(__m512i bits, uint32_t* total) {
    const __m512i ends = running_sums(bits);
    *total = last_of_sixteen(ends);
    return ends;
  }
  // The 32 bits from each of these places in the window on.
  static __m512i bits_at(__m512i window, __m512i places) {
    const __m512i word = _mm512_srli_epi32(places, 5);
    return join_words32(_mm512_permutexvar_epi32(word, window), _mm512_permutexvar_epi32(add(word, all(1)), window),
                        places);
  }

  // Entries for the 32 symbols.
  struct Table {
    __m512i low, high;
    explicit Table(uint32_t DifferenceField::*member) {
      alignas(64) uint32_t entries[32];
      for (size_t s = 0; s < 32; ++s) entries[s] = kDifferenceFields<E>[s].*member;
      low = _mm512_load_si512(entries);
      high = _mm512_load_si512(entries + 16);
    }
    __m512i look_up(__m512i symbols) const { return _mm512_permutex2var_epi32(low, symbols, high); }
  };
};

// Lanes of 16 bits.
struct Narrow {
  using E = Bf16Element;  // binary16 is no different here
  static constexpr size_t kLanes = 32;
  static constexpr uint32_t kWordBits = 16;

  static __m512i all(uint32_t value) { return _mm512_set1_epi16(static_cast<short>(value)); }
  static __m512i load(const uint8_t* words, size_t i) { return _mm512_loadu_si512(words + 2 * i); }
  static void store(__m512i value, uint8_t* words, size_t i) { _mm512_storeu_si512(words + 2 * i, value); }
  static __m512i load_symbols(const uint8_t* symbols) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(symbols)));
  }
  static void store_symbols(__m512i values, uint8_t* symbols) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(symbols), _mm512_cvtepi16_epi8(values));
  }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi16(a, b); }
  static __m512i sub(__m512i a, __m512i b) { return _mm512_sub_epi16(a, b); }
  static __m512i sign(__m512i a) { return _mm512_srai_epi16(a, 15); }
  static __m512i absolute(__m512i a) { return _mm512_abs_epi16(a); }
  static __mmask32 nonzero(__m512i a) { return _mm512_test_epi16_mask(a, a); }
  static __mmask32 equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi16_mask(a, b); }
  static __m512i choose(__mmask32 where, __m512i yes, __m512i no) { return _mm512_mask_mov_epi16(no, where, yes); }
  static __m512i least(__m512i a, __m512i b) { return _mm512_min_epu16(a, b); }
  template <int kBits>
  static __m512i down(__m512i a) {
    return _mm512_srli_epi16(a, kBits);
  }
  static __m512i above(__m512i a, __m512i b) { return _mm512_subs_epu16(a, b); }
  static __m512i low_bits(__m512i values, __m512i bits) {
    return _mm512_andnot_si512(_mm512_sllv_epi16(all(~0u), bits), values);
  }

  // Sets of symbols, each in 32 bits.
  static __m512i unite(__m512i set, __m512i symbols) {
    const __m512i one = _mm512_set1_epi32(1), first = _mm512_and_si512(symbols, _mm512_set1_epi32(0xFFFF));
    return _mm512_or_si512(
        set, _mm512_or_si512(_mm512_sllv_epi32(one, first), _mm512_sllv_epi32(one, _mm512_srli_epi32(symbols, 16))));
  }
  static uint32_t united(__m512i set) { return static_cast<uint32_t>(_mm512_reduce_or_epi32(set)); }
  static __m512i in_pairs(__m512i bits) { return _mm512_madd_epi16(bits, all(1)); }  // sums of 32 bits

  static __m512i symbols(const Doubled& d) {
    const __m512i even = _mm512_lzcnt_epi32(_mm512_and_si512(d.magnitude, _mm512_set1_epi32(0xFFFF)));
    const __m512i odd = _mm512_lzcnt_epi32(_mm512_srli_epi32(d.magnitude, 16));
    const __m512i length = sub(all(32), _mm512_or_si512(even, _mm512_slli_epi32(odd, 16)));
    const __m512i longer = add(length, all(kFirstLongSymbol - kFirstLength));
    return choose(_mm512_cmple_epu16_mask(d.magnitude, all(kShortMax)), _mm512_subs_epu16(d.z, all(1)), longer);
  }
  template <uint32_t kJoins>
  static void put(__m512i fields, __m512i lengths, FieldWriter* writer) {
    const __m512i low_half = _mm512_set1_epi32(0xFFFF), first = _mm512_and_si512(lengths, low_half);
    put_sixteen<kJoins>(
        _mm512_or_si512(_mm512_and_si512(fields, low_half), _mm512_sllv_epi32(_mm512_srli_epi32(fields, 16), first)),
        _mm512_add_epi32(first, _mm512_srli_epi32(lengths, 16)), writer);
  }
  static __m512i sums(__m512i bits, uint32_t* total) {
    const __m512i in_pairs = add(bits, _mm512_slli_epi32(bits, 16)), of_pairs = _mm512_srli_epi32(in_pairs, 16),
                  ends = running_sums(of_pairs);
    *total = last_of_sixteen(ends);
    const __m512i before = _mm512_sub_epi32(ends, of_pairs);
    return add(in_pairs, _mm512_or_si512(before, _mm512_slli_epi32(before, 16)));
  }
  static __m512i bits_at(__m512i window, __m512i places) {
    const __m512i word = _mm512_srli_epi16(places, 4);
    return join_words16(_mm512_permutexvar_epi16(word, window), _mm512_permutexvar_epi16(add(word, all(1)), window),
                        places);
  }

  struct Table {
    __m512i entries;
    explicit Table(uint32_t DifferenceField::*member) {
      alignas(64) uint16_t words[32];
      for (size_t s = 0; s < 32; ++s) words[s] = static_cast<uint16_t>(kDifferenceFields<E>[s].*member);
      entries = _mm512_load_si512(words);
    }
    __m512i look_up(__m512i symbols) const { return _mm512_permutexvar_epi16(symbols, entries); }
  };
};

template <typename L>
[[gnu::always_inline]] inline __m512i to_ordered(__m512i words) {
  return _mm512_xor_si512(words, _mm512_or_si512(L::sign(words), L::all(1u << (L::kWordBits - 1))));
}

template <typename L>
[[gnu::always_inline]] inline __m512i from_ordered(__m512i ordered) {
  return _mm512_xor_si512(
      ordered, _mm512_or_si512(_mm512_andnot_si512(L::sign(ordered), L::all(~0u)), L::all(1u << (L::kWordBits - 1))));
}

template <typename L>
[[gnu::always_inline]] inline Doubled doubled(__m512i now, __m512i before) {
  const __m512i d = L::sub(to_ordered<L>(now), to_ordered<L>(before)), magnitude = L::absolute(d),
                twice = L::add(magnitude, magnitude);
  const __m512i against = _mm512_and_si512(_mm512_xor_si512(L::sign(d), L::sign(before)), L::all(1));
  return {magnitude, L::choose(L::nonzero(d), _mm512_or_si512(twice, against), twice)};
}

template <typename L>
SymbolsFound symbols_512(const uint8_t* current, const uint8_t* previous, size_t count, uint8_t* symbols) {
  const size_t whole = count - count % L::kLanes;
  const typename L::Table bits_of(&DifferenceField::bits);
  const __m512i word_symbol = L::all(kWordSymbol<typename L::E>);
  __m512i occurring = _mm512_setzero_si512(), bits = occurring;
  uint64_t changed = 0;
  for (size_t i = 0; i < whole; i += L::kLanes) {
    fetch_ahead(current + i * sizeof(typename L::E::Word));
    const __m512i symbol = L::least(L::symbols(doubled<L>(L::load(current, i), L::load(previous, i))), word_symbol);
    L::store_symbols(symbol, symbols + i);
    occurring = L::unite(occurring, symbol);
    bits = _mm512_add_epi32(bits, L::in_pairs(bits_of.look_up(symbol)));
    changed += static_cast<uint64_t>(std::popcount(static_cast<uint32_t>(L::nonzero(symbol))));
  }
  SymbolsFound found = symbols_of<typename L::E>(current, previous, whole, count, symbols);
  found.occurring |= L::united(occurring);
  found.field_bits += static_cast<uint32_t>(_mm512_reduce_add_epi32(bits));
  found.changed += changed;
  return found;
}

template <typename E, typename L>
void contexts_512(const uint8_t* previous, size_t count, uint32_t reference, uint8_t* contexts) {
  const size_t whole = count - count % L::kLanes;
  const __m512i from = L::all(reference), exponent_bits = L::all((1u << E::kExponentBits) - 1),
                most = L::all(kDifferenceContexts - 1);
  for (size_t i = 0; i < whole; i += L::kLanes) {
    fetch_ahead(previous + i * sizeof(typename L::E::Word));
    const __m512i exponent = _mm512_and_si512(L::template down<E::kExponentShift>(L::load(previous, i)), exponent_bits);
    L::store_symbols(L::least(L::above(from, exponent), most), contexts + i);
  }
  contexts_of<E>(previous + whole * sizeof(typename E::Word), count - whole, reference, contexts + whole);
}

template <typename L, uint32_t kJoins>
size_t put_fields_joined(const uint8_t* current, const uint8_t* previous, const uint8_t* symbols, size_t count,
                         uint8_t* out) {
  FieldWriter writer(out);
  const size_t whole = count - count % L::kLanes;
  const typename L::Table bits_of(&DifferenceField::bits);
  const __m512i word_symbol = L::all(kWordSymbol<typename L::E>);
  for (size_t i = 0; i < whole; i += L::kLanes) {
    fetch_ahead(current + i * sizeof(typename L::E::Word));
    fetch_ahead(previous + i * sizeof(typename L::E::Word));
    const __m512i symbol = L::load_symbols(symbols + i), bits = bits_of.look_up(symbol);
    if (L::nonzero(bits) == 0) continue;
    const __m512i now = L::load(current, i), z = doubled<L>(now, L::load(previous, i)).z;
    L::template put<kJoins>(L::low_bits(L::choose(L::equal(symbol, word_symbol), now, z), bits), bits, &writer);
  }
  put_fields_of<typename L::E>(current, previous, symbols, whole, count, &writer);
  return writer.finish();
}

template <typename L>
size_t put_fields_512(const uint8_t* current, const uint8_t* previous, const uint8_t* symbols, size_t count,
                      size_t field_bytes, uint8_t* out) {
  // With this many bits on average, nearly all joined fields fit.
  constexpr size_t kMeanBitsMax = 40;
  const size_t mean = field_bytes * L::kLanes / std::max<size_t>(count, 1);  // bits of one of put_eight()'s fields
  const auto joined = mean * 8 <= kMeanBitsMax   ? put_fields_joined<L, 3>
                      : mean * 4 <= kMeanBitsMax ? put_fields_joined<L, 2>
                      : mean * 2 <= kMeanBitsMax ? put_fields_joined<L, 1>
                                                 : put_fields_joined<L, 0>;
  return joined(current, previous, symbols, count, out);
}

// Sixty-four bytes of the fields from any byte on; zeros follow their end.
class Windows {
 public:
  Windows(const uint8_t* fields, size_t size)
      : fields_(fields), size_(size), tail_at_(size > kBytes ? size - kBytes : 0) {
    if (size > 0) std::memcpy(tail_, fields + tail_at_, size - tail_at_);
  }
  [[gnu::always_inline]] __m512i at(uint64_t byte) const {
    if (byte + kBytes <= size_) return _mm512_loadu_si512(fields_ + byte);
    return _mm512_loadu_si512(tail_ + std::min<uint64_t>(byte - tail_at_, kBytes));
  }

 private:
  static constexpr size_t kBytes = kWindowBits / 8;
  const uint8_t* fields_;
  size_t size_, tail_at_;
  alignas(64) uint8_t tail_[2 * kBytes] = {};
};

template <typename L>
uint64_t apply_fields_512(const uint8_t* previous, const uint8_t* symbols, const uint8_t* fields, size_t size,
                          size_t count, uint8_t* current) {
  const typename L::Table base_of(&DifferenceField::base), bits_of(&DifferenceField::bits);
  const __m512i word_symbol = L::all(kWordSymbol<typename L::E>), one = L::all(1);
  uint64_t position = 0;  // bits
  size_t i = 0;
  const Windows windows(fields, size);
  for (; i + L::kLanes <= count; i += L::kLanes) {
    fetch_ahead(fields + position / 8);
    fetch_ahead(previous + i * sizeof(typename L::E::Word));
    const __m512i symbol = L::load_symbols(symbols + i), bits = bits_of.look_up(symbol);
    uint32_t total;
    const __m512i ends = L::sums(bits, &total);
    const auto skipped = static_cast<uint32_t>(position % 8);
    if (skipped + total > kWindowBits) {
      FieldReader reader(fields, size, position);
      apply_fields_of<typename L::E>(previous, symbols, i, i + L::kLanes, &reader, current);
    } else {
      const __m512i places = L::add(L::sub(ends, bits), L::all(skipped));
      const __m512i field = L::low_bits(L::bits_at(windows.at(position / 8), places), bits);
      const __m512i z = L::add(base_of.look_up(symbol), field), before = L::load(previous, i);
      const __m512i minus = _mm512_xor_si512(L::sign(before), L::sub(_mm512_setzero_si512(), _mm512_and_si512(z, one)));
      const __m512i d = L::sub(_mm512_xor_si512(L::template down<1>(z), minus), minus);
      L::store(L::choose(L::equal(symbol, word_symbol), field, from_ordered<L>(L::add(to_ordered<L>(before), d))),
               current, i);
    }
    position += total;
  }
  FieldReader reader(fields, size, position);
  apply_fields_of<typename L::E>(previous, symbols, i, count, &reader, current);
  return reader.position();
}

// The low bytes of the words of two vectors.
[[gnu::always_inline]] inline __m512i low_bytes(__m512i first, __m512i second) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(first)), _mm512_cvtepi16_epi8(second), 1);
}

void cut_bf16_512(const uint8_t* words, size_t count, uint8_t* exponents, const FloatRest& rest) {
  constexpr size_t kPiece = 64;
  const size_t whole = count - count % kPiece;
  const __m512i mantissa = _mm512_set1_epi16(0x7F), sign = _mm512_set1_epi16(0x80);
  const auto high = [&](__m512i word) {
    return _mm512_or_si512(_mm512_and_si512(word, mantissa), _mm512_and_si512(_mm512_srli_epi16(word, 8), sign));
  };
  for (size_t i = 0; i < whole; i += kPiece) {
    fetch_ahead(words + 2 * i);
    fetch_ahead(words + 2 * i + kPiece);
    const __m512i first = _mm512_loadu_si512(words + 2 * i), second = _mm512_loadu_si512(words + 2 * i + kPiece);
    _mm512_storeu_si512(exponents + i, low_bytes(_mm512_srli_epi16(first, 7), _mm512_srli_epi16(second, 7)));
    _mm512_storeu_si512(rest.high + i, low_bytes(high(first), high(second)));
  }
  cut<Bf16Element>(words + 2 * whole, count - whole, exponents + whole, {nullptr, rest.high + whole});
}

void cut_f32_512(const uint8_t* words, size_t count, uint8_t* exponents, const FloatRest& rest) {
  constexpr size_t kPiece = 16;
  const size_t whole = count - count % kPiece;
  const __m512i mantissa = _mm512_set1_epi32(0x7F), sign = _mm512_set1_epi32(0x80);
  for (size_t i = 0; i < whole; i += kPiece) {
    fetch_ahead(words + 4 * i);
    const __m512i word = _mm512_loadu_si512(words + 4 * i);
    const __m512i high = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi32(word, 16), mantissa),
                                         _mm512_and_si512(_mm512_srli_epi32(word, 24), sign));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(exponents + i), _mm512_cvtepi32_epi8(_mm512_srli_epi32(word, 23)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rest.high + i), _mm512_cvtepi32_epi8(high));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(rest.low + 2 * i), _mm512_cvtepi32_epi16(word));
  }
  cut<F32Element>(words + 4 * whole, count - whole, exponents + whole, {rest.low + 2 * whole, rest.high + whole});
}

ExponentSum sum_exponents_512(const uint8_t* exponents, size_t count) {
  __m512i sums = _mm512_setzero_si512();
  ExponentSum found{};
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const __m512i piece = _mm512_loadu_si512(exponents + i);
    sums = _mm512_add_epi64(sums, _mm512_sad_epu8(piece, _mm512_setzero_si512()));
    found.numbers += static_cast<uint32_t>(std::popcount(_cvtmask64_u64(_mm512_test_epi8_mask(piece, piece))));
  }
  const ExponentSum left = sum_exponents(exponents + i, count - i);
  return {found.numbers + left.numbers, static_cast<uint32_t>(_mm512_reduce_add_epi64(sums)) + left.sum};
}

void relate_exponents_512(const uint8_t* exponents, size_t count, uint8_t first, uint8_t* symbols) {
  const __m512i from = _mm512_set1_epi8(static_cast<char>(first)), zero = _mm512_set1_epi8(kSymbolOfZero),
                escape = _mm512_set1_epi8(kContextEscape);
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const __m512i exponent = _mm512_loadu_si512(exponents + i), below = _mm512_sub_epi8(from, exponent);
    const __m512i symbol = _mm512_mask_mov_epi8(below, _mm512_cmpge_epu8_mask(below, zero), escape);
    _mm512_storeu_si512(symbols + i, _mm512_mask_mov_epi8(symbol, _mm512_testn_epi8_mask(exponent, exponent), zero));
  }
  relate_exponents(exponents + i, count - i, first, symbols + i);
}

template <typename E, typename L>
constexpr FloatKernels kernels() {
  FloatKernels set = plain_kernels<E>();
  set.contexts = contexts_512<E, L>;
  set.symbols = symbols_512<L>;
  set.put_fields = put_fields_512<L>;
  set.apply_fields = apply_fields_512<L>;
  if constexpr (std::is_same_v<E, Bf16Element>) set.cut = cut_bf16_512;
  if constexpr (std::is_same_v<E, F32Element>) set.cut = cut_f32_512;
  set.sum_exponents = sum_exponents_512;
  set.relate = relate_exponents_512;
  return set;
}

const FloatKernels& kernels_512(ElementKind kind) {
  static constexpr FloatKernels f16 = kernels<F16Element, Narrow>(), bf16 = kernels<Bf16Element, Narrow>(),
                                f32 = kernels<F32Element, Wide>();
  return kind == ElementKind::f16 ? f16 : kind == ElementKind::bf16 ? bf16 : f32;
}

}  // namespace
}  // namespace firn::FIRN_ISA
