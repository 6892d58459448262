// The ways to code a block exactly, each behind the same two functions; exact.cc picks among them.
//
// Encoders append a payload without its mode byte, for count >= 1 elements. Decoders read the whole of `in` and write
// `count` elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/byte_reader.h"
#include "common/scratch.h"
#include "entropy/rans.h"
#include "firn/lossless.h"
#include "firn/status.h"

namespace firn {

struct ExactInput {
  const uint8_t* current;
  const uint8_t* previous;  // may be null
  size_t count;             // elements
  ElementKind kind;

  size_t bytes() const { return count * element_bytes(kind); }
};

struct ExactOutput {
  uint8_t* current;
  const uint8_t* previous;  // null only for modes that do not need it
  size_t count;
  ElementKind kind;

  size_t bytes() const { return count * element_bytes(kind); }
};

// Byte planes of the block, or of its XOR with the previous one (lossless/exact/planes.cc).
struct PlanesPlan {
  std::unique_ptr<uint8_t[]> planes;  // plane k of element i at planes[k * count + i], most significant plane first
  std::vector<SymbolCounts> counts;   // of each plane
  uint64_t cost = 0;                  // estimated bytes
};
PlanesPlan plan_planes(const ExactInput& input, bool with_previous);
// About the cost of plan_planes(input, false) without its tables, from a part of the block; rather too low.
uint64_t estimate_planes(const ExactInput& input);
void encode_planes(const ExactInput& input, const PlanesPlan& plan, std::vector<uint8_t>* out);
Status decode_planes(ByteReader in, bool with_previous, const ExactOutput& output);

// Difference symbols by static rANS in the context of the previous exponent, low bits raw
// (lossless/exact/difference.cc).
struct DifferencePlan {
  std::unique_ptr<uint8_t[]> symbols;
  std::unique_ptr<uint8_t[]> contexts;  // of each element
  std::vector<SymbolCounts> counts;     // of each context, kDifferenceContexts of them
  uint32_t reference = 0;               // exponent that contexts are counted from
  uint64_t low_bits = 0;
  std::vector<uint8_t> table_of;  // context -> table, not decreasing, without gaps
  uint64_t cost = 0;              // estimated bytes
};
DifferencePlan plan_difference(const ExactInput& input);
void encode_difference(const ExactInput& input, const DifferencePlan& plan, std::vector<uint8_t>* out);
Status decode_difference(ByteReader in, const ExactOutput& output);

// Difference symbols by the context coder in the context of the previous exponent, fields raw
// (lossless/float/context_difference.cc).
struct ContextDifferencePlan {
  Scratch symbols;
  Scratch contexts;
  std::vector<uint32_t> counts;  // of context * kContextSymbols + symbol, about
  uint32_t occurring = 0;        // symbols, as in BlockCounts
  uint32_t reference = 0;        // exponent that contexts are counted from
  uint64_t field_bytes = 0;
  uint64_t cost = 0;  // estimated bytes, tables left out
};
bool context_difference_supports(ElementKind kind);  // f16, bf16, f32
ContextDifferencePlan plan_context_difference(const ExactInput& input);
// The cost of such a plan.
uint64_t context_difference_cost(const std::vector<uint32_t>& counts, uint64_t field_bytes);
Status encode_context_difference(const ExactInput& input, const ContextDifferencePlan& plan, std::vector<uint8_t>* out);
Status decode_context_difference(ByteReader in, const ExactOutput& output);

// Exponents by the context coder, relative to the size of the elements around them; all other bits raw
// (lossless/float/exponents.cc).
bool exponents_supports(ElementKind kind);  // bf16, f32
// Estimated size of encode_exponents()'s payload in bytes, from a part of the block.
uint64_t estimate_exponents(const ExactInput& input);
Status encode_exponents(const ExactInput& input, std::vector<uint8_t>* out);
Status decode_exponents(ByteReader in, const ExactOutput& output);

// The same two ideas with adaptive models, for blocks too small to pay for tables.
inline constexpr size_t kAdaptiveElementsMax = 1u << 14;  // that they can code
inline constexpr size_t kAdaptiveTriedMax =
    1u << 11;  // beyond it they save less than a hundredth and take thirty times as long
bool adaptive_alone_supports(ElementKind kind);  // floats and bytes
void encode_adaptive_alone(const ExactInput& input, std::vector<uint8_t>* out);
Status decode_adaptive_alone(ByteReader in, const ExactOutput& output);
void encode_adaptive_difference(const ExactInput& input, std::vector<uint8_t>* out);
Status decode_adaptive_difference(ByteReader in, const ExactOutput& output);

// The passes over a large block that another than the processor may take (device/work/exact_work.cc): the same answers
// and bytes.
class ExactPasses {
 public:
  virtual ~ExactPasses() = default;
  virtual PlanesPlan plan_planes(const ExactInput& input, bool with_previous) {
    return firn::plan_planes(input, with_previous);
  }
  // `plan` is of this object, with the same `with_previous`.
  virtual void encode_planes(const ExactInput& input, const PlanesPlan& plan, bool with_previous,
                             std::vector<uint8_t>* out) {
    (void)with_previous;
    firn::encode_planes(input, plan, out);
  }
  virtual ContextDifferencePlan plan_context_difference(const ExactInput& input) {
    return firn::plan_context_difference(input);
  }
  // Likewise.
  virtual Status encode_context_difference(const ExactInput& input, const ContextDifferencePlan& plan,
                                           std::vector<uint8_t>* out) {
    return firn::encode_context_difference(input, plan, out);
  }
  virtual Status encode_exponents(const ExactInput& input, std::vector<uint8_t>* out) {
    return firn::encode_exponents(input, out);
  }
};

// exact_encode() with these passes.
Status exact_encode_with(ExactPasses& passes, const void* current, const void* previous, size_t count,
                         ElementKind kind, std::vector<uint8_t>* out);

}  // namespace firn
