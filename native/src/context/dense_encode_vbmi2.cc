// Sixteen states at a time, 32 lanes together.
#include <immintrin.h>

#include <bit>

#include "context/dense_encode.h"

namespace firn {
namespace {

constexpr size_t kStates = 16, kGroup = 2 * kStates;
constexpr unsigned kSymbolBits = 5;
static_assert(kContextSymbols == 1u << kSymbolBits);

// The tokens of 32 elements, 16 bits each.
struct Found {
  __m512i shares, starts;
};

[[gnu::always_inline]] inline __m512i row(const uint16_t (&words)[kContextSymbols]) { return _mm512_load_si512(words); }

// Among 2 * kPairs tables: every pair of rows is looked up, since a gather takes longer than all of them.
template <uint32_t kPairs>
[[gnu::always_inline]] inline Found find(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols) {
  const __m512i table = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(indexes)));
  const __m512i symbol = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(symbols)));
  const __m512i place = _mm512_or_si512(_mm512_slli_epi16(table, kSymbolBits), symbol), pair = _mm512_srli_epi16(table, 1);
  Found found{_mm512_permutex2var_epi16(row(tokens.shares[0]), place, row(tokens.shares[1])),
              _mm512_permutex2var_epi16(row(tokens.starts[0]), place, row(tokens.starts[1]))};
  for (uint32_t p = 1; p < kPairs; ++p) {
    const __mmask32 here = _mm512_cmpeq_epi16_mask(pair, _mm512_set1_epi16(static_cast<short>(p)));
    const __m512i shares = _mm512_permutex2var_epi16(row(tokens.shares[2 * p]), place, row(tokens.shares[2 * p + 1]));
    const __m512i starts = _mm512_permutex2var_epi16(row(tokens.starts[2 * p]), place, row(tokens.starts[2 * p + 1]));
    found.shares = _mm512_mask_mov_epi16(found.shares, here, shares);
    found.starts = _mm512_mask_mov_epi16(found.starts, here, starts);
  }
  return found;
}

[[gnu::always_inline]] inline __m512i first_half(__m512i words) { return _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words)); }
[[gnu::always_inline]] inline __m512i second_half(__m512i words) { return _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1)); }

struct Step {
  __m512i low_words;  // of the states before
  __mmask16 full;     // which of them move out
};

// Pushes a token of share + 1 slots from `start` on onto each of sixteen states: x becomes floor(x / f) * 2^16 + x mod f + start, for x < f * 2^16. The
// quotient of binary32 numbers, however a machine approximates the inverse, is less than 2^-5.8 off. Taken 2^-5 lower it is right or one too small.
[[gnu::always_inline]] inline Step push(__m512i share, __m512i start, __m512i* states) {
  const __m512i before = *states, f = _mm512_sub_epi32(share, _mm512_set1_epi32(-1));
  const __mmask16 full = _mm512_cmpgt_epu32_mask(_mm512_srli_epi32(before, 16), share);
  const __m512i x = _mm512_mask_srli_epi32(before, full, before, 16);
  const __m512 divisor = _mm512_cvtepi32_ps(f), rough = _mm512_rcp14_ps(divisor);
  const __m512 inverse = _mm512_mul_ps(rough, _mm512_fnmadd_ps(divisor, rough, _mm512_set1_ps(2)));
  const __m512i quotient = _mm512_cvttps_epi32(_mm512_fmsub_ps(_mm512_cvtepu32_ps(x), inverse, _mm512_set1_ps(1.0f / 32)));
  const __m512i rest = _mm512_sub_epi32(x, _mm512_mullo_epi32(quotient, f));
  const __m512i pushed = _mm512_add_epi32(_mm512_slli_epi32(quotient, 16), _mm512_add_epi32(rest, start));
  const __mmask16 below = _mm512_cmpgt_epu32_mask(rest, share);
  *states = _mm512_mask_add_epi32(pushed, below, pushed, _mm512_sub_epi32(_mm512_set1_epi32(1 << 16), f));
  return {before, full};
}

// The words that 32 lanes move out, before `next` in the order of lanes.
[[gnu::always_inline]] inline uint8_t* write_words(const Step& first, const Step& second, uint8_t* next) {
  const __m512i words = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(first.low_words)), _mm512_cvtepi32_epi16(second.low_words), 1);
  const __mmask32 full = _mm512_kunpackw(second.full, first.full);
  const auto count = static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(full)));
  next -= 2 * count;
  _mm512_mask_storeu_epi16(next, static_cast<__mmask32>((uint64_t{1} << count) - 1), _mm512_maskz_compress_epi16(full, words));
  return next;
}

template <uint32_t kPairs>
uint8_t* encode(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes, uint32_t* states, uint8_t* next) {
  __m512i x[kLanesMax / kStates];
  for (size_t v = 0; v < lanes / kStates; ++v) x[v] = _mm512_loadu_si512(states + v * kStates);
  const __m512i uncoded = _mm512_set1_epi16(static_cast<short>(DenseTokens::kUncoded));
  __mmask32 missing = 0;
  for (size_t i = count; i > 0; i -= lanes) {
    for (size_t group = lanes / kGroup; group-- > 0;) {
      const size_t at = i - lanes + group * kGroup;
      const Found found = find<kPairs>(tokens, indexes + at, symbols + at);
      missing = _kor_mask32(missing, _mm512_cmpeq_epi16_mask(_mm512_and_si512(found.shares, found.starts), uncoded));
      const Step high = push(second_half(found.shares), second_half(found.starts), &x[2 * group + 1]);
      const Step low = push(first_half(found.shares), first_half(found.starts), &x[2 * group]);
      next = write_words(low, high, next);
    }
  }
  for (size_t v = 0; v < lanes / kStates; ++v) _mm512_storeu_si512(states + v * kStates, x[v]);
  return missing ? nullptr : next;
}

}  // namespace

uint8_t* dense_encode_vbmi2(const DenseTokens& tokens, const uint8_t* indexes, const uint8_t* symbols, size_t count, uint32_t lanes, uint32_t* states,
                            uint8_t* next) {
  const uint32_t pairs = (tokens.tables + 1) / 2;
  const auto kernel = pairs <= 1   ? encode<1>
                      : pairs == 2 ? encode<2>
                      : pairs == 3 ? encode<3>
                      : pairs == 4 ? encode<4>
                      : pairs <= 8 ? encode<8>
                                   : encode<kDenseEncodeTablesMax / 2>;
  return kernel(tokens, indexes, symbols, count, lanes, states, next);
}

}  // namespace firn
