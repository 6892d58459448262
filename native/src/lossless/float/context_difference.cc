// Differences of floats to the previous checkpoint (lossless/float/difference_fields.h): the context coder codes
// symbols in the context of the previous exponent, and fields are stored raw.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "common/scratch.h"
#include "common/varint.h"
#include "context/tables/cost_bits.h"
#include "lossless/exact/coder.h"
#include "lossless/exact/difference_symbol.h"
#include "lossless/exact/reference_exponent.h"
#include "lossless/float/context_stream.h"
#include "lossless/float/difference_fields.h"
#include "lossless/float/float_kernels.h"

namespace firn {
namespace {

constexpr size_t kReferenceStride = 64;  // elements looked at for the reference

// A part of a large block's symbols is enough to choose tables from, unless few are not 0.
size_t counted_stride(const SymbolsFound& found, size_t count) {
  constexpr size_t kChangedShare = 8;
  return count > kCountedWholeMax && found.changed >= count / kChangedShare ? kCountedStride : 1;
}

// Entropy in bytes of the contexts' symbols with a table each.
uint64_t entropy_of_symbols(const std::vector<uint32_t>& counts) {
  CostBits bits = 0;
  for (uint32_t c = 0; c < kDifferenceContexts; ++c) {
    uint64_t total = 0;
    for (uint32_t s = 0; s < kContextSymbols; ++s) {
      const uint64_t n = counts[c * kContextSymbols + s];
      total += n;
      if (n > 0) bits -= n * cost_log2(n);
    }
    if (total > 0) bits += total * cost_log2(total);
  }
  return bits / whole_bits(8);
}

template <typename Visit>
auto with_difference_element(ElementKind kind, Visit visit) {
  if (kind == ElementKind::f16) return visit(F16Element{});
  if (kind == ElementKind::bf16) return visit(Bf16Element{});
  return visit(F32Element{});
}

}  // namespace

bool context_difference_supports(ElementKind kind) {
  return kind == ElementKind::f16 || kind == ElementKind::bf16 || kind == ElementKind::f32;
}

uint64_t context_difference_cost(const std::vector<uint32_t>& counts, uint64_t field_bytes) {
  return field_bytes + entropy_of_symbols(counts);
}

ContextDifferencePlan plan_context_difference(const ExactInput& input) {
  ContextDifferencePlan plan;
  plan.symbols = take_scratch(input.count);
  plan.contexts = take_scratch(input.count);
  plan.reference = with_difference_element(input.kind, [&](auto element) {
    return reference_exponent<decltype(element)>(input.previous, input.count, kReferenceStride);
  });
  const FloatKernels& kernels = float_kernels(input.kind);
  kernels.contexts(input.previous, input.count, plan.reference, plan.contexts.get());
  const SymbolsFound found = kernels.symbols(input.current, input.previous, input.count, plan.symbols.get());
  plan.occurring = found.occurring;
  plan.counts.resize(kDifferenceContexts * kContextSymbols);
  kernels.count_symbols(plan.symbols.get(), plan.contexts.get(), input.count, counted_stride(found, input.count),
                        plan.counts.data());
  plan.field_bytes = (found.field_bits + 7) / 8;
  plan.cost = context_difference_cost(plan.counts, plan.field_bytes);
  return plan;
}

Status encode_context_difference(const ExactInput& input, const ContextDifferencePlan& plan,
                                 std::vector<uint8_t>* out) {
  append_varint(plan.reference, out);
  const auto count = static_cast<uint32_t>(input.count);
  const uint32_t slot = 0;
  const ContextBlock block{{plan.contexts.get(), input.count, &count, &slot, 1}, plan.symbols.get(), nullptr, 0};
  if (const Status status =
          append_context_stream(block, {plan.counts.data(), kDifferenceContexts, plan.occurring}, out);
      status != Status::ok)
    return status;
  const size_t begin = out->size();
  out->resize(begin + plan.field_bytes + kFieldSlackBytes);
  const size_t written = float_kernels(input.kind)
                             .put_fields(input.current, input.previous, plan.symbols.get(), input.count,
                                         plan.field_bytes, out->data() + begin);
  out->resize(begin + written);
  return Status::ok;
}

Status decode_context_difference(ByteReader in, const ExactOutput& output) {
  if (!context_difference_supports(output.kind) || output.count > kBlockElementsMax) return Status::corrupt;
  uint32_t reference = 0;
  if (const Status status = in.varint(&reference); status != Status::ok) return status;
  return with_difference_element(output.kind, [&](auto element) {
    using E = decltype(element);
    if (reference >> E::kExponentBits != 0) return Status::corrupt;
    const auto symbols = take_scratch(output.count);
    const auto contexts = take_scratch(output.count);
    float_kernels(output.kind).contexts(output.previous, output.count, reference, contexts.get());
    const auto count = static_cast<uint32_t>(output.count);
    const uint32_t slot = 0;
    std::vector<uint32_t> escapes;
    const Status status =
        read_context_stream(in, {contexts.get(), output.count, &count, &slot, 1}, symbols.get(), &escapes);
    if (status != Status::ok) return status;
    if (!escapes.empty()) return Status::corrupt;
    const size_t left = in.left();
    const uint8_t* const fields = in.take(left);
    const uint64_t bits = float_kernels(output.kind)
                              .apply_fields(output.previous, symbols.get(), fields, left, output.count, output.current);
    if (bits > 8 * uint64_t{left}) return Status::truncated;
    const bool padded = (bits + 7) / 8 == left && (bits % 8 == 0 || fields[left - 1] >> (bits % 8) == 0);
    return padded ? Status::ok : Status::corrupt;
  });
}

}  // namespace firn
