#include "binding/arguments/residual_arguments.h"

namespace firn::binding {
namespace {

constexpr size_t kStartArguments = 3, kLinkArguments = 7;

// A block whose state only a device knows has one.
bool has_previous(const ResidualChain& chain) {
  return chain.count > 0 || chain.previous.values || !chain.origins;
}

}  // namespace

ChainArguments ChainArguments::read(Arguments& args, size_t first) {
  ChainArguments chain;
  chain.previous_ = PreviousState::read(args, first);
  chain.origins_ = args.optional_int32_copy(first + 2);
  for (size_t at = first + kStartArguments; at + kLinkArguments <= args.count(); at += kLinkArguments) {
    const auto small = [&](size_t i) { return static_cast<uint32_t>(args.integer(i, 0, kJointSymbolWidthMax)); };
    chain.links_.push_back({args.handle<ContextTables>(at), args.bytes(at + 1), Segments::read(args, at + 2),
                            args.uint32_copy(at + 3), args.optional_bytes(at + 4), small(at + 5), small(at + 6)});
  }
  return chain;
}

bool ChainArguments::valid(const Segments& segments) const {
  if (!segments.valid() || !previous_.valid(segments.count)) return false;
  if (!previous_.values.data && origins_.size() != segments.list.size()) return false;
  for (const Link& link : links_) {
    if (!link.segments.valid() || link.segments.count != segments.count ||
        link.slots.size() != link.segments.list.size())
      return false;
    if (link.symbols.data && (link.width == 0 || link.symbols.count % link.width != 0)) return false;
  }
  return true;
}

CodedBlock CodedBlock::read(Arguments& args, size_t first) {
  CodedBlock block;
  block.pair = {args.optional_bytes(first), args.dtype(first + 1), args.optional_bytes(first + 2),
                args.dtype(first + 3)};
  block.gradient_scales = args.optional_floats(first + 4);
  block.targets = args.optional_bytes(first + 5);
  block.rounding = RoundingArguments::read(args, first + 6);
  first += RoundingArguments::kCount;
  block.dead_zone = static_cast<uint32_t>(args.integer(first + 6, 0, kLatticeDeadZoneMax));
  block.prices = args.optional_bytes(first + 7);
  block.weights_name = args.text(first + 8);
  block.state_name = args.text(first + 9);
  block.left_name = args.text(first + 10);
  block.starts = args.integer(first + 11, 0, 1) == 1;
  block.segments = Segments::read(args, first + 12);
  for (const LatticeSegment& segment : block.segments.list) block.counts.push_back(segment.count);
  block.slots = args.uint32_copy(first + 13);
  block.chain = ChainArguments::read(args, first + 14);
  return block;
}

bool CodedBlock::valid() const {
  const size_t count = segments.count, segment_count = segments.list.size();
  const bool scaled = gradient_scales.data ? gradient_scales.count == segment_count : !pair.gradients.data;
  const bool known = only_on_device() ? !pair.gradients.data && !weights_name.empty()
                                      : pair.valid() && pair.count() == count;
  const bool begins = (only_on_device() && chain.left_out() && segments.valid()) || chain.valid(segments);
  return scaled && known && begins && slots.size() == segment_count &&
         (!targets.data || targets.count == count * sizeof(float)) && rounding.valid() &&
         (!rounding.factor.data || (segment_count == 1 && !targets.data)) &&
         (!prices.data || prices.count == kLatticeRates);
}

Status CodedBlock::quantize(const ResidualChain& before, ResidualCoding& coding,
                            std::vector<LatticeStatistics>& statistics) const {
  if (only_on_device()) return Status::gone;
  if (const Status status = coding.begin(before, segments.view()); status != Status::ok) return status;
  statistics.resize(segments.list.size());
  const LatticeHysteresis hysteresis(dead_zone, prices.data);
  if (rounding.factor.data) {
    std::vector<float> rounded(segments.count);
    Gptq gptq = rounding.gptq;
    const LatticeState state = coding.state();
    // A base has no rates: there is no previous value to stay at.
    if (state.values && has_previous(before)) gptq.hysteresis.rates = prices.data;
    const Status status =
        lattice_targets(pair.weights.data, pair.weight_dtype, segments.list[0], state, gptq, rounded.data());
    return status == Status::ok ? coding.quantize(rounded.data(), Dtype::f32, hysteresis, statistics.data()) : status;
  }
  return targets.data ? coding.quantize(targets.data, Dtype::f32, hysteresis, statistics.data())
                      : coding.quantize(pair.weights.data, pair.weight_dtype, hysteresis, statistics.data());
}

DeviceBlock CodedBlock::for_device(const ResidualChain& before, DeviceRounding* to_round) const {
  if (rounding.factor.data) {
    *to_round = {rounding.factor_name, rounding.gptq};
    if (has_previous(before)) to_round->gptq.hysteresis.rates = prices.data;
  }
  return {weights_name,
          pair.weights.data,
          pair.weight_dtype,
          pair.gradients.data,
          pair.gradient_dtype,
          gradient_scales.data,
          reinterpret_cast<const float*>(targets.data),
          rounding.factor.data ? to_round : nullptr,
          {dead_zone, prices.data},
          segments.view(),
          state_name,
          before};
}

}  // namespace firn::binding
