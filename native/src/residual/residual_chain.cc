#include <algorithm>
#include <new>

#include "firn/residual.h"
#include "lattice/activity.h"
#include "lattice/segment_steps.h"
#include "residual/block_scratch.h"
#include "residual/block_start.h"

namespace firn {
namespace {

// A stretch of a state, in level-1 cache.
struct Stretch {
  int32_t values[kStepElements];
  uint8_t activity[kStepElements];
};

bool same_counts(LatticeSegments a, LatticeSegments b) {
  return a.count == b.count && std::equal(a.data, a.data + a.count, b.data, [](const LatticeSegment& x, const LatticeSegment& y) { return x.count == y.count; });
}

// Follows a block through its chain, a link at a time. Between links the state lies in `values` and `activity`.
class Rebuilding {
 public:
  Rebuilding(const ResidualChain& chain, int32_t* values, uint8_t* activity)
      : chain_(chain), kernels_(lattice_kernels()), scratch_(block_scratch()), values_(values), activity_(activity) {}

  // sink(rule, first, count, values, activity) gets every stretch of the state after the last link.
  template <typename Sink>
  Status run(Sink sink) {
    if (const Status status = check(); status != Status::ok) return status;
    if (const Status status = start_contexts(); status != Status::ok) return status;
    for (size_t i = 0; i + 1 < chain_.count; ++i) {
      const LatticeSegment* next = link(i + 1).segments.data;
      const Status status = follow(i, [&, rule = LatticeRule(), segment = SIZE_MAX](size_t s, const LatticeRule&, size_t first, size_t count,
                                                                                   const int32_t* values, const uint8_t* activity) mutable {
        if (values_ + first != values) std::copy_n(values, count, values_ + first);
        if (activity_ + first != activity) std::copy_n(activity, count, activity_ + first);
        if (s != segment) rule = lattice_rule(next[segment = s], 0);
        kernels_.contexts(rule, values, activity, count, scratch_.contexts + first);
      });
      if (status != Status::ok) return status;
    }
    return follow(chain_.count - 1, [&](size_t, const LatticeRule& rule, size_t first, size_t count, const int32_t* values, const uint8_t* activity) {
      sink(rule, first, count, values, activity);
    });
  }

 private:
  const ResidualLink& link(size_t i) const { return chain_.links[i]; }
  // Whether link i has nothing before it.
  bool starts(size_t i) const { return i == 0 && chain_.previous.values == nullptr; }

  Status check() {
    if (chain_.count == 0) return Status::invalid_argument;
    for (size_t i = 0; i < chain_.count; ++i) {
      if (!valid_segments(link(i).segments, &count_) || !same_counts(link(i).segments, link(0).segments)) return Status::invalid_argument;
    }
    scratch_.counts.clear();
    for (size_t s = 0; s < link(0).segments.count; ++s) scratch_.counts.push_back(link(0).segments.data[s].count);
    return Status::ok;
  }

  Status start_contexts() {
    if (!starts(0)) return lattice_contexts(link(0).segments, chain_.previous, scratch_.contexts);
    contexts_at_start(link(0).segments, chain_.origins, scratch_.contexts);
    return Status::ok;
  }

  // Decodes link i and moves the state by its symbols. Only where nothing is read from `values` does the new state go there at once.
  template <typename Sink>
  Status follow(size_t i, Sink sink) {
    const ContextLayout layout{scratch_.contexts, count_, scratch_.counts.data(), link(i).slots, scratch_.counts.size()};
    const Status status = link(i).tables->decode(link(i).payload, link(i).payload_bytes, layout, scratch_.symbols, &scratch_.escapes);
    if (status != Status::ok) return status;
    LatticeMoves moves{scratch_.symbols, scratch_.escapes.data(), scratch_.escapes.size()};
    Stretch from, to;
    const bool in_place = i == 0 && values_ != nullptr;
    const bool done = for_each_step(link(i).segments, 0, [&](const LatticeRule& rule, size_t segment, size_t first, size_t count) {
      moves.symbols = scratch_.symbols + first;
      const LatticeState before = starts(i) ? start_of(segment, count, &from) : state_before(i, first);
      int32_t* const values = in_place ? values_ + first : to.values;
      uint8_t* const activity = in_place ? activity_ + first : to.activity;
      if (!kernels_.apply(rule, moves, before.values, before.activity, count, values, activity)) return false;
      // Where a block starts, its moves say how large a weight is, not how active.
      if (starts(i) && before.values) std::fill_n(activity, count, kStateAfterBase);
      sink(segment, rule, first, count, values, activity);
      return true;
    });
    return done && moves.escapes_left == 0 ? Status::ok : Status::corrupt;
  }

  LatticeState state_before(size_t i, size_t first) const {
    if (i > 0) return {values_ + first, activity_ + first};
    return {chain_.previous.values + first, chain_.previous.activity + first};
  }

  // Null for a start at zero, which kernels know as a base.
  LatticeState start_of(size_t segment, size_t count, Stretch* stretch) const {
    if (chain_.origins[segment] == 0) return {};
    std::fill_n(stretch->values, count, chain_.origins[segment]);
    std::fill_n(stretch->activity, count, kStateAfterBase);
    return {stretch->values, stretch->activity};
  }

  const ResidualChain& chain_;
  const LatticeKernels kernels_;
  BlockScratch& scratch_;
  int32_t* const values_;
  uint8_t* const activity_;
  size_t count_ = 0;
};

}  // namespace

Status residual_state(const ResidualChain& chain, int32_t* values, uint8_t* activity) try {
  return Rebuilding(chain, values, activity).run([&](const LatticeRule&, size_t first, size_t count, const int32_t* k, const uint8_t* a) {
    if (k != values + first) std::copy_n(k, count, values + first);
    if (a != activity + first) std::copy_n(a, count, activity + first);
  });
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status residual_elements(const ResidualChain& chain, Dtype dtype, void* out) try {
  BlockScratch& scratch = block_scratch();
  const auto kernel = lattice_kernels().values;
  uint8_t* const bytes = static_cast<uint8_t*>(out);
  const bool single = chain.count == 1;  // its state goes nowhere
  float f32[kStepElements];
  Rebuilding rebuilding(chain, single ? nullptr : scratch.values, single ? nullptr : scratch.activity);
  return rebuilding.run([&](const LatticeRule& rule, size_t first, size_t count, const int32_t* values, const uint8_t*) {
    uint8_t* const to = bytes + first * dtype_bytes(dtype);
    kernel(rule, values, count, dtype == Dtype::f32 ? static_cast<void*>(to) : f32);
    if (dtype != Dtype::f32) convert(f32, Dtype::f32, count, to, dtype);
  });
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
