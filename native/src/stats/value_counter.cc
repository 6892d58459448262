#include "stats/value_counter.h"

#include <cstring>
#include <new>

#include "common/f32_view.h"
#include "common/invariant.h"
#include "simd/cpu_features.h"
#include "stats/keys.h"
#include "stats/sketch_reference.h"

namespace firn {
namespace {

constexpr size_t kWays = 4;
// Unused counters (1 KiB) between two tables: without them equal buckets of all tables compete for the same cache sets.
constexpr size_t kGap = 256;
// Below this many values, clearing and folding the tables costs more than they save.
constexpr size_t kTablesWorthwhile = 1u << 16;
// A 32-bit counter cannot overflow before this many values; fold then.
constexpr uint64_t kValuesPerFold = 1ull << 31;
// The four buckets that hold exact zeros or infinities next to other values.
constexpr uint32_t kMixedKeys[] = {0, kSignKey, kNonFiniteKey, kSignKey | kNonFiniteKey};

}  // namespace

struct ValueCounter::Tables {
  uint32_t counts[kWays][kSketchBuckets + kGap];
  uint64_t zeros[2];  // by sign
  uint64_t infinities;
  uint64_t skipped;
  uint64_t values;

  uint32_t mixed() const {
    uint32_t sum = 0;
    for (const auto& way : counts) {
      for (const uint32_t key : kMixedKeys) sum += way[key];
    }
    return sum;
  }

  void count_four(const uint8_t* bytes) {  // two values a word; which half comes first does not matter here
    uint64_t a, b;
    std::memcpy(&a, bytes, sizeof a);
    std::memcpy(&b, bytes + 8, sizeof b);
    ++counts[0][static_cast<uint32_t>(a) >> kKeyShift];
    ++counts[1][a >> (32 + kKeyShift)];
    ++counts[2][static_cast<uint32_t>(b) >> kKeyShift];
    ++counts[3][b >> (32 + kKeyShift)];
  }

  void count(const uint8_t* bytes, size_t count, const Upcoming& upcoming) {
    const char* next_weights = static_cast<const char*>(upcoming.weights);
    const char* next_gradients = static_cast<const char*>(upcoming.gradients ? upcoming.gradients : upcoming.weights);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
      __builtin_prefetch(next_weights + i * upcoming.weight_bytes);
      __builtin_prefetch(next_gradients + i * upcoming.gradient_bytes);
      for (size_t k = 0; k < 16; k += 4) count_four(bytes + (i + k) * 4);
    }
    for (; i < count; ++i) {
      uint32_t bits;
      std::memcpy(&bits, bytes + i * 4, sizeof bits);
      ++counts[0][sketch_key(bits)];
    }
  }

  void count_exact(const uint8_t* bytes, size_t count) {
    uint32_t positive_zeros = 0, negative_zeros = 0, infinite = 0;
    for (size_t i = 0; i < count; ++i) {
      uint32_t bits;
      std::memcpy(&bits, bytes + i * 4, sizeof bits);
      positive_zeros += bits == 0;
      negative_zeros += bits == 0x80000000u;
      infinite += (bits & 0x7FFFFFFFu) == 0x7F800000u;
    }
    zeros[0] += positive_zeros;
    zeros[1] += negative_zeros;
    infinities += infinite;
  }
};

ValueCounter::ValueCounter(Sketch& sketch, size_t expected_count) : sketch_(sketch) {
  if (expected_count >= kTablesWorthwhile && active_isa() > Isa::scalar) tables_.reset(new (std::nothrow) Tables());
}

ValueCounter::~ValueCounter() {
  if (tables_) fold();
}

void ValueCounter::add(const void* values, size_t count, size_t skipped, const Upcoming& upcoming) {
  FIRN_INVARIANT(count <= kStepElements && skipped <= count);
  if (!tables_) {
    sketch_reference(values, count, sketch_);
    sketch_.nans -= skipped;
    return;
  }
  const uint8_t* bytes = static_cast<const uint8_t*>(values);
  const uint32_t mixed = tables_->mixed();
  tables_->count(bytes, count, upcoming);
  if (tables_->mixed() != mixed) tables_->count_exact(bytes, count);  // still in the level-1 cache
  tables_->skipped += skipped;
  tables_->values += count;
  if (tables_->values >= kValuesPerFold) fold();
}

void ValueCounter::fold() {
  Tables& t = *tables_;
  uint64_t not_finite = 0;
  for (uint32_t key = 0; key < kSketchBuckets; ++key) {
    const uint64_t sum =
        static_cast<uint64_t>(t.counts[0][key]) + t.counts[1][key] + t.counts[2][key] + t.counts[3][key];
    if ((key & ~kSignKey) >= kNonFiniteKey) not_finite += sum;
    else sketch_.counts[key] += sum;
  }
  sketch_.counts[0] -= t.zeros[0];
  sketch_.counts[kSignKey] -= t.zeros[1];
  sketch_.zeros += t.zeros[0] + t.zeros[1];
  sketch_.infinities += t.infinities;
  sketch_.nans += not_finite - t.infinities - t.skipped;
  std::memset(&t, 0, sizeof t);
}

}  // namespace firn
