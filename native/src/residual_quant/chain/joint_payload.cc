#include "residual_quant/chain/joint_payload.h"

#include <algorithm>
#include <cstring>

#include "common/byte_reader.h"
#include "context/blocks/element_kernels.h"

namespace firn {
namespace {

constexpr uint32_t kSymbolBits = 5;
constexpr uint8_t kNoSymbol = 0xFF;
static_assert(kContextSymbols == 1u << kSymbolBits && kLatticeEscape < kContextSymbols);
constexpr size_t kRowEntries = 64;  // entries of a row of ElementKernels::look_up
constexpr uint32_t kRowSixteens = kContextSymbols / 16;

// The escapes of all checkpoints: how many, then each.
Status read_escapes(ByteReader& in, std::vector<uint32_t>* escapes) {
  uint32_t count = 0;
  if (const Status status = in.varint(&count); status != Status::ok) return status;
  if (count > in.left()) return Status::truncated;
  escapes->resize(count);
  for (uint32_t& escape : *escapes) {
    if (const Status status = in.varint(&escape); status != Status::ok) return status;
  }
  return Status::ok;
}

// Joint symbol t as kSymbolBits a symbol, the first checkpoint's lowest.
uint32_t packed_symbols(const JointSymbols& joint, size_t t) {
  uint32_t packed = 0;
  for (uint32_t j = 0; j < joint.width; ++j)
    packed |= uint32_t{joint.symbols[j * joint.count + t]} << (kSymbolBits * j);
  return packed;
}

// An escape counts on through the listed joint symbols, and then through all that could be, in order of their packed
// form.
bool pack_outside(const JointSymbols& joint, uint32_t* escape) {
  const uint32_t listed = joint.count > kContextEscape ? static_cast<uint32_t>(joint.count - kContextEscape) : 0;
  if (*escape < listed) {
    *escape = packed_symbols(joint, kContextEscape + *escape);
    return true;
  }
  *escape -= listed;
  return *escape < 1u << (kSymbolBits * joint.width);
}

}  // namespace

bool valid_joint_symbols(const ResidualChain& chain) {
  for (size_t i = 0; i < chain.count; ++i) {
    const ResidualLink& link = chain.links[i];
    if (!link.joint.symbols) {
      if (link.position > 0) return false;
      continue;
    }
    if (link.joint.width < 2 || link.joint.width > kJointSymbolWidthMax || link.position >= link.joint.width)
      return false;
    if (link.position == 0) continue;
    if (i == 0) return false;
    const ResidualLink& before = chain.links[i - 1];
    if (before.position + 1 != link.position || before.joint.symbols != link.joint.symbols ||
        before.payload != link.payload)
      return false;
  }
  return true;
}

Status decode_joint_symbols(const ResidualLink& link, const ContextLayout& layout, BlockScratch* scratch) {
  ByteReader in(link.payload, link.payload_bytes);
  if (const Status status = read_escapes(in, &scratch->escapes); status != Status::ok) return status;
  const size_t left = in.left();
  if (const Status status = link.tables->decode(in.take(left), left, layout, scratch->joint_symbols, &scratch->outside);
      status != Status::ok)
    return status;
  scratch->outside_places.clear();
  const uint8_t* const end = scratch->joint_symbols + layout.count;
  const uint8_t* at = scratch->joint_symbols;
  for (uint32_t& symbol : scratch->outside) {
    if (!pack_outside(link.joint, &symbol)) return Status::corrupt;
    // There are as many as escapes: ContextTables::decode() has seen to that.
    at = static_cast<const uint8_t*>(std::memchr(at, kContextEscape, static_cast<size_t>(end - at)));
    scratch->outside_places.push_back(static_cast<uint32_t>(at++ - scratch->joint_symbols));
  }
  return Status::ok;
}

void take_symbols(const ResidualLink& link, size_t count, BlockScratch* scratch) {
  uint8_t row[kRowEntries];
  std::fill(std::begin(row), std::end(row), kNoSymbol);
  std::copy_n(link.joint.symbols + link.position * link.joint.count,
              std::min<size_t>(link.joint.count, kContextEscape), row);
  element_kernels().look_up(scratch->joint_symbols, count, row, kRowSixteens, scratch->symbols);
  for (size_t i = 0; i < scratch->outside.size(); ++i) {
    scratch->symbols[scratch->outside_places[i]] =
        scratch->outside[i] >> (kSymbolBits * link.position) & (kContextSymbols - 1);
  }
}

}  // namespace firn
