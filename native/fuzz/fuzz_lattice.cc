// Fuzz target: lattice_apply, with the contexts before and the values after it, on hostile symbols, escapes, parameters
// and states. All instruction sets must agree, also on refusals; accepted results stay in their ranges.
//
// Input: flags (bit 0: with a previous state; bit 1: parameters unchanged, else brought into their ranges), number of
// segments - 1 and of escapes, then for each segment count (u16 LE), exponent (i8), step (u16), shift (u8), offsets (3
// x i16), gain (u16); escapes (u32); symbols; values (i32) and activity of the previous state. Missing input is 0.
#include <cstdint>
#include <vector>

#include "common/bytes.h"
#include "firn/residual_quant/lattice.h"
#include "input_reader.h"
#include "simd/cpu_features.h"

namespace {

using namespace firn;

constexpr size_t kSegmentsMax = 4;
constexpr size_t kSegmentElementsMax = 700;  // several vectors, and still fast

int32_t within(int32_t value, int32_t minimum, int32_t maximum) {
  const int32_t span = maximum - minimum + 1;
  return minimum + ((value - minimum) % span + span) % span;
}

LatticeSegment read_segment(InputReader& in, bool as_is) {
  LatticeSegment s;
  s.count = 1 + in.next<uint16_t>() % kSegmentElementsMax;
  s.exponent = in.next<int8_t>();
  s.step = in.next<uint16_t>();
  s.shift = in.next<uint8_t>();
  for (int32_t& offset : s.offsets) offset = in.next<int16_t>();
  s.gain = in.next<uint16_t>();
  if (as_is) return s;
  s.exponent = within(s.exponent, kLatticeExponentMin, kLatticeExponentMax);
  s.step = within(s.step, 1, kLatticeStepMax);
  s.shift = within(s.shift, 0, kLatticeShiftMax);
  for (int32_t& offset : s.offsets) offset = within(offset, 1 - s.step, s.step - 1);
  s.gain = within(s.gain, 0, kLatticeGainMax);
  return s;
}

struct Block {
  std::vector<LatticeSegment> segments;
  std::vector<uint32_t> escapes;
  std::vector<uint8_t> symbols, activity;
  std::vector<int32_t> values;
  bool base = false;

  LatticeSegments view() const { return {segments.data(), segments.size()}; }
  LatticeState previous() const { return base ? LatticeState{} : LatticeState{values.data(), activity.data()}; }
};

Block read_block(InputReader& in) {
  Block block;
  const uint8_t flags = in.next<uint8_t>();
  block.base = !(flags & 1);
  block.segments.resize(1 + in.next<uint8_t>() % kSegmentsMax);
  block.escapes.resize(in.next<uint8_t>());
  size_t count = 0;
  for (LatticeSegment& s : block.segments) {
    s = read_segment(in, flags & 2);
    count += s.count;
  }
  for (uint32_t& escape : block.escapes) escape = in.next<uint32_t>();
  block.symbols.resize(count);
  for (uint8_t& symbol : block.symbols) symbol = in.next<uint8_t>();
  block.values.resize(count);
  for (int32_t& value : block.values) value = in.next<int32_t>();
  block.activity.resize(count);
  for (uint8_t& activity : block.activity) activity = in.next<uint8_t>();
  return block;
}

struct Outcome {
  Status contexts_status, status, values_status;
  std::vector<uint8_t> contexts, activity, rebuilt;
  std::vector<int32_t> values;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_at(Isa isa, const Block& block) {
  const size_t count = block.symbols.size();
  Outcome out{Status::ok,
              Status::ok,
              Status::ok,
              std::vector<uint8_t>(count),
              std::vector<uint8_t>(count),
              std::vector<uint8_t>(2 * count),
              std::vector<int32_t>(count)};
  limit_isa(isa);
  out.contexts_status = lattice_contexts(block.view(), block.previous(), out.contexts.data());
  out.status = lattice_apply(block.symbols.data(), block.escapes.data(), block.escapes.size(), block.view(),
                             block.previous(), out.values.data(), out.activity.data());
  if (out.status == Status::ok)
    out.values_status = lattice_values(out.values.data(), block.view(), Dtype::bf16, out.rebuilt.data());
  else out.values.clear(), out.activity.clear();  // of no use
  limit_isa(Isa::avx512);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  InputReader in(data, size);
  const Block block = read_block(in);
  const Outcome scalar = outcome_at(Isa::scalar, block);
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa <= detected_isa()) require(outcome_at(isa, block) == scalar);
  }
  require((scalar.contexts_status == Status::ok) == (scalar.status != Status::invalid_argument));
  for (const uint8_t context : scalar.contexts) require(context < kLatticeContexts);
  if (scalar.status != Status::ok) return 0;
  require(scalar.values_status == Status::ok);
  for (const int32_t value : scalar.values) require(value >= -kLatticeValueMax && value <= kLatticeValueMax);
  for (const uint8_t activity : scalar.activity) require((activity & 3) < 3);
  return 0;
}
