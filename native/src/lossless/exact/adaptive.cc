// Blocks too small to pay for tables: adaptive models on two levels; a context's model starts as a copy of the general
// one.
//
// Encoder and decoder run the same code over a Side, whose bit(model, bit) and raw(value, count) return the coded
// value: an encoder's Side returns its argument, a decoder's ignores it.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/bytes.h"
#include "entropy/range_coder.h"
#include "lossless/exact/coder.h"
#include "lossless/exact/difference_symbol.h"
#include "lossless/exact/element.h"
#include "lossless/exact/reference_exponent.h"

namespace firn {
namespace {

struct EncodeSide {
  RangeEncoder& encoder;
  uint32_t bit(BlockBit& model, uint32_t bit) {
    encoder.bit(model, bit);
    return bit;
  }
  uint64_t raw(uint64_t value, uint32_t count) {
    encoder.raw(value, count);
    return value;
  }
};

struct DecodeSide {
  RangeDecoder& decoder;
  uint32_t bit(BlockBit& model, uint32_t) { return decoder.bit(model); }
  uint64_t raw(uint64_t, uint32_t count) { return decoder.raw(count); }
};

// Codes with the context's model. On its first use that becomes a copy of the general one; both learn from every bit.
template <typename Side>
uint32_t code_bit(Side& side, BlockBit& general, BlockBit& special, uint32_t bit) {
  if (special.count == 0) special = {general.one, 1};
  bit = side.bit(special, bit);
  general.update(bit);
  return bit;
}

// `bits` bits of `value`, most significant first, each in the context of those before it. Both trees have 2^bits nodes.
template <typename Side>
uint32_t code_tree(Side& side, BlockBit* general, BlockBit* special, uint32_t bits, uint32_t value) {
  uint32_t node = 1;
  for (uint32_t left = bits; left-- > 0;) {
    node = 2 * node + code_bit(side, general[node], special[node], (value >> left) & 1);
  }
  return node - (1u << bits);
}

// One general tree of 2^bits nodes and one for each context.
struct Forest {
  Forest(uint32_t bits_of_symbol, size_t contexts)
      : bits(bits_of_symbol), general(size_t{1} << bits), special(contexts << bits) {}

  template <typename Side>
  uint32_t code(Side& side, size_t context, uint32_t value) {
    return code_tree(side, general.data(), special.data() + (context << bits), bits, value);
  }

  uint32_t bits;
  std::vector<BlockBit> general, special;
};

constexpr uint32_t kNextBits = 2;  // bits below a leading one that are modelled; further ones are noise

// A block on its own. Floats: exponent in the context of the larger of the two before it, sign and two mantissa bits in
// the context of the exponent. Bytes: in the context of the byte before.
template <typename E>
class AloneCoder {
  using Word = typename E::Word;
  static constexpr uint32_t kSymbolBits = E::kFloat ? E::kExponentBits : E::kWordBits;
  static constexpr uint32_t kContextShift = kSymbolBits > 8 ? kSymbolBits - 8 : 0;  // at most 256 contexts
  static constexpr size_t kContexts = size_t{1} << (kSymbolBits - kContextShift);

 public:
  AloneCoder() : symbol_(kSymbolBits, kContexts), sign_(1, kContexts), mantissa_(kNextBits, kContexts) {}

  template <typename Side>
  Word code(Side& side, Word word) {
    if constexpr (E::kFloat) {
      const uint32_t exponent = symbol_.code(side, std::max(last_, before_) >> kContextShift, E::exponent(word));
      before_ = last_;
      last_ = exponent;
      const size_t context = exponent >> kContextShift;
      const uint32_t sign = sign_.code(side, context, (word & E::kSign) != 0);
      constexpr uint32_t kLow = E::kExponentShift - kNextBits;
      const uint32_t high =
          mantissa_.code(side, context, static_cast<uint32_t>(word >> kLow) & ((1u << kNextBits) - 1));
      const uint64_t low = side.raw(word & ((Word{1} << kLow) - 1), kLow);
      return static_cast<Word>(static_cast<uint64_t>(sign) << (E::kWordBits - 1) |
                               static_cast<uint64_t>(exponent) << E::kExponentShift |
                               static_cast<uint64_t>(high) << kLow | low);
    } else {
      last_ = symbol_.code(side, last_, word);
      return static_cast<Word>(last_);
    }
  }

 private:
  Forest symbol_, sign_, mantissa_;
  uint32_t last_ = 0, before_ = 0;  // exponents or bytes
};

// Differences to the previous checkpoint (lossless/exact/difference_symbol.h): whether there is one; then its bit
// length, relative to the one expected from the previous exponent; then its direction and its two next bits in the
// context of that length.
template <typename E>
class DifferenceCoder {
  using Word = typename E::Word;
  static constexpr uint32_t kHistoryBits = 2;  // whether the elements before changed
  static constexpr uint32_t kLengthBits = 7;   // length + 31 - context, at most 64 + 31
  static constexpr uint32_t kLengths = 1u << kLengthBits;

 public:
  explicit DifferenceCoder(uint32_t reference)
      : reference_(reference), changed_(1, kDifferenceContexts << kHistoryBits),
        length_(kLengthBits, kDifferenceContexts), against_(1, kLengths), next_(kNextBits, kLengths) {}

  // `now` is read by the encoder only. False when there is no such difference.
  template <typename Side>
  bool code(Side& side, Word before, Word* now) {
    Difference d = difference<E>(*now, before);
    const uint32_t context = difference_context(E::exponent(before), reference_);
    const uint32_t changed = changed_.code(side, context << kHistoryBits | history_, d.magnitude != 0);
    history_ = (history_ << 1 | changed) & ((1u << kHistoryBits) - 1);
    if (!changed) {
      *now = before;
      return true;
    }
    constexpr uint32_t kTop = kDifferenceContexts - 1;
    const uint32_t expected = length_.code(side, context, bit_length(d.magnitude) + kTop - context);
    const uint32_t length = expected + context - kTop;  // wraps around for hostile input
    if (length < 1 || length > E::kWordBits) return false;
    d.against = against_.code(side, expected, d.against) != 0;
    d.magnitude = code_magnitude(side, expected, length, d.magnitude);
    return apply_difference<E>(d, before, now);
  }

 private:
  // The bits below the leading one.
  template <typename Side>
  uint64_t code_magnitude(Side& side, uint32_t expected, uint32_t length, uint64_t magnitude) {
    const uint32_t next_bits = std::min(length - 1, kNextBits), low_bits = length - 1 - next_bits;
    BlockBit* const general = next_.general.data();
    BlockBit* const special = next_.special.data() + (size_t{expected} << kNextBits);
    const uint32_t next = static_cast<uint32_t>(magnitude >> low_bits) & ((1u << next_bits) - 1);
    const uint64_t high = uint64_t{1} << next_bits | code_tree(side, general, special, next_bits, next);
    return high << low_bits | side.raw(magnitude & ((uint64_t{1} << low_bits) - 1), low_bits);
  }

  uint32_t reference_;
  Forest changed_, length_, against_, next_;
  uint32_t history_ = 0;
};

}  // namespace

bool adaptive_alone_supports(ElementKind kind) { return kind <= ElementKind::f64; }

void encode_adaptive_alone(const ExactInput& input, std::vector<uint8_t>* out) {
  RangeEncoder encoder(out);
  with_element(input.kind, [&](auto element) {
    using E = decltype(element);
    if constexpr (E::kFloat || sizeof(typename E::Word) == 1) {
      EncodeSide side{encoder};
      AloneCoder<E> coder;
      for (size_t i = 0; i < input.count; ++i) coder.code(side, word_at<E>(input.current, i));
    }
  });
  encoder.finish();
}

Status decode_adaptive_alone(ByteReader in, const ExactOutput& output) {
  const size_t size = in.left();
  RangeDecoder decoder(in.take(size), size);
  return with_element(output.kind, [&](auto element) {
    using E = decltype(element);
    if constexpr (E::kFloat || sizeof(typename E::Word) == 1) {
      DecodeSide side{decoder};
      AloneCoder<E> coder;
      for (size_t i = 0; i < output.count; ++i) {
        store_le(output.current + i * sizeof(typename E::Word), coder.code(side, typename E::Word{0}));
      }
      return decoder.overrun() ? Status::truncated : decoder.finished() ? Status::ok : Status::corrupt;
    } else {
      return Status::corrupt;
    }
  });
}

void encode_adaptive_difference(const ExactInput& input, std::vector<uint8_t>* out) {
  RangeEncoder encoder(out);
  with_element(input.kind, [&](auto element) {
    using E = decltype(element);
    const uint32_t reference = reference_exponent<E>(input.previous, input.count);
    encoder.raw(reference, E::kExponentBits);
    EncodeSide side{encoder};
    DifferenceCoder<E> coder(reference);
    for (size_t i = 0; i < input.count; ++i) {
      typename E::Word now = word_at<E>(input.current, i);
      coder.code(side, word_at<E>(input.previous, i), &now);
    }
  });
  encoder.finish();
}

Status decode_adaptive_difference(ByteReader in, const ExactOutput& output) {
  const size_t size = in.left();
  RangeDecoder decoder(in.take(size), size);
  return with_element(output.kind, [&](auto element) {
    using E = decltype(element);
    const auto reference = static_cast<uint32_t>(decoder.raw(E::kExponentBits));
    DecodeSide side{decoder};
    DifferenceCoder<E> coder(reference);
    for (size_t i = 0; i < output.count; ++i) {
      typename E::Word now = 0;
      if (!coder.code(side, word_at<E>(output.previous, i), &now)) {
        return decoder.overrun() ? Status::truncated : Status::corrupt;
      }
      store_le(output.current + i * sizeof(typename E::Word), now);
    }
    return decoder.overrun() ? Status::truncated : decoder.finished() ? Status::ok : Status::corrupt;
  });
}

}  // namespace firn
