// FloatKernels in plain C++: the reference, which a compiler also lowers to an instruction set. Include in one file per
// set.
#pragma once
#include <algorithm>
#include <bit>

#include "common/bytes.h"
#include "common/invariant.h"
#include "firn/context_coder.h"
#include "firn/delta.h"
#include "lossless/exact/difference_symbol.h"
#include "lossless/exact/element.h"
#include "lossless/float/difference_fields.h"
#include "lossless/float/float_kernels.h"
#include "simd/isa_namespace.h"

namespace firn::FIRN_ISA {
namespace {

// Writes bit fields, the first in the lowest bits.
class FieldWriter {
 public:
  static constexpr uint32_t kBitsMax = 56;  // of a field: up to seven bits wait for the next

  explicit FieldWriter(uint8_t* out) : begin_(out), next_(out) {}

  // value < 2^count, count <= kBitsMax. Whole bytes are done with, since a branch on whether a word is full could not
  // be predicted.
  void put(uint64_t value, uint32_t count) {
    FIRN_INNER_INVARIANT(count <= kBitsMax && value >> count == 0);
    pending_ |= value << used_;
    store_le(next_, pending_);
    used_ += count;
    next_ += used_ / 8;
    pending_ >>= used_ & ~7u;
    used_ &= 7;
  }
  // Bytes written, the last one filled with zeros.
  size_t finish() { return static_cast<size_t>(next_ - begin_) + (used_ + 7) / 8; }

 private:
  uint8_t* begin_;
  uint8_t* next_;
  uint64_t pending_ = 0;
  uint32_t used_ = 0;  // < 8
};

// Reads the output of FieldWriter; zeros follow its end.
class FieldReader {
 public:
  FieldReader(const uint8_t* bytes, size_t size, uint64_t position) : bytes_(bytes), size_(size), position_(position) {}

  // count <= 32.
  uint32_t take(uint32_t count) {
    FIRN_INNER_INVARIANT(count <= 32);
    const uint64_t byte = position_ >> 3;
    uint64_t word = 0;
    if (byte + 8 <= size_) word = load_le<uint64_t>(bytes_ + byte);
    else
      for (uint64_t i = byte; i < size_; ++i) word |= uint64_t{bytes_[i]} << (8 * (i - byte));
    word >>= position_ & 7;
    position_ += count;
    return static_cast<uint32_t>(word & ((uint64_t{1} << count) - 1));
  }
  uint64_t position() const { return position_; }  // bits

 private:
  const uint8_t* bytes_;
  size_t size_;
  uint64_t position_;
};

template <typename E>
void cut(const uint8_t* words, size_t count, uint8_t* exponents, const FloatRest& rest) {
  constexpr uint32_t kHighShift = E::kExponentShift - 7;
  uint8_t *const high = rest.high, *const low = rest.low;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t word = word_at<E>(words, i);
    exponents[i] = static_cast<uint8_t>(word >> E::kExponentShift);
    high[i] = static_cast<uint8_t>((word >> kHighShift & 0x7F) | (word >> (E::kWordBits - 8) & 0x80));
    if constexpr (E::kWordBits == 32) store_le(low + 2 * i, static_cast<uint16_t>(word));
  }
}

template <typename E>
void join(const uint8_t* exponents, const ConstFloatRest& rest, size_t count, uint8_t* words) {
  using Word = typename E::Word;
  constexpr uint32_t kHighShift = E::kExponentShift - 7;
  const uint8_t *const high = rest.high, *const low = rest.low;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t top = high[i];
    uint32_t word =
        (top & 0x80) << (E::kWordBits - 8) | uint32_t{exponents[i]} << E::kExponentShift | (top & 0x7F) << kHighShift;
    if constexpr (E::kWordBits == 32) word |= load_le<uint16_t>(low + 2 * i);
    store_le(words + i * sizeof(Word), static_cast<Word>(word));
  }
}

inline ExponentSum sum_exponents(const uint8_t* exponents, size_t count) {
  ExponentSum found{};
  for (size_t i = 0; i < count; ++i) {
    found.sum += exponents[i];
    found.numbers += exponents[i] != 0;
  }
  return found;
}

inline void relate_exponents(const uint8_t* exponents, size_t count, uint8_t first, uint8_t* symbols) {
  for (size_t i = 0; i < count; ++i) {
    const auto below = static_cast<uint8_t>(first - exponents[i]);
    const uint8_t symbol = below < kSymbolOfZero ? below : kContextEscape;
    symbols[i] = exponents[i] == 0 ? kSymbolOfZero : symbol;
  }
}

// Eight counts in turn, so that equal neighbours do not wait for one another's increment.
inline void count_pairs(const uint8_t* symbols, const uint8_t* contexts, size_t count, size_t stride,
                        uint32_t* counts) {
  constexpr size_t kParts = 8, kKeys = size_t{kDifferenceContexts} * kContextSymbols;
  static_assert(kBlockElementsMax / kParts + kParts <= 0xFFFF);
  uint16_t parts[kParts][kKeys] = {};
  const auto key = [=](size_t i) { return static_cast<uint16_t>(contexts[i] * kContextSymbols + symbols[i]); };
  size_t at = 0;
  for (; at + kCountedRun <= count; at += kCountedRun * stride) {
    uint16_t keys[kCountedRun];
    for (size_t i = 0; i < kCountedRun; ++i) keys[i] = key(at + i);
    for (size_t i = 0; i < kCountedRun; i += kParts) {
      for (size_t part = 0; part < kParts; ++part) ++parts[part][keys[i + part]];
    }
  }
  for (; at < count; ++at) ++parts[0][key(at)];
  for (size_t k = 0; k < kKeys; ++k) {
    uint32_t counted = 0;
    for (size_t part = 0; part < kParts; ++part) counted += parts[part][k];
    counts[k] += counted * static_cast<uint32_t>(stride);
  }
}

// z of difference_fields.h; modulo 2^32 if m takes 32 bits.
template <typename E>
uint32_t doubled_difference(typename E::Word now, typename E::Word before) {
  const Difference d = difference<E>(now, before);
  return static_cast<uint32_t>(d.magnitude << 1) | d.against;
}

template <typename E>
void contexts_of(const uint8_t* previous, size_t count, uint32_t reference, uint8_t* contexts) {
  const auto top = static_cast<int32_t>(reference);
  for (size_t i = 0; i < count; ++i) {
    const int32_t below =
        top - static_cast<int32_t>(word_at<E>(previous, i) >> E::kExponentShift & ((1u << E::kExponentBits) - 1));
    contexts[i] = static_cast<uint8_t>(std::clamp(below, 0, static_cast<int32_t>(kDifferenceContexts) - 1));
  }
}

template <typename E>
SymbolsFound symbols_of(const uint8_t* current, const uint8_t* previous, size_t begin, size_t count, uint8_t* symbols) {
  SymbolsFound found;
  for (size_t i = begin; i < count; ++i) {
    const auto now = word_at<E>(current, i), before = word_at<E>(previous, i);
    const auto m = static_cast<uint32_t>(difference<E>(now, before).magnitude);
    const uint32_t length = bit_length(m);
    uint32_t symbol = length;
    if constexpr (E::kWordBits == 16) {
      const uint32_t z = doubled_difference<E>(now, before);
      symbol = m <= kShortMax ? z - (z != 0) : kFirstLongSymbol + length - kFirstLength;
    }
    symbol = std::min(symbol, kWordSymbol<E>);
    symbols[i] = static_cast<uint8_t>(symbol);
    found.changed += symbol != 0;
    found.field_bits += kDifferenceFields<E>[symbol].bits;
    found.occurring |= 1u << symbol;
  }
  return found;
}

template <typename E>
void put_fields_of(const uint8_t* current, const uint8_t* previous, const uint8_t* symbols, size_t begin, size_t count,
                   FieldWriter* writer) {
  for (size_t i = begin; i < count; ++i) {
    const auto now = word_at<E>(current, i), before = word_at<E>(previous, i);
    const uint32_t bits = kDifferenceFields<E>[symbols[i]].bits;
    const uint32_t field = symbols[i] == kWordSymbol<E> ? now : doubled_difference<E>(now, before);
    writer->put(field & ((uint64_t{1} << bits) - 1), bits);
  }
}

template <typename E>
void apply_fields_of(const uint8_t* previous, const uint8_t* symbols, size_t begin, size_t count, FieldReader* reader,
                     uint8_t* current) {
  using Word = typename E::Word;
  for (size_t i = begin; i < count; ++i) {
    const Word before = word_at<E>(previous, i);
    const DifferenceField& field = kDifferenceFields<E>[symbols[i]];
    const uint32_t z = field.base + reader->take(field.bits);
    Word now = static_cast<Word>(z);
    if (symbols[i] != kWordSymbol<E>) apply_difference<E>({z >> 1, (z & 1) != 0}, before, &now);
    store_le(current + i * sizeof(Word), now);
  }
}

template <typename E>
SymbolsFound symbols_pass(const uint8_t* current, const uint8_t* previous, size_t count, uint8_t* symbols) {
  return symbols_of<E>(current, previous, 0, count, symbols);
}

template <typename E>
size_t put_fields_pass(const uint8_t* current, const uint8_t* previous, const uint8_t* symbols, size_t count, size_t,
                       uint8_t* out) {
  FieldWriter writer(out);
  put_fields_of<E>(current, previous, symbols, 0, count, &writer);
  return writer.finish();
}

template <typename E>
uint64_t apply_fields_pass(const uint8_t* previous, const uint8_t* symbols, const uint8_t* fields, size_t size,
                           size_t count, uint8_t* current) {
  FieldReader reader(fields, size, 0);
  apply_fields_of<E>(previous, symbols, 0, count, &reader, current);
  return reader.position();
}

template <typename E>
constexpr FloatKernels plain_kernels() {
  FloatKernels kernels{nullptr,        nullptr,         sum_exponents,      relate_exponents,    count_pairs,
                       contexts_of<E>, symbols_pass<E>, put_fields_pass<E>, apply_fields_pass<E>};
  if constexpr (E::kExponentBits == 8) {
    kernels.cut = cut<E>;
    kernels.join = join<E>;
  }
  return kernels;
}

inline const FloatKernels& plain_kernels_of(ElementKind kind) {
  static constexpr FloatKernels f16 = plain_kernels<F16Element>(), bf16 = plain_kernels<Bf16Element>(),
                                f32 = plain_kernels<F32Element>();
  return kind == ElementKind::f16 ? f16 : kind == ElementKind::bf16 ? bf16 : f32;
}

}  // namespace
}  // namespace firn::FIRN_ISA
