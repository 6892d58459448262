#include <algorithm>
#include <new>

#include "firn/residual_quant/residual.h"
#include "residual_quant/chain/block_scratch.h"
#include "residual_quant/chain/block_start.h"
#include "residual_quant/chain/joint_payload.h"
#include "residual_quant/lattice/activity.h"
#include "residual_quant/lattice/segment_steps.h"

namespace firn {
namespace {

// A stretch of a state, in level-1 cache.
struct Stretch {
  int32_t values[kStepElements];
  uint8_t activity[kStepElements];
};

bool same_counts(LatticeSegments a, LatticeSegments b) {
  return a.count == b.count &&
         std::equal(a.data, a.data + a.count, b.data,
                    [](const LatticeSegment& x, const LatticeSegment& y) { return x.count == y.count; });
}

// Follows a block through its chain, a link at a time. Between links the state is in `values` and `activity`.
class Rebuilding {
 public:
  Rebuilding(const ResidualChain& chain, int32_t* values, uint8_t* activity)
      : chain_(chain), kernels_(lattice_kernels()), scratch_(block_scratch()), values_(values), activity_(activity) {}

  // Leaves the state after the last link in `values` and `activity`.
  Status run() { return follow_to(chain_.count); }

  // step(rule, cursor, state, first, count) must apply the last link to every stretch of the state before it; false if
  // symbols are corrupt.
  template <typename Step>
  Status run_to_last(Step step) {
    if (const Status status = follow_to(chain_.count - 1); status != Status::ok) return status;
    if (const Status status = decode(chain_.count - 1); status != Status::ok) return status;
    return for_each_stretch(chain_.count - 1, [&](const LatticeRule& rule, SymbolCursor& cursor, size_t segment,
                                                  size_t first, size_t count) {
      return step(rule, cursor, state_before(chain_.count - 1, segment, first, count), first, count);
    });
  }

 private:
  const ResidualLink& link(size_t i) const { return chain_.links[i]; }
  // Whether link i has nothing before it.
  bool starts(size_t i) const { return i == 0 && chain_.previous.values == nullptr; }

  Status check() {
    if (chain_.count == 0 || !valid_joint_symbols(chain_)) return Status::invalid_argument;
    for (size_t i = 0; i < chain_.count; ++i) {
      if (!valid_segments(link(i).segments, &count_) || !same_counts(link(i).segments, link(0).segments))
        return Status::invalid_argument;
    }
    scratch_.counts.clear();
    for (size_t s = 0; s < link(0).segments.count; ++s) scratch_.counts.push_back(link(0).segments.data[s].count);
    return Status::ok;
  }

  // Moves the state through the first `links` links; the contexts of the one after them are then in the scratch.
  Status follow_to(size_t links) {
    if (const Status status = check(); status != Status::ok) return status;
    if (starts(0)) contexts_at_start(link(0).segments, chain_.origins, scratch_.contexts);
    else if (const Status status = lattice_contexts(link(0).segments, chain_.previous, scratch_.contexts);
             status != Status::ok)
      return status;
    for (size_t i = 0; i < links; ++i) {
      if (const Status status = decode(i); status != Status::ok) return status;
      if (const Status status = move(i); status != Status::ok) return status;
    }
    return Status::ok;
  }

  Status decode(size_t i) {
    const ContextLayout layout{scratch_.contexts, count_, scratch_.counts.data(), link(i).slots,
                               scratch_.counts.size()};
    if (link(i).position == 0) escapes_taken_ = 0;
    if (!link(i).joint.symbols)
      return link(i).tables->decode(link(i).payload, link(i).payload_bytes, layout, scratch_.symbols,
                                    &scratch_.escapes);
    if (link(i).position == 0) {
      if (const Status status = decode_joint_symbols(link(i), layout, &scratch_); status != Status::ok) return status;
    }
    take_symbols(link(i), count_, &scratch_);
    return Status::ok;
  }

  // Whether the payload of link i has moves for a later link.
  bool goes_on(size_t i) const { return link(i).joint.symbols && link(i).position + 1 < link(i).joint.width; }

  // step(rule, cursor, segment, first, count) for every stretch of link i.
  template <typename Step>
  Status for_each_stretch(size_t i, Step step) {
    SymbolCursor cursor{scratch_.symbols, scratch_.escapes.data() + escapes_taken_,
                       scratch_.escapes.size() - escapes_taken_};
    const bool done =
        for_each_step(link(i).segments, 0, [&](const LatticeRule& rule, size_t segment, size_t first, size_t count) {
          cursor.symbols = scratch_.symbols + first;
          return step(rule, cursor, segment, first, count);
        });
    escapes_taken_ = scratch_.escapes.size() - cursor.escapes_left;
    return done && (cursor.escapes_left == 0 || goes_on(i)) ? Status::ok : Status::corrupt;
  }

  // Moves the state by the symbols of link i, and finds the contexts of the next one while the state is near.
  Status move(size_t i) {
    const LatticeSegment* const next =
        i + 1 < chain_.count && link(i + 1).position == 0 ? link(i + 1).segments.data : nullptr;
    Stretch moved;
    LatticeRule next_rule;
    size_t next_segment = SIZE_MAX;
    return for_each_stretch(
        i, [&](const LatticeRule& rule, SymbolCursor& cursor, size_t segment, size_t first, size_t count) {
          if (next && segment != next_segment) next_rule = lattice_rule(next[next_segment = segment], 0);
          if (next && starts(i) && chain_.origins[segment] == 0)
            return kernels_.begin(rule, next_rule, cursor, count, values_ + first, activity_ + first,
                                  scratch_.contexts + first);
          // Only then the contexts there are those of these moves: within a payload of several checkpoints they stay
          // those of the first.
          if (next && i > 0 && link(i).position == 0)
            return kernels_.follow(rule, next_rule, cursor, values_ + first, activity_ + first, count,
                                   scratch_.contexts + first);
          // Input and output of `apply` may not overlap.
          const bool apart = i == 0;
          int32_t* const values = apart ? values_ + first : moved.values;
          uint8_t* const activity = apart ? activity_ + first : moved.activity;
          const LatticeState before = state_before(i, segment, first, count);
          if (!kernels_.apply(rule, cursor, before.values, before.activity, count, values, activity)) return false;
          // At a block's start, moves express the size of a weight, not its activity.
          if (starts(i) && before.values) std::fill_n(activity, count, kStateAfterBase);
          if (next) kernels_.contexts(next_rule, values, activity, count, scratch_.contexts + first);
          if (!apart) {
            std::copy_n(values, count, values_ + first);
            std::copy_n(activity, count, activity_ + first);
          }
          return true;
        });
  }

  LatticeState state_before(size_t i, size_t segment, size_t first, size_t count) {
    if (i > 0) return {values_ + first, activity_ + first};
    if (!starts(0)) return {chain_.previous.values + first, chain_.previous.activity + first};
    // Null for a start at zero, which kernels know as a base.
    if (chain_.origins[segment] == 0) return {};
    std::fill_n(start_.values, count, chain_.origins[segment]);
    std::fill_n(start_.activity, count, kStateAfterBase);
    return {start_.values, start_.activity};
  }

  const ResidualChain& chain_;
  const LatticeKernels kernels_;
  BlockScratch& scratch_;
  int32_t* const values_;
  uint8_t* const activity_;
  size_t count_ = 0;
  size_t escapes_taken_ = 0;  // of the payload that was decoded last
  Stretch start_;
};

}  // namespace

Status residual_state(const ResidualChain& chain, int32_t* values, uint8_t* activity) try {
  return Rebuilding(chain, values, activity).run();
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status residual_block(const ResidualChain& chain, int32_t* values, uint8_t* activity, Dtype dtype, void* out) try {
  if (chain.count == 0) return Status::invalid_argument;
  BlockScratch& scratch = block_scratch();
  const LatticeKernels kernels = lattice_kernels();
  const bool is_start = chain.count == 1 && chain.previous.values == nullptr;
  uint8_t* const bytes = static_cast<uint8_t*>(out);
  float f32[kStepElements];
  return Rebuilding(chain, scratch.values, scratch.activity)
      .run_to_last([&](const LatticeRule& rule, SymbolCursor& cursor, LatticeState before, size_t first, size_t count) {
        uint8_t* const to = bytes + first * dtype_bytes(dtype);
        if (!kernels.apply(rule, cursor, before.values, before.activity, count, values + first, activity + first))
          return false;
        // At a block's start, moves express the size of a weight, not its activity.
        if (is_start) std::fill_n(activity + first, count, kStateAfterBase);
        kernels.values(rule, values + first, count, dtype == Dtype::f32 ? static_cast<void*>(to) : f32);
        if (dtype != Dtype::f32) convert(f32, Dtype::f32, count, to, dtype);
        return true;
      });
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status residual_elements(const ResidualChain& chain, Dtype dtype, void* out) try {
  if (chain.count == 0) return Status::invalid_argument;
  BlockScratch& scratch = block_scratch();
  const auto kernel = lattice_kernels().elements;
  uint8_t* const bytes = static_cast<uint8_t*>(out);
  float f32[kStepElements];
  return Rebuilding(chain, scratch.values, scratch.activity)
      .run_to_last([&](const LatticeRule& rule, SymbolCursor& cursor, LatticeState before, size_t first, size_t count) {
        uint8_t* const to = bytes + first * dtype_bytes(dtype);
        if (!kernel(rule, cursor, before.values, before.activity, count,
                    dtype == Dtype::f32 ? static_cast<void*>(to) : f32))
          return false;
        if (dtype != Dtype::f32) convert(f32, Dtype::f32, count, to, dtype);
        return true;
      });
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
