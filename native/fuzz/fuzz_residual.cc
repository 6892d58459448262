// Fuzz target: residual_state and residual_elements on a chain of hostile packages. Every instruction set must come to the state, and to the refusal,
// of the calls they stand for: contexts, decode, apply and values, link by link.
//
// Input: element count (u16 LE), percent of them in the first of two segments, origins of the two (i8 each, times 64), links - 1 (at most two); then
// for each link its step (u16), shift (u8), offset (i8), gain (u16), size of tables and of payload (u16 each); then tables and payloads in turn.
// What is missing is 0.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common/bytes.h"
#include "common/cpu_features.h"
#include "firn/residual.h"

namespace {

using namespace firn;
using Bytes = std::vector<uint8_t>;

constexpr size_t kLinksMax = 3;
constexpr uint32_t kSlots = 2;

void require(bool holds) {
  if (!holds) std::abort();
}

class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : at_(data), left_(size) {}
  template <typename T>
  T next() {
    const Bytes given = bytes(sizeof(T));
    uint8_t padded[sizeof(T)] = {};
    std::copy(given.begin(), given.end(), padded);
    return load_le<T>(padded);
  }
  Bytes bytes(size_t count) {
    const size_t given = std::min(count, left_);
    const Bytes result(at_, at_ + given);
    at_ += given;
    left_ -= given;
    return result;
  }

 private:
  const uint8_t* at_;
  size_t left_;
};

struct Link {
  std::vector<LatticeSegment> segments;
  size_t table_bytes, payload_bytes;
  ContextTables tables;
  Bytes payload;
};

struct Chain {
  std::vector<Link> links;
  std::vector<int32_t> origins;
  size_t count = 0;
};

constexpr uint32_t kSlotOf[] = {0, kSlots - 1};

// False when the tables of a link are none.
bool read_chain(Reader& in, Chain* chain) {
  chain->count = in.next<uint16_t>();
  const size_t first = chain->count * std::min<size_t>(in.next<uint8_t>(), 100) / 100;
  const int32_t origins[] = {in.next<int8_t>() * 64, in.next<int8_t>() * 64};
  std::vector<size_t> counts = {first, chain->count - first};
  if (std::count(counts.begin(), counts.end(), 0u) > 0) counts = {chain->count};
  if (chain->count == 0) return false;
  chain->origins.assign(origins, origins + counts.size());
  chain->links.resize(1 + in.next<uint8_t>() % kLinksMax);
  int32_t exponent = -10;
  for (Link& link : chain->links) {
    LatticeSegment s;
    s.step = std::max<int32_t>(1, in.next<uint16_t>());
    s.shift = in.next<uint8_t>() % (kLatticeShiftMax + 1);
    const int32_t offset = std::clamp<int32_t>(in.next<int8_t>(), 1 - s.step, s.step - 1);
    std::fill(std::begin(s.offsets), std::end(s.offsets), offset);
    s.gain = in.next<uint16_t>() % (kLatticeGainMax + 1);
    s.exponent = exponent -= s.shift;
    for (const size_t count : counts) {
      s.count = static_cast<uint32_t>(count);
      link.segments.push_back(s);
    }
    link.table_bytes = in.next<uint16_t>();
    link.payload_bytes = in.next<uint16_t>();
  }
  for (Link& link : chain->links) {
    const Bytes tables = in.bytes(link.table_bytes);
    link.payload = in.bytes(link.payload_bytes);
    if (ContextTables::parse(tables.data(), tables.size(), kSlots, &link.tables) != Status::ok) return false;
  }
  return true;
}

struct Outcome {
  Status status = Status::ok;
  std::vector<int32_t> values;
  Bytes activity;
  std::vector<float> elements;
  bool operator==(const Outcome&) const = default;
};

Outcome step_by_step(const Chain& chain) {
  Outcome out;
  size_t first = 0;
  for (size_t s = 0; s < chain.origins.size(); ++s) {
    first += chain.links[0].segments[s].count;
    out.values.resize(first, chain.origins[s]);
  }
  out.activity.assign(chain.count, 168);
  for (const Link& link : chain.links) {
    const LatticeSegments segments{link.segments.data(), link.segments.size()};
    const LatticeState before{out.values.data(), out.activity.data()};
    Bytes contexts(chain.count), symbols(chain.count), activity(chain.count);
    std::vector<uint32_t> escapes, counts;
    std::vector<int32_t> values(chain.count);
    for (const LatticeSegment& s : link.segments) counts.push_back(s.count);
    require(lattice_contexts(segments, before, contexts.data()) == Status::ok);
    const ContextLayout layout{contexts.data(), chain.count, counts.data(), kSlotOf, counts.size()};
    out.status = link.tables.decode(link.payload.data(), link.payload.size(), layout, symbols.data(), &escapes);
    if (out.status == Status::ok) out.status = lattice_apply(symbols.data(), escapes.data(), escapes.size(), segments, before, values.data(), activity.data());
    if (out.status != Status::ok) return {out.status, {}, {}, {}};
    if (&link == &chain.links.front()) std::fill(activity.begin(), activity.end(), uint8_t{168});
    out.values = values;
    out.activity = activity;
    out.elements.resize(chain.count);
    require(lattice_values(values.data(), segments, Dtype::f32, out.elements.data()) == Status::ok);
  }
  return out;
}

Outcome at_once(const Chain& chain) {
  std::vector<ResidualLink> links;
  for (const Link& link : chain.links) {
    links.push_back({&link.tables, link.payload.data(), link.payload.size(), {link.segments.data(), link.segments.size()}, kSlotOf});
  }
  const ResidualChain whole{links.data(), links.size(), {}, chain.origins.data()};
  Outcome out{Status::ok, std::vector<int32_t>(chain.count), Bytes(chain.count), std::vector<float>(chain.count)};
  out.status = residual_state(whole, out.values.data(), out.activity.data());
  require(residual_elements(whole, Dtype::f32, out.elements.data()) == out.status);
  return out.status == Status::ok ? out : Outcome{out.status, {}, {}, {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Reader in(data, size);
  Chain chain;
  if (!read_chain(in, &chain)) return 0;
  limit_isa(Isa::scalar);
  const Outcome expected = step_by_step(chain);
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    limit_isa(isa);
    require(at_once(chain) == expected);
  }
  limit_isa(Isa::avx512);
  return 0;
}
