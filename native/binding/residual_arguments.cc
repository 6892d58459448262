#include "residual_arguments.h"

namespace firn::binding {
namespace {

constexpr size_t kStartArguments = 3, kLinkArguments = 4;

}  // namespace

ChainArguments ChainArguments::read(Arguments& args, size_t first) {
  ChainArguments chain;
  chain.previous_ = PreviousState::read(args, first);
  chain.origins_ = args.optional_int32_copy(first + 2);
  for (size_t at = first + kStartArguments; at + kLinkArguments <= args.count(); at += kLinkArguments) {
    chain.links_.push_back({args.handle<ContextTables>(at), args.bytes(at + 1), Segments::read(args, at + 2), args.uint32_copy(at + 3)});
  }
  return chain;
}

bool ChainArguments::valid() const {
  if (links_.empty() || !previous_.valid(count())) return false;
  if (!previous_.values.data && origins_.size() != links_.front().segments.list.size()) return false;
  for (const Link& link : links_) {
    if (!link.segments.valid() || link.slots.size() != link.segments.list.size()) return false;
  }
  return true;
}

}  // namespace firn::binding
