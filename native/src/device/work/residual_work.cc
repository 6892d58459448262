// Quantizing, counting and rebuilding blocks on a device.
#include <numeric>

#include "context/blocks/context_counts_team.h"
#include "device/work/rounding.h"

namespace firn {
namespace {

// Blocks of more segments are counted by the processor: a row of counts a segment would be more bytes than the symbols.
constexpr size_t kCountedSegmentsMax = 32;

// Adds the symbols to `counts`. False when the processor has to do it.
bool count_there(DeviceWork& work, const HeldSymbols& symbols, const DeviceSlots& slots, ContextCounts* counts) {
  if (slots.count > kCountedSegmentsMax) {
    std::vector<uint8_t> there(symbols.count), contexts(symbols.count);
    work.bring(there.data(), symbols.symbols(), symbols.count);
    work.bring(contexts.data(), symbols.contexts(), symbols.count);
    if (!work.wait()) return false;
    const ContextLayout layout{contexts.data(), symbols.count, slots.counts, slots.slots, slots.count};
    return counts->add({layout, there.data(), symbols.escapes.data(), symbols.escapes.size()}) == Status::ok;
  }
  const std::vector<ContextPiece> pieces = pieces_of(slots);
  const uint64_t covered = pieces.empty() ? 0 : pieces.back().first + pieces.back().count;
  if (covered != symbols.count) return false;
  Results results;
  const size_t rows = results.add<uint32_t>(slots.count * kCountsRow);
  results.make(work);
  const ContextPiece* const d_pieces = work.put(pieces);
  work.run(&DeviceTable::context_counts,
           ContextCountsKernel{symbols.symbols(), symbols.contexts(), d_pieces, static_cast<uint32_t>(pieces.size()),
                               results.there<uint32_t>(rows)});
  if (!results.come_back(work)) return false;
  return counts->add_counted({results.here<uint32_t>(rows), slots.slots, slots.count, symbols.count,
                              symbols.escapes.data(), symbols.escapes.size()}) == Status::ok;
}

// One block on its way through the kernels.
class Quantizing {
 public:
  Quantizing(DeviceWork& work, const DeviceBlock& block, size_t count)
      : work_(work), block_(block), count_(count), segments_(block.segments.count) {}

  // False when the processor has to do it.
  bool quantize(const std::shared_ptr<DeviceContext>& context, DeviceFindings* findings) {
    state_ = state_of(work_, block_, count_);
    if (!state_.values || !weights() || (weighted() && !gradients())) return false;
    const bool starts = block_.chain.count == 0 && !block_.chain.previous.values && block_.chain.origins;
    const LatticeHysteresis& hysteresis = block_.hysteresis;
    const uint8_t* const rates = starts ? nullptr : hysteresis.rates;
    const std::vector<LatticeTeamSegment> team = team_segments(block_.segments, hysteresis.dead_zone);
    const LatticeTeamBlock whole = team_block(count_, segments_, 0);
    Packed in;
    const size_t at_block = in.add(&whole, 1), at_segments = in.add(team.data(), team.size()),
                 at_rates = in.add(rates, rates ? kLatticeRates : 0);
    in.go_up(work_);
    d_segments_ = in.at<LatticeTeamSegment>(at_segments);
    Results out;
    const size_t at_statistics = out.add<LatticeStatistics>(segments_), at_escapes = out.add<uint32_t>(1),
                 at_rounding = out.add<uint32_t>(1), at_failure = out.add<uint8_t>(1);
    out.make(work_);
    DevicePiecePtr piece = work_.take(HeldSymbols::bytes_of(count_));
    d_escapes_ = work_.room<uint32_t>(count_);
    const uint8_t* const d_rates = rates ? in.at<uint8_t>(at_rates) : nullptr;
    const bool has_targets = block_.targets || block_.rounding;
    const void* from = block_.targets ? work_.put(block_.targets, count_ * sizeof(float)) : weights();
    if (const DeviceRounding* const wanted = block_.rounding) {
      Rounding rounding;
      if (segments_ != 1 || !rounding.find_cells(block_.segments.data[0], wanted->gptq)) return false;
      from = rounding.round(work_, wanted->factor_name, from, block_.dtype, state_,
                            wanted->gptq.hysteresis.rates ? d_rates : nullptr, out.there<uint32_t>(at_rounding));
    }
    if (!work_.ok()) return false;
    auto symbols = std::make_shared<HeldSymbols>(context, std::move(piece), count_);
    work_.run(&DeviceTable::lattice_quantize,
              LatticeQuantizeTeamKernel{in.at<LatticeTeamBlock>(at_block), 1, d_segments_, from,
                                        has_targets ? Dtype::f32 : block_.dtype, state_.values, state_.activity,
                                        d_rates, hysteresis.dead_zone,
                                        symbols->symbols(), d_escapes_, out.there<uint32_t>(at_escapes),
                                        out.there<LatticeStatistics>(at_statistics), out.there<uint8_t>(at_failure)});
    work_.run(&DeviceTable::lattice_contexts,
              LatticeContextsTeamKernel{in.at<LatticeTeamBlock>(at_block), 1, d_segments_, state_.values,
                                        state_.activity, symbols->contexts()});
    if (!out.come_back(work_) || *out.here<uint8_t>(at_failure) || *out.here<uint32_t>(at_rounding)) return false;
    findings->statistics.assign(out.here<LatticeStatistics>(at_statistics),
                                out.here<LatticeStatistics>(at_statistics) + segments_);
    for (const LatticeStatistics& of : findings->statistics)
      symbols->changes += static_cast<size_t>(std::accumulate(std::begin(of.counts), std::end(of.counts), int64_t{0}));
    const uint32_t escapes = *out.here<uint32_t>(at_escapes);
    if (escapes > count_) return false;
    symbols->escapes.resize(escapes);
    if (escapes > 0) {
      work_.bring(symbols->escapes.data(), d_escapes_, escapes * sizeof(uint32_t));
      if (!work_.wait()) return false;
    }
    symbols_ = std::move(symbols);
    return true;
  }

  bool measure(bool plain, DeviceFindings* findings) {
    const bool twice = plain && weighted();
    const LatticeTeamBlock whole = team_block(count_, segments_, symbols_->escapes.size());
    Packed in;
    const size_t at_block = in.add(&whole, 1), at_scales = in.add(block_.gradient_scales, weighted() ? segments_ : 0);
    in.go_up(work_);
    Results out;
    const size_t at_sums = out.add<LatticeErrorSums>(segments_),
                 at_plain = out.add<LatticeErrorSums>(twice ? segments_ : 0), at_failures = out.add<uint8_t>(2);
    out.make(work_);
    LatticeErrorsTeamKernel kernel{in.at<LatticeTeamBlock>(at_block), 1, d_segments_, weights(),
                                   weighted() ? gradients() : nullptr,
                                   weighted() ? in.at<float>(at_scales) : nullptr,
                                   block_.dtype, block_.gradient_dtype, symbols_->symbols(), d_escapes_,
                                   state_.values, out.there<LatticeErrorSums>(at_sums),
                                   out.there<uint8_t>(at_failures)};
    work_.run(&DeviceTable::lattice_errors, kernel);
    if (twice) {
      kernel.gradients = nullptr, kernel.gradient_scales = nullptr;
      kernel.sums = out.there<LatticeErrorSums>(at_plain), kernel.failures = out.there<uint8_t>(at_failures) + 1;
      work_.run(&DeviceTable::lattice_errors, kernel);
    }
    if (!out.come_back(work_)) return false;
    const auto* const failures = out.here<uint8_t>(at_failures);
    if (failures[0] || failures[1]) return false;
    const auto* const sums = out.here<LatticeErrorSums>(at_sums);
    const auto* const plain_sums = out.here<LatticeErrorSums>(at_plain);
    findings->errors.assign(sums, sums + segments_);
    findings->plain_errors.assign(plain_sums, plain_sums + (twice ? segments_ : 0));
    return true;
  }

  const std::shared_ptr<HeldSymbols>& symbols() const { return symbols_; }

 private:
  // Whether gradients weigh errors.
  bool weighted() const { return block_.gradients || (!block_.weights && block_.gradient_scales); }
  const void* weights() { return there(&d_weights_, weights_name(block_.weights_name), block_.weights, block_.dtype); }
  const void* gradients() {
    return there(&d_gradients_, gradients_name(block_.weights_name), block_.gradients, block_.gradient_dtype);
  }
  // Null after a failure, and when neither the host has brought them nor the device holds them.
  const void* there(const void** known, const std::string& name, const void* from, Dtype dtype) {
    const size_t bytes = count_ * dtype_bytes(dtype);
    if (!*known) *known = from ? work_.held(name, from, bytes) : work_.find(name, bytes);
    return *known;
  }

  DeviceWork& work_;
  const DeviceBlock& block_;
  const size_t count_, segments_;
  StateThere state_;
  const LatticeTeamSegment* d_segments_ = nullptr;
  uint32_t* d_escapes_ = nullptr;
  const void *d_weights_ = nullptr, *d_gradients_ = nullptr;
  std::shared_ptr<HeldSymbols> symbols_;
};

const HeldSymbols& held(const DeviceSymbols& symbols) { return static_cast<const HeldSymbols&>(symbols); }

}  // namespace

bool device_quantize(const std::shared_ptr<DeviceContext>& context, const DeviceBlock& block, const DeviceSlots& slots,
                     bool plain, ContextCounts* counts, DeviceFindings* findings) {
  size_t count = 0;
  if (!valid_segments(block.segments, &count) || count == 0 || block.hysteresis.dead_zone > kLatticeDeadZoneMax)
    return false;
  DeviceWork work(*context, "quantize a block");
  Quantizing quantizing(work, block, count);
  if (!quantizing.quantize(context, findings)) return false;
  if (counts && (!quantizing.measure(plain, findings) || !count_there(work, *quantizing.symbols(), slots, counts)))
    return false;
  findings->symbols = quantizing.symbols();
  return work.done();
}

bool device_count(const DeviceSymbols& symbols, const DeviceSlots& slots, ContextCounts* counts) {
  DeviceWork work(held(symbols).context(), "count symbols");
  return count_there(work, held(symbols), slots, counts) && work.done();
}

bool device_elements(const DeviceSymbols& symbols, const DeviceBlock& block, Dtype dtype, void* out) {
  const HeldSymbols& own = held(symbols);
  size_t count = 0;
  if (!valid_segments(block.segments, &count) || count != own.count || count == 0) return false;
  DeviceWork work(own.context(), "rebuild a block");
  const StateThere state = state_of(work, block, count);
  if (!state.values) return false;
  const std::vector<LatticeTeamSegment> team = team_segments(block.segments, 0);
  const LatticeTeamBlock whole = team_block(count, team.size(), own.escapes.size());
  Packed in;
  const size_t at_block = in.add(&whole, 1), at_segments = in.add(team.data(), team.size()),
               at_escapes = in.add(own.escapes.data(), own.escapes.size());
  in.go_up(work);
  uint8_t* const d_elements = work.room<uint8_t>(count * dtype_bytes(dtype));
  uint8_t* const d_failure = work.room<uint8_t>(1);
  work.run(&DeviceTable::lattice_rebuild,
           LatticeRebuildTeamKernel{in.at<LatticeTeamBlock>(at_block), 1, in.at<LatticeTeamSegment>(at_segments),
                                    own.symbols(), in.at<uint32_t>(at_escapes), state.values, state.activity, nullptr,
                                    nullptr, d_elements, dtype, d_failure});
  uint8_t failure = 0;
  work.bring(&failure, d_failure, 1);
  work.bring(out, d_elements, count * dtype_bytes(dtype));
  return work.wait() && !failure && work.done();
}

bool device_fetch(const DeviceSymbols& symbols, uint8_t* to_symbols, uint8_t* to_contexts,
                  std::vector<uint32_t>* escapes) {
  const HeldSymbols& own = held(symbols);
  DeviceWork work(own.context(), "give symbols back");
  work.bring(to_symbols, own.symbols(), own.count);
  work.bring(to_contexts, own.contexts(), own.count);
  *escapes = own.escapes;
  return work.wait() && work.done();
}

}  // namespace firn
