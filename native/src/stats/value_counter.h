// The fast path of every sketch: counts binary32 values in four interleaved tables, then folds them into a Sketch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "firn/sketch.h"

namespace firn {

// Addresses that the caller will read after the current values are counted. They are prefetched meanwhile, because
// increments leave the memory idle. They are only hints and may lie past the end; gradients may be null.
struct Upcoming {
  const void* weights;
  size_t weight_bytes;  // of one element
  const void* gradients = nullptr;
  size_t gradient_bytes = 0;
};

// Neighbouring values often share a bucket, and an increment must wait for the one before it on the same counter; four
// tables taken in turn break that chain. Short inputs, machines at Isa::scalar and failed allocations use
// sketch_reference instead: the result is the same.
class ValueCounter {
 public:
  // `expected_count`: how many values add() will see in all; decides whether the tables are worth their 516 KiB.
  ValueCounter(Sketch& sketch, size_t expected_count);
  // Folds the remaining counts into the sketch.
  ~ValueCounter();
  ValueCounter(const ValueCounter&) = delete;
  ValueCounter& operator=(const ValueCounter&) = delete;

  // Counts `count` binary32 values (any alignment; at most kStepElements) except `skipped` of them, which must be quiet
  // NaNs (see skip_marker).
  void add(const void* values, size_t count, size_t skipped, const Upcoming& upcoming);

 private:
  struct Tables;
  void fold();

  Sketch& sketch_;
  std::unique_ptr<Tables> tables_;
};

// Pattern that means "not a member" in a buffer for ValueCounter::add. Sixteen patterns are used in turn by position,
// so that long runs of skipped values do not wait on one counter either.
constexpr uint32_t skip_marker(uint32_t position) { return 0x7FC00000u | (position & 15u) << 17; }

}  // namespace firn
