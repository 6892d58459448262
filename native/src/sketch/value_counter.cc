#include "sketch/value_counter.h"

#include <cstring>
#include <new>

#include "common/cpu_features.h"
#include "common/f32_view.h"
#include "sketch/keys.h"
#include "sketch/sketch_reference.h"

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
  uint64_t zeros[2];       // by sign
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

  void count(const uint8_t* bytes, size_t count) {
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {  // two values a word; which half comes first does not matter here
      uint64_t a, b;
      std::memcpy(&a, bytes + i * 4, sizeof a);
      std::memcpy(&b, bytes + i * 4 + 8, sizeof b);
      ++counts[0][static_cast<uint32_t>(a) >> kKeyShift];
      ++counts[1][a >> (32 + kKeyShift)];
      ++counts[2][static_cast<uint32_t>(b) >> kKeyShift];
      ++counts[3][b >> (32 + kKeyShift)];
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

void ValueCounter::add(const void* values, size_t count, size_t skipped) {
  if (!tables_) {
    sketch_reference(values, count, sketch_);
    sketch_.nans -= skipped;
    return;
  }
  const uint8_t* bytes = static_cast<const uint8_t*>(values);
  while (count > 0) {
    const size_t step = count < kStepElements ? count : kStepElements;
    const uint32_t mixed = tables_->mixed();
    tables_->count(bytes, step);
    if (tables_->mixed() != mixed) tables_->count_exact(bytes, step);  // still in the level-1 cache
    tables_->values += step;
    if (tables_->values >= kValuesPerFold) fold();
    bytes += step * 4;
    count -= step;
  }
  tables_->skipped += skipped;
}

void ValueCounter::fold() {
  Tables& t = *tables_;
  uint64_t not_finite = 0;
  for (uint32_t key = 0; key < kSketchBuckets; ++key) {
    const uint64_t sum = static_cast<uint64_t>(t.counts[0][key]) + t.counts[1][key] + t.counts[2][key] + t.counts[3][key];
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
