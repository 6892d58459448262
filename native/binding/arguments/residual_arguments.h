// A block's chain of packages, as the arguments of a call.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "binding/arguments/context_handles.h"
#include "binding/arguments/lattice_arguments.h"
#include "binding/arguments/weight_pair.h"
#include "binding/arguments/rounding_arguments.h"
#include "firn/residual_quant/residual.h"

namespace firn::binding {

// Arguments `first`..: the values, activity and origins the block starts from, of which one or the other is undefined;
// then for each link, oldest first, its tables, payload, segments, slots, joint symbols, their width and its position,
// up to the last argument.
class ChainArguments {
 public:
  static ChainArguments read(Arguments& args, size_t first);

  // Whether origins and states fit a block of these segments; does not check anything that the core itself refuses.
  bool valid(const Segments& segments) const;
  // Whether nothing was given, so that only a device can know the state.
  bool left_out() const { return links_.empty() && !previous_.values.data && origins_.empty(); }
  // The same for a block that ends with the last link, of which there must be one.
  bool valid() const { return !links_.empty() && valid(links_.front().segments); }
  // Elements of that block; 0 if there are no links.
  size_t count() const { return links_.empty() ? 0 : links_.front().segments.count; }

  // Calls use(chain); the chain's memory is valid only during the call.
  template <typename Use>
  Status with_chain(Use use) const {
    std::vector<ResidualLink> links;
    for (const Link& link : links_) {
      links.push_back({link.tables.get(), link.payload.data, link.payload.count, link.segments.view(),
                       link.slots.data(), link.joint_symbols(), link.position});
    }
    return use(ResidualChain{links.data(), links.size(), previous_.view(),
                             origins_.empty() ? nullptr : origins_.data()});
  }

 private:
  struct Link {
    std::shared_ptr<const ContextTables> tables;
    InputBytes payload;
    Segments segments;
    std::vector<uint32_t> slots;  // copied like the segments
    InputBytes symbols;           // data is null for a payload of one checkpoint
    uint32_t width, position;

    JointSymbols joint_symbols() const {
      return symbols.data ? JointSymbols{symbols.data, symbols.count / width, width} : JointSymbols{};
    }
  };
  PreviousState previous_;
  std::vector<int32_t> origins_;
  std::vector<Link> links_;
};

// A block to be coded, as the arguments of a call: its weights with their gradients (four arguments), scales of the
// gradients, targets, how its one segment is rounded along the inputs (nine arguments), dead zone and prices, the names
// on a device of its weights, of its state, and of the state that it leaves behind, whether it starts at its origins,
// then its segments, slots and chain.
// Without weights it is only what a device holds under those names, and may be without a chain.
struct CodedBlock {
  WeightPair pair;
  Input<float> gradient_scales;  // data is null without gradients
  InputBytes targets;            // binary32; data is null if the weights themselves are the targets
  RoundingArguments rounding;
  uint32_t dead_zone;
  InputBytes prices;  // data is null if every move has the same price
  std::string weights_name, state_name, left_name;
  bool starts;  // at its origins, whether these come as such or as a state
  Segments segments;
  std::vector<uint32_t> counts;  // elements of each segment
  std::vector<uint32_t> slots;
  ChainArguments chain;

  // Arguments `first`.. to the last one.
  static CodedBlock read(Arguments& args, size_t first);
  bool valid() const;
  // Whether the processor can do nothing about it.
  bool only_on_device() const { return !pair.weights.data; }
  // Quantizes behind the chain; gone without weights.
  Status quantize(const ResidualChain& before, ResidualCoding& coding,
                  std::vector<LatticeStatistics>& statistics) const;
  // The same block for a device. `to_round` is written if there is something to round.
  DeviceBlock for_device(const ResidualChain& before, DeviceRounding* to_round) const;
  DeviceSlots device_slots() const { return {counts.data(), slots.data(), counts.size()}; }
  // The state that it leaves behind; to be held only if it has a name.
  DeviceNextState left_state() const { return {left_name, state_name, starts, segments.view()}; }
};

}  // namespace firn::binding
