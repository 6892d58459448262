// Objects of the context coder, held by JavaScript.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "binding/arguments/handle.h"
#include "common/scratch.h"
#include "firn/context_coder.h"
#include "firn/device.h"
#include "firn/packed_symbols.h"

namespace firn::binding {

// Counts that pool threads add to while the JavaScript thread may merge them.
struct SharedContextCounts {
  std::mutex mutex;
  ContextCounts counts;

  // Counts go into a local copy first, so that jobs wait for each other only while adding up.
  Status add(const ContextCounts& own) {
    const std::lock_guard lock(mutex);
    return counts.merge(own);
  }
  Status add(const ContextBlock& block) {
    ContextCounts own;
    const Status status = own.add(block);
    return status == Status::ok ? add(own) : status;
  }
};

template <>
struct HandleTag<SharedContextCounts> {
  static constexpr napi_type_tag value{0x5be20c7791d4a83f, 0x9d316f4ab8c2e075};
};

template <>
struct HandleTag<ContextTables> {
  static constexpr napi_type_tag value{0xe1763d08f52bc94a, 0x27c40eb95f8d6a13};
};

// Symbols of a block with their contexts, one byte each, while a job works with them.
struct PlainSymbols {
  explicit PlainSymbols(size_t elements)
      : count(elements), symbols(take_scratch(elements)), contexts(take_scratch(elements)) {}

  // Without slots.
  ContextBlock block() const {
    return {{contexts.get(), count, nullptr, nullptr, 0}, symbols.get(), escapes.data(), escapes.size()};
  }
  // Brings them from a device. False if it has lost them.
  bool fetch(const DeviceSymbols& from) { return device_fetch(from, symbols.get(), contexts.get(), &escapes); }

  size_t count;
  Scratch symbols, contexts;
  std::vector<uint32_t> escapes;
};

// The same, kept from one job to another outside the JavaScript heap: as buffers in it they would trigger repeated
// garbage collections.
struct CachedSymbols {
  size_t count = 0;
  std::shared_ptr<DeviceSymbols> there;  // if a device holds them, instead of `packed`
  PackedSymbols packed;
};

template <>
struct HandleTag<CachedSymbols> {
  static constexpr napi_type_tag value{0x3f8ad2c6017be945, 0x8d51e0b47ca2f639};
};

}  // namespace firn::binding
