// A device, and work of the residual method on it: a GPU behind the CUDA library, or the processor in its place. The
// bytes are those of the processor (docs/decisions/0066-devices-of-workers.md).
//
// A call answers whether the device did it. If not, the caller does the same on the processor: the device had no room,
// has failed, or leaves such blocks to the processor. A failure is counted, and the outputs are then anything, except
// that counts have not been added to.
//
// A device holds the bytes of earlier calls under the names they came with, as far as its budget allows, so that they
// cross the bus once. Calls with equal names must bring equal bytes; an empty name holds nothing. Any number of threads
// may use a device at once.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firn/context_coder.h"
#include "firn/dtype.h"
#include "firn/moments.h"
#include "firn/residual_quant/gptq.h"
#include "firn/residual_quant/lattice.h"
#include "firn/residual_quant/residual.h"

namespace firn {

enum class DeviceKind : uint8_t { cuda = 0, emulated = 1 };

// Which device, and how much of it.
struct DeviceChoice {
  DeviceKind kind = DeviceKind::cuda;
  int32_t index = 0;          // of the CUDA device
  std::string library;        // path of the CUDA library
  uint64_t budget_bytes = 0;  // 0: half of what is free when the device is opened
  // For tests, of an emulated device: the call of its table from which on all fail, and the one that finds no memory.
  // 0: none.
  uint64_t fails_at = 0, memory_fails_at = 0;
};

struct DeviceFigures {
  std::string name;  // as its driver says it
  uint64_t total_bytes, budget_bytes;
  uint64_t used_bytes;      // of the budget: held, worked on, or kept for the next work
  uint64_t peak_bytes;      // the most of it that was used since it was opened; all below are since then
  uint64_t uploaded_bytes;  // to the device
  uint64_t downloaded_bytes;
  uint64_t works;           // calls that the device did
  uint64_t declined;        // left to the processor: no work for a device, or no room
  uint64_t failures;        // ended by a failure of the device, and done again on the processor
  double busy_seconds;      // in which it had at least one call under way
  bool lost;                // it has failed, and is not used any more
  std::string last_failure;
};

// What was done through one context, whatever others did on the same device.
struct DeviceAccount {
  uint64_t works;       // as of DeviceFigures
  uint64_t failures;    // as of DeviceFigures
  uint64_t after_loss;  // left to the processor because the device had failed before
};

class DeviceContext {
 public:
  // Null, and a sentence in `why_not`, when there is no such device, or it cannot be opened. Throws std::bad_alloc.
  static std::shared_ptr<DeviceContext> open(const DeviceChoice& choice, std::string* why_not);
  ~DeviceContext();
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  // The same device with what it holds, and an account of its own. Throws std::bad_alloc.
  std::shared_ptr<DeviceContext> with_own_account() const;

  DeviceFigures figures() const;
  DeviceAccount account() const;
  // Lets go of what is held under names that begin with `prefix`.
  void forget(std::string_view prefix);
  // What is held under names that begin with `from` is held under the same names that begin with `to` instead, in the
  // place of what was held there. Throws std::bad_alloc: then some of it has its new name, and some its old one.
  void rename(std::string_view from, std::string_view to);

  struct Impl;
  Impl& impl() { return *impl_; }
  struct Counts {
    std::atomic<uint64_t> works = 0, failures = 0, after_loss = 0;
  };
  Counts& counts() { return counts_; }

 private:
  explicit DeviceContext(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
  Counts counts_;
};

// Symbols of a block with their contexts, in memory of the device.
class DeviceSymbols {
 public:
  virtual ~DeviceSymbols() = default;
  // False when others have taken the share of the budget that symbols may have: fetch these, and let go of them.
  virtual bool may_stay() const = 0;
};

// How the one segment of a block is rounded along the inputs of its matrix.
struct DeviceRounding {
  std::string_view factor_name;
  Gptq gptq;
};

// A block that is coded behind a chain, as ResidualCoding takes it.
struct DeviceBlock {
  std::string_view weights_name;  // of the weights and their gradients
  // Null: what is held under that name, with gradients if there are scales. Then nothing is done unless it is held.
  const void* weights = nullptr;
  Dtype dtype = Dtype::f32;
  const void* gradients = nullptr;  // or null
  Dtype gradient_dtype = Dtype::f32;
  const float* gradient_scales = nullptr;  // one a segment, with gradients
  const float* targets = nullptr;          // quantized instead of the weights; or null
  const DeviceRounding* rounding = nullptr;  // or null; then the targets are what lattice_targets() gives
  LatticeHysteresis hysteresis{128};
  LatticeSegments segments;
  std::string_view state_name;  // of the state at the end of the chain
  ResidualChain chain;  // without links, previous state and origins: the state that is held under that name
};

// The segments of a block in the context tables.
struct DeviceSlots {
  const uint32_t* counts = nullptr;  // elements of each segment
  const uint32_t* slots = nullptr;
  size_t count = 0;
};

// A block's weights, as they come from a file.
struct DeviceWeights {
  std::string_view name;  // as weights_name of DeviceBlock
  const void* weights = nullptr;
  Dtype dtype = Dtype::f32;
  const void* gradients = nullptr;  // or null
  Dtype gradient_dtype = Dtype::f32;
};
// weight_moments() of each segment of a block; `counts` are their elements. The device holds the weights from then on.
bool device_moments(DeviceContext& context, const DeviceWeights& block, const uint32_t* counts, size_t segments,
                    Moments* moments);

struct DeviceFindings {
  std::vector<LatticeStatistics> statistics;
  std::vector<LatticeErrorSums> errors;  // empty without counts
  std::vector<LatticeErrorSums> plain_errors;  // with equal weights, where these differ and are asked for
  std::shared_ptr<DeviceSymbols> symbols;
};

// ResidualCoding::quantize(); with `counts`, also error_sums(), and ContextCounts::add() of its context_block().
bool device_quantize(const std::shared_ptr<DeviceContext>& context, const DeviceBlock& block, const DeviceSlots& slots,
                     bool plain, ContextCounts* counts, DeviceFindings* findings);
// ContextCounts::add() of symbols found before.
bool device_count(const DeviceSymbols& symbols, const DeviceSlots& slots, ContextCounts* counts);
// ContextTables::encode() of them.
bool device_encode(const DeviceSymbols& symbols, const DeviceSlots& slots, const ContextTables& tables,
                   std::vector<uint8_t>* payload);
// ResidualCoding::elements() of them behind the block's chain. Of the block only segments, chain and state_name matter.
bool device_elements(const DeviceSymbols& symbols, const DeviceBlock& block, Dtype dtype, void* out);
// The state that a block's symbols leave behind, for the block that builds on it.
struct DeviceNextState {
  std::string_view name;        // under which it is held from then on
  std::string_view state_name;  // of the state before, which the device has to hold
  bool starts = false;          // whether that is the block's origins
  LatticeSegments segments;
};
// Holds it; the bytes are those of residual_state() behind one more link, with these segments and symbols. False also
// when the state before is not held.
bool device_hold_state(const DeviceSymbols& symbols, const DeviceNextState& next);
// Brings them to the host: one symbol and one context an element, and the escapes. False when they are gone.
bool device_fetch(const DeviceSymbols& symbols, uint8_t* to_symbols, uint8_t* to_contexts,
                  std::vector<uint32_t>* escapes);

// What one segment's weights move to when they are rounded along the inputs: lattice_targets().
struct DeviceTargets {
  std::string_view weights_name;
  const void* weights = nullptr;
  Dtype dtype = Dtype::f32;
  LatticeSegment segment;
  std::string_view state_name;
  LatticeState previous;
  std::string_view factor_name;
  Gptq gptq;
};
bool device_targets(DeviceContext& context, const DeviceTargets& request, float* targets);

}  // namespace firn
