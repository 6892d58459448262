#include "firn.h"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "firn/codebook_quant/assign.h"
#include "firn/bitmask.h"
#include "firn/buckets.h"
#include "firn/checksum.h"
#include "firn/context_coder.h"
#include "firn/delta.h"
#include "firn/lossless.h"
#include "firn/master_weights.h"
#include "firn/residual_quant/residual.h"
#include "firn/state.h"

struct firn_token_tables {
  firn::TokenTables tables;
};
struct firn_context_tables {
  firn::ContextTables tables;
};

namespace {

using firn::Status;

constexpr uint32_t kElementKinds = 8, kDtypes = 3, kStateEncodings = 4, kMasterKinds = 3;
// First byte of a block in buckets (docs/format-blocks.md, section 20).
constexpr uint8_t kBucketsWhole = 0, kBucketsDelta = 1;

constexpr firn::ElementKind kind_of(firn::Dtype dtype) {
  constexpr firn::ElementKind kinds[] = {firn::ElementKind::f32, firn::ElementKind::f16, firn::ElementKind::bf16};
  return kinds[static_cast<uint8_t>(dtype)];
}

// Runs a call; no exception leaves it.
template <typename Body>
int32_t guarded(Body body) noexcept {
  try {
    return static_cast<int32_t>(body());
  } catch (const std::bad_alloc&) {
    return FIRN_OUT_OF_MEMORY;
  } catch (...) {
    return FIRN_INTERNAL;
  }
}

const uint8_t* data_of(firn_bytes bytes) { return static_cast<const uint8_t*>(bytes.data); }

bool is_there(firn_bytes bytes) { return bytes.size == 0 || bytes.data != nullptr; }

// Bytes beside a block: none, or as many as the block has.
bool fits(firn_bytes beside, size_t out_size) {
  return beside.size == 0 || (beside.size == out_size && beside.data != nullptr);
}

// Whether a block of elements of `unit` bytes may be decoded into `out`. Every payload has a first byte.
bool is_block(firn_bytes payload, const void* out, size_t out_size, size_t unit) {
  return payload.data != nullptr && payload.size > 0 && out != nullptr && out_size % unit == 0 &&
         out_size / unit <= firn::kBlockElementsMax;
}

const void* or_null(firn_bytes beside) { return beside.size == 0 ? nullptr : beside.data; }

// The sum of the segments' elements, or nothing for one that no block can have.
template <typename Segment>
bool sums_to(const Segment* segments, size_t segment_count, size_t count) {
  if (segments == nullptr || segment_count == 0 || segment_count > firn::kBlockElementsMax) return false;
  size_t sum = 0;
  for (size_t i = 0; i < segment_count; i++) sum += segments[i].count;
  return sum == count;
}

// The links of a block as the core has them, and the memory they lie in: used again for the next block.
struct Links {
  std::vector<firn::LatticeSegment> segments;
  std::vector<firn::ResidualLink> chain;
};

// Whether one of two pointers that belong together is null without the other.
bool is_half(const void* a, const void* b) { return (a == nullptr) != (b == nullptr); }

bool is_aligned(const int32_t* values) { return reinterpret_cast<uintptr_t>(values) % alignof(int32_t) == 0; }

bool is_link(const firn_residual_link& link, const firn_residual_block& block, size_t unit) {
  if (link.tables == nullptr || link.slots == nullptr || !is_there(link.joint_symbols) ||
      !is_block(link.payload, block.out, block.out_size, unit) ||
      !sums_to(link.segments, link.segment_count, block.out_size / unit))
    return false;
  return link.joint_symbols.size == 0 ||
         (link.width >= 2 && link.width <= firn::kJointSymbolWidthMax && link.position < link.width &&
          link.joint_symbols.size % link.width == 0);
}

Status read_links(const firn_residual_block& block, size_t unit, Links* out) {
  out->segments.clear();
  out->chain.clear();
  for (size_t i = 0; i < block.link_count; i++) {
    const firn_residual_link& link = block.links[i];
    if (!is_link(link, block, unit)) return Status::invalid_argument;
    const bool joint = link.joint_symbols.size > 0;
    // The checkpoints of a merged package share their payload.
    if ((!joint || link.position == 0) && firn::crc32c(link.payload.data, link.payload.size, 0) != link.checksum)
      return Status::corrupt;
    for (size_t j = 0; j < link.segment_count; j++) {
      const firn_lattice_segment& s = link.segments[j];
      out->segments.push_back(
          {s.count, s.exponent, s.step, s.shift, {s.offsets[0], s.offsets[1], s.offsets[2]}, s.gain});
    }
    out->chain.push_back({&link.tables->tables, data_of(link.payload), link.payload.size, {nullptr, link.segment_count},
                          link.slots, {}, joint ? link.position : 0});
    if (joint) out->chain[i].joint = {data_of(link.joint_symbols), link.joint_symbols.size / link.width, link.width};
  }
  // Only now the segments stay where they are.
  const firn::LatticeSegment* at = out->segments.data();
  for (firn::ResidualLink& link : out->chain) {
    link.segments.data = at;
    at += link.segments.count;
  }
  return Status::ok;
}

Status decode_residual(const firn_residual_block& block, Links* links) {
  if (block.dtype >= kDtypes || block.links == nullptr || block.link_count == 0 || block.out == nullptr ||
      is_half(block.values, block.activity) || is_half(block.values_after, block.activity_after) ||
      !is_aligned(block.values) || !is_aligned(block.values_after) ||
      (block.values == nullptr && block.origins == nullptr))
    return Status::invalid_argument;
  const auto of = static_cast<firn::Dtype>(block.dtype);
  if (const Status status = read_links(block, firn::dtype_bytes(of), links); status != Status::ok) return status;
  const firn::ResidualChain chain{
      links->chain.data(), links->chain.size(), {block.values, block.activity}, block.origins};
  if (block.values_after == nullptr) return firn::residual_elements(chain, of, block.out);
  return firn::residual_block(chain, block.values_after, block.activity_after, of, block.out);
}

}  // namespace

uint32_t firn_abi(void) { return FIRN_ABI; }

const char* firn_status_text(int32_t status) { return firn::status_text(static_cast<Status>(status)); }

uint32_t firn_crc32c(const void* bytes, size_t size, uint32_t seed) { return firn::crc32c(bytes, size, seed); }

int32_t firn_exact_decode(firn_bytes payload, firn_bytes previous, uint32_t kind, void* out, size_t out_size) {
  return guarded([&] {
    if (kind >= kElementKinds) return Status::invalid_argument;
    const auto of = static_cast<firn::ElementKind>(kind);
    const size_t unit = firn::element_bytes(of);
    if (!is_block(payload, out, out_size, unit) || !fits(previous, out_size)) return Status::invalid_argument;
    return firn::exact_decode(data_of(payload), payload.size, or_null(previous), out_size / unit, of, out);
  });
}

int32_t firn_bitmask_decode(firn_bytes payload, firn_bytes previous, uint32_t kind, void* out, size_t out_size) {
  return guarded([&] {
    if (kind >= kElementKinds) return Status::invalid_argument;
    const auto of = static_cast<firn::ElementKind>(kind);
    const size_t unit = firn::element_bytes(of);
    if (!is_block(payload, out, out_size, unit) || !fits(previous, out_size)) return Status::invalid_argument;
    return firn::bitmask_decode(data_of(payload), payload.size, or_null(previous), out_size / unit, of, out);
  });
}

int32_t firn_bucket_decode(firn_bytes payload, firn_bytes previous, uint32_t dtype, void* out, size_t out_size) {
  return guarded([&] {
    if (dtype >= kDtypes) return Status::invalid_argument;
    const auto of = static_cast<firn::Dtype>(dtype);
    const size_t unit = firn::dtype_bytes(of);
    if (!is_block(payload, out, out_size, unit) || !fits(previous, out_size)) return Status::invalid_argument;
    const uint8_t mode = *data_of(payload), *const body = data_of(payload) + 1;
    const size_t body_size = payload.size - 1;
    if (mode == kBucketsWhole) {
      if (body_size == 0 || !firn::exact_is_standalone(body, body_size)) return Status::corrupt;
      return firn::exact_decode(body, body_size, nullptr, out_size / unit, kind_of(of), out);
    }
    if (mode != kBucketsDelta || previous.size == 0) return Status::corrupt;
    return firn::bucket_decode(body, body_size, {previous.data, of, out_size / unit}, out);
  });
}

int32_t firn_merged_bucket_decode(firn_bytes payload, firn_bytes previous, uint32_t dtype, uint32_t width,
                                  uint32_t position, void* out, size_t out_size) {
  return guarded([&] {
    if (dtype >= kDtypes || width < firn::kMergedBucketsMin || width > firn::kMergedBucketsMax || position >= width)
      return Status::invalid_argument;
    const auto of = static_cast<firn::Dtype>(dtype);
    const size_t unit = firn::dtype_bytes(of);
    if (!is_block(payload, out, out_size, unit) || previous.size != out_size || previous.data == nullptr)
      return Status::invalid_argument;
    return firn::merged_bucket_decode(data_of(payload), payload.size, {width, position},
                                      {previous.data, of, out_size / unit}, out);
  });
}

int32_t firn_state_decode(uint32_t encoding, firn_bytes payload, firn_bytes reference,
                          const firn_state_segment* segments, size_t segment_count, void* out, size_t out_size) {
  return guarded([&] {
    const size_t count = out_size / sizeof(float);
    if (encoding >= kStateEncodings || !is_block(payload, out, out_size, sizeof(float)) || !fits(reference, out_size) ||
        !sums_to(segments, segment_count, count))
      return Status::invalid_argument;
    std::vector<firn::StateSegment> runs(segment_count);
    for (size_t i = 0; i < segment_count; i++)
      runs[i] = {segments[i].count, segments[i].columns, segments[i].column};
    return firn::state_decode(static_cast<firn::StateKind>(encoding), data_of(payload), payload.size,
                              or_null(reference), {runs.data(), runs.size(), count}, out);
  });
}

int32_t firn_master_decode(firn_bytes payload, firn_bytes reference, const firn_master_segment* segments,
                           size_t segment_count, void* out, size_t out_size) {
  return guarded([&] {
    const size_t count = out_size / sizeof(float);
    if (!is_block(payload, out, out_size, sizeof(float)) || !is_there(reference) ||
        !sums_to(segments, segment_count, count))
      return Status::invalid_argument;
    std::vector<firn::MasterSegment> runs(segment_count);
    for (size_t i = 0; i < segment_count; i++) {
      if (segments[i].kind >= kMasterKinds) return Status::invalid_argument;
      runs[i] = {segments[i].count, static_cast<firn::MasterKind>(segments[i].kind)};
    }
    const firn::MasterLayout layout{runs.data(), runs.size(), count};
    if (firn::master_reference_count(layout) * sizeof(uint16_t) != reference.size) return Status::invalid_argument;
    return firn::master_decode(data_of(payload), payload.size, reference.data, layout, out);
  });
}

int32_t firn_token_tables_parse(firn_bytes stored, firn_token_tables** out) {
  return guarded([&] {
    if (out == nullptr || !is_there(stored)) return Status::invalid_argument;
    auto parsed = std::make_unique<firn_token_tables>();
    const Status status = firn::TokenTables::parse(data_of(stored), stored.size, &parsed->tables);
    if (status == Status::ok) *out = parsed.release();
    return status;
  });
}

void firn_token_tables_free(firn_token_tables* tables) { delete tables; }

int32_t firn_levels_decode(const firn_token_tables* tables, firn_bytes stream, firn_bytes previous, uint32_t modulus,
                           uint8_t* levels, size_t count) {
  return guarded([&] {
    if (tables == nullptr || levels == nullptr || count > firn::kBlockElementsMax || modulus < 1 || modulus > 256 ||
        !is_there(stream) || !fits(previous, count))
      return Status::invalid_argument;
    const uint8_t* const before = static_cast<const uint8_t*>(or_null(previous));
    // A level of the ancestor may be above every level here, never above the modulus.
    for (size_t i = 0; before != nullptr && i < count; i++)
      if (before[i] >= modulus) return Status::invalid_argument;
    return tables->tables.decode(data_of(stream), stream.size, before, count, modulus, levels);
  });
}

int32_t firn_levels_to_elements(firn_bytes levels, uint32_t dtype, firn_bytes table, int32_t protected_level,
                                firn_bytes words, void* out, size_t out_size) {
  return guarded([&] {
    if (dtype >= kDtypes) return Status::invalid_argument;
    const auto of = static_cast<firn::Dtype>(dtype);
    const size_t unit = firn::dtype_bytes(of), level_count = table.size / unit;
    if (levels.data == nullptr || out == nullptr || levels.size > firn::kBlockElementsMax ||
        out_size != levels.size * unit || table.size % unit != 0 || level_count < 1 ||
        level_count > firn::kLevelsMax || !is_there(words) || words.size % sizeof(uint16_t) != 0)
      return Status::invalid_argument;
    // The core looks levels up in 256 entries, and reads words aligned.
    std::vector<uint8_t> entries(firn::kLevelsMax * unit);
    std::copy_n(data_of(table), table.size, entries.data());
    std::vector<uint16_t> aligned(words.size / sizeof(uint16_t));
    std::copy_n(data_of(words), words.size, reinterpret_cast<uint8_t*>(aligned.data()));
    return firn::dequantize(data_of(levels), levels.size, of, entries.data(), static_cast<uint32_t>(level_count),
                            protected_level, aligned.data(), aligned.size(), out);
  });
}

int32_t firn_context_tables_parse(firn_bytes stored, uint32_t slots, firn_context_tables** out) {
  return guarded([&] {
    if (out == nullptr || !is_there(stored)) return Status::invalid_argument;
    auto parsed = std::make_unique<firn_context_tables>();
    const Status status = firn::ContextTables::parse(data_of(stored), stored.size, slots, &parsed->tables);
    if (status == Status::ok) *out = parsed.release();
    return status;
  });
}

void firn_context_tables_free(firn_context_tables* tables) { delete tables; }

int32_t firn_residual_decode(const firn_residual_block* blocks, size_t block_count) {
  return guarded([&] {
    if (blocks == nullptr && block_count > 0) return Status::invalid_argument;
    Links links;
    for (size_t i = 0; i < block_count; i++) {
      if (const Status status = decode_residual(blocks[i], &links); status != Status::ok) return status;
    }
    return Status::ok;
  });
}
