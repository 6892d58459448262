// Fuzz target: residual_state, residual_elements and residual_block on a chain of hostile packages. Every instruction
// set must give the same state, or the same refusal, as the separate calls, link by link: contexts, decode, apply and
// values.
//
// Input: element count (u16 LE), percent of them in the first of two segments, origins of the two (i8 each, times 64),
// links - 1 (at most two); then for each link its step (u16), shift (u8), offset (i8), gain (u16), size of tables and
// of payload (u16 each); then tables and payloads in turn. If the top bit of the number of links is set, the last
// payload holds joint symbols of several checkpoints. Then the links' parameters are followed by their number less two
// (u8, at most two), the number of wanted ones less one (u8), listed joint symbols less one (u8), their symbols, and
// the steps, shifts, offsets and gains of the wanted checkpoints after the first. Missing input is 0.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/bytes.h"
#include "firn/residual_quant/residual.h"
#include "input_reader.h"
#include "simd/each_isa.h"

namespace {

using namespace firn;
using Bytes = std::vector<uint8_t>;

constexpr size_t kLinksMax = 3;
constexpr uint32_t kSlots = 2;

struct Link {
  std::vector<LatticeSegment> segments;
  size_t table_bytes, payload_bytes;
  ContextTables tables;
  Bytes payload;
  // For a payload of several checkpoints: joint symbols and width, and the segments of the wanted checkpoints after
  // the first.
  Bytes joint_symbols;
  uint32_t width = 1;
  std::vector<std::vector<LatticeSegment>> later;

  size_t listed_count() const { return joint_symbols.size() / width; }
};

struct Chain {
  std::vector<Link> links;
  std::vector<int32_t> origins;
  size_t count = 0;
};

constexpr uint32_t kSlotOf[] = {0, kSlots - 1};

// False when the tables of a link are none.
bool read_chain(InputReader& in, Chain* chain) {
  chain->count = in.next<uint16_t>();
  const size_t first = chain->count * std::min<size_t>(in.next<uint8_t>(), 100) / 100;
  const int32_t origins[] = {in.next<int8_t>() * 64, in.next<int8_t>() * 64};
  std::vector<size_t> counts = {first, chain->count - first};
  if (std::count(counts.begin(), counts.end(), 0u) > 0) counts = {chain->count};
  if (chain->count == 0) return false;
  chain->origins.assign(origins, origins + counts.size());
  const uint8_t links = in.next<uint8_t>();
  chain->links.resize(1 + (links & 0x7F) % kLinksMax);
  int32_t exponent = -10;
  const auto read_segments = [&] {
    LatticeSegment s;
    s.step = std::max<int32_t>(1, in.next<uint16_t>());
    s.shift = in.next<uint8_t>() % (kLatticeShiftMax + 1);
    const int32_t offset = std::clamp<int32_t>(in.next<int8_t>(), 1 - s.step, s.step - 1);
    std::fill(std::begin(s.offsets), std::end(s.offsets), offset);
    s.gain = in.next<uint16_t>() % (kLatticeGainMax + 1);
    s.exponent = exponent -= s.shift;
    std::vector<LatticeSegment> segments;
    for (const size_t count : counts) {
      s.count = static_cast<uint32_t>(count);
      segments.push_back(s);
    }
    return segments;
  };
  for (Link& link : chain->links) {
    link.segments = read_segments();
    link.table_bytes = in.next<uint16_t>();
    link.payload_bytes = in.next<uint16_t>();
  }
  if (links & 0x80) {
    Link& last = chain->links.back();
    last.width = 2 + in.next<uint8_t>() % (kJointSymbolWidthMax - 1);
    const uint32_t wanted = 1 + in.next<uint8_t>() % last.width;
    last.joint_symbols = in.bytes(last.width * (size_t{1} + in.next<uint8_t>()));
    last.joint_symbols.resize(std::max<size_t>(1, last.joint_symbols.size() / last.width) * last.width);
    for (uint8_t& symbol : last.joint_symbols) symbol %= kContextSymbols;
    for (uint32_t j = 1; j < wanted; ++j) last.later.push_back(read_segments());
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

// The symbols of every checkpoint of a payload, one after another, and all their escapes: the format as it is written
// down.
Status decode_joint_symbols(const Link& link, const ContextLayout& layout, std::vector<Bytes>* symbols,
                     std::vector<uint32_t>* escapes) {
  const uint8_t* at = link.payload.data();
  size_t left = link.payload.size();
  const auto varint = [&](uint32_t* value) {
    uint64_t sum = 0;
    for (uint32_t shift = 0;; shift += 7) {
      if (left == 0) return Status::truncated;
      const uint8_t byte = *at++;
      --left;
      sum |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (shift == 28 && byte > 15) return Status::corrupt;
      if (byte & 0x80) continue;
      if (shift > 0 && byte == 0) return Status::corrupt;
      *value = static_cast<uint32_t>(sum);
      return Status::ok;
    }
  };
  uint32_t count = 0;
  if (const Status status = varint(&count); status != Status::ok) return status;
  if (count > left) return Status::truncated;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t escape = 0;
    if (const Status status = varint(&escape); status != Status::ok) return status;
    escapes->push_back(escape);
  }
  Bytes numbers(layout.count);
  std::vector<uint32_t> told;
  if (const Status status = link.tables.decode(at, left, layout, numbers.data(), &told); status != Status::ok)
    return status;
  const size_t listed = link.listed_count();
  symbols->assign(link.width, Bytes(layout.count));
  size_t next = 0;
  for (size_t i = 0; i < layout.count; ++i) {
    size_t number = numbers[i];
    if (number == kContextEscape) number += told[next++];
    for (uint32_t j = 0; j < link.width; ++j) {
      uint8_t& symbol = (*symbols)[j][i];
      if (number < listed) {
        symbol = link.joint_symbols[j * listed + number];
      } else if (numbers[i] < kContextEscape) {
        symbol = 0xFF;
      } else {
        const size_t packed = number - kContextEscape - (listed > kContextEscape ? listed - kContextEscape : 0);
        if (packed >= size_t{1} << (5 * link.width)) return Status::corrupt;
        symbol = packed >> (5 * j) & 31;
      }
    }
  }
  return Status::ok;
}

Outcome step_by_step(const Chain& chain) {
  Outcome out;
  size_t first = 0;
  for (size_t s = 0; s < chain.origins.size(); ++s) {
    first += chain.links[0].segments[s].count;
    out.values.resize(first, chain.origins[s]);
  }
  out.activity.assign(chain.count, 168);
  bool start = true;
  for (const Link& link : chain.links) {
    const LatticeState first{out.values.data(), out.activity.data()};
    Bytes contexts(chain.count);
    std::vector<uint32_t> escapes, counts;
    for (const LatticeSegment& s : link.segments) counts.push_back(s.count);
    require(lattice_contexts({link.segments.data(), link.segments.size()}, first, contexts.data()) == Status::ok);
    const ContextLayout layout{contexts.data(), chain.count, counts.data(), kSlotOf, counts.size()};
    std::vector<Bytes> symbols(1, Bytes(chain.count));
    out.status = link.joint_symbols.empty()
                     ? link.tables.decode(link.payload.data(), link.payload.size(), layout, symbols[0].data(), &escapes)
                     : decode_joint_symbols(link, layout, &symbols, &escapes);
    if (out.status != Status::ok) return {out.status, {}, {}, {}};
    std::vector<std::vector<LatticeSegment>> checkpoints = {link.segments};
    checkpoints.insert(checkpoints.end(), link.later.begin(), link.later.end());
    size_t taken = 0;
    for (size_t j = 0; j < checkpoints.size(); ++j) {
      const LatticeSegments segments{checkpoints[j].data(), checkpoints[j].size()};
      const LatticeState before{out.values.data(), out.activity.data()};
      std::vector<int32_t> values(chain.count);
      Bytes activity(chain.count);
      const auto needed = static_cast<size_t>(std::count(symbols[j].begin(), symbols[j].end(), kLatticeEscape));
      const bool last = j + 1 == symbols.size();
      if (taken + needed > escapes.size() || (last && taken + needed < escapes.size()))
        return {Status::corrupt, {}, {}, {}};
      out.status = lattice_apply(symbols[j].data(), escapes.data() + taken, needed, segments, before, values.data(),
                                 activity.data());
      if (out.status != Status::ok) return {out.status, {}, {}, {}};
      taken += needed;
      if (start) std::fill(activity.begin(), activity.end(), uint8_t{168});
      start = false;
      out.values = values;
      out.activity = activity;
      out.elements.resize(chain.count);
      require(lattice_values(values.data(), segments, Dtype::f32, out.elements.data()) == Status::ok);
    }
  }
  return out;
}

Outcome at_once(const Chain& chain) {
  std::vector<ResidualLink> links;
  for (const Link& link : chain.links) {
    ResidualLink part{
        &link.tables, link.payload.data(), link.payload.size(), {link.segments.data(), link.segments.size()}, kSlotOf};
    if (!link.joint_symbols.empty()) part.joint = {link.joint_symbols.data(), link.listed_count(), link.width};
    links.push_back(part);
    for (const auto& segments : link.later) {
      part.segments = {segments.data(), segments.size()};
      ++part.position;
      links.push_back(part);
    }
  }
  const ResidualChain whole{links.data(), links.size(), {}, chain.origins.data()};
  Outcome out{Status::ok, std::vector<int32_t>(chain.count), Bytes(chain.count), std::vector<float>(chain.count)};
  out.status = residual_state(whole, out.values.data(), out.activity.data());
  require(residual_elements(whole, Dtype::f32, out.elements.data()) == out.status);
  Outcome both{Status::ok, std::vector<int32_t>(chain.count), Bytes(chain.count), std::vector<float>(chain.count)};
  both.status = residual_block(whole, both.values.data(), both.activity.data(), Dtype::f32, both.elements.data());
  require(both.status == out.status && (both.status != Status::ok || both == out));
  return out.status == Status::ok ? out : Outcome{out.status, {}, {}, {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  InputReader in(data, size);
  Chain chain;
  if (!read_chain(in, &chain)) return 0;
  limit_isa(Isa::scalar);
  const Outcome expected = step_by_step(chain);
  for_each_isa([&] { require(at_once(chain) == expected); });
  return 0;
}
