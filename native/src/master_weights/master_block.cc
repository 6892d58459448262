// A block of binary32 elements in three parts: what rounding cut of those near their 16-bit ones, the few that are not
// what these say, and the rest.
#include <algorithm>
#include <new>
#include <span>

#include "common/byte_reader.h"
#include "common/bytes.h"
#include "common/varint.h"
#include "firn/delta.h"
#include "firn/lossless.h"
#include "master_weights/master_rule.h"

namespace firn {
namespace {

bool is_valid(const MasterLayout& layout) {
  if (layout.count > kBlockElementsMax || layout.segment_count > kBlockElementsMax) return false;
  size_t count = 0;
  for (const MasterSegment& segment : std::span(layout.segments, layout.segment_count)) {
    if (segment.count > kBlockElementsMax || segment.kind > MasterKind::f16) return false;
    count += segment.count;
  }
  return count == layout.count;
}

// Calls `near(element, kind, bits)` or `far(element)` for every element in order.
template <typename Near, typename Far>
void for_each_element(const MasterLayout& layout, const void* reference, Near near, Far far) {
  const uint8_t* next = static_cast<const uint8_t*>(reference);
  size_t element = 0;
  for (const MasterSegment& segment : std::span(layout.segments, layout.segment_count)) {
    for (const size_t end = element + segment.count; element < end; ++element) {
      if (segment.kind == MasterKind::nothing) {
        far(element);
        continue;
      }
      const uint16_t bits = load_le<uint16_t>(next);
      next += 2;
      if (is_near(segment.kind, bits)) near(element, segment.kind, bits);
      else far(element);
    }
  }
}

size_t near_count(const MasterLayout& layout, const void* reference) {
  size_t count = 0;
  for_each_element(
      layout, reference, [&](size_t, MasterKind, uint16_t) { ++count; }, [](size_t) {});
  return count;
}

// An exact block that stands alone.
Status decode_alone(const uint8_t* bytes, size_t size, size_t count, ElementKind kind, void* out) {
  if (size > 0 && !exact_is_standalone(bytes, size)) return Status::corrupt;
  return exact_decode(bytes, size, nullptr, count, kind, out);
}

struct Exception {
  uint32_t near;  // which of the near elements
  uint32_t pattern;
};

Status read_exceptions(ByteReader& in, size_t near_elements, std::vector<Exception>* out) {
  uint32_t count = 0;
  if (const Status status = in.varint(&count); status != Status::ok) return status;
  if (count > near_elements) return Status::corrupt;
  uint64_t next = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t gap = 0;
    if (const Status status = in.varint(&gap); status != Status::ok) return status;
    const uint8_t* const pattern = in.take(4);
    if (!pattern) return Status::truncated;
    next += gap;
    if (next >= near_elements) return Status::corrupt;
    out->push_back({static_cast<uint32_t>(next), load_le<uint32_t>(pattern)});
    ++next;
  }
  return Status::ok;
}

}  // namespace

size_t master_reference_count(const MasterLayout& layout) {
  size_t count = 0;
  for (const MasterSegment& segment : std::span(layout.segments, layout.segment_count)) {
    if (segment.kind != MasterKind::nothing) count += segment.count;
  }
  return count;
}

Status master_encode(const void* values, const void* reference, const MasterLayout& layout,
                      std::vector<uint8_t>* out) try {
  if (!is_valid(layout)) return Status::invalid_argument;
  std::vector<uint8_t> rests, far;
  std::vector<uint8_t> exceptions;
  uint32_t near_elements = 0, exception_count = 0, after_last = 0;
  const auto pattern_of = [&](size_t element) {
    return load_le<uint32_t>(static_cast<const uint8_t*>(values) + 4 * element);
  };
  const auto append = [](std::vector<uint8_t>* to, auto word) {
    to->resize(to->size() + sizeof word);
    store_le(to->data() + to->size() - sizeof word, word);
  };
  for_each_element(
      layout, reference,
      [&](size_t element, MasterKind kind, uint16_t bits) {
        const uint32_t pattern = pattern_of(element), rest = pattern & ((1u << cut_bits(kind)) - 1);
        const bool fits = unrounded(kind, widened(kind, bits), rest) == pattern;
        append(&rests, static_cast<uint16_t>(fits ? rest : 0));
        if (!fits) {
          append_varint(near_elements - after_last, &exceptions);
          append(&exceptions, pattern);
          after_last = near_elements + 1;
          ++exception_count;
        }
        ++near_elements;
      },
      [&](size_t element) { append(&far, pattern_of(element)); });
  std::vector<uint8_t> payload{kMasterMode}, coded;
  append_varint(exception_count, &payload);
  payload.insert(payload.end(), exceptions.begin(), exceptions.end());
  if (const Status status = exact_encode(rests.data(), nullptr, near_elements, ElementKind::word16, &coded);
      status != Status::ok)
    return status;
  append_varint(static_cast<uint32_t>(coded.size()), &payload);
  payload.insert(payload.end(), coded.begin(), coded.end());
  if (const Status status = exact_encode(far.data(), nullptr, far.size() / 4, ElementKind::f32, &payload);
      status != Status::ok)
    return status;
  out->insert(out->end(), payload.begin(), payload.end());
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status master_decode(const uint8_t* bytes, size_t size, const void* reference, const MasterLayout& layout,
                      void* out) try {
  if (!is_valid(layout)) return Status::invalid_argument;
  if (size == 0) return Status::truncated;
  if (bytes[0] != kMasterMode) return Status::unsupported;
  ByteReader in(bytes + 1, size - 1);
  const size_t near_elements = near_count(layout, reference);
  std::vector<Exception> exceptions;
  if (const Status status = read_exceptions(in, near_elements, &exceptions); status != Status::ok) return status;
  uint32_t coded_size = 0;
  if (const Status status = in.varint(&coded_size); status != Status::ok) return status;
  const uint8_t* const coded = in.take(coded_size);
  if (!coded) return Status::truncated;
  std::vector<uint8_t> rests(2 * near_elements), far(4 * (layout.count - near_elements));
  if (const Status status = decode_alone(coded, coded_size, near_elements, ElementKind::word16, rests.data());
      status != Status::ok)
    return status;
  const size_t left = in.left();
  if (const Status status = decode_alone(in.take(left), left, far.size() / 4, ElementKind::f32, far.data());
      status != Status::ok)
    return status;
  uint8_t* const to = static_cast<uint8_t*>(out);
  size_t near = 0, far_element = 0;
  uint32_t beyond = 0;
  auto exception = exceptions.begin();
  for_each_element(
      layout, reference,
      [&](size_t element, MasterKind kind, uint16_t bits) {
        const uint32_t rest = load_le<uint16_t>(rests.data() + 2 * near);
        beyond |= rest >> cut_bits(kind);
        uint32_t pattern = unrounded(kind, widened(kind, bits), rest);
        if (exception != exceptions.end() && exception->near == near) pattern = exception++->pattern;
        store_le(to + 4 * element, pattern);
        ++near;
      },
      [&](size_t element) { store_le(to + 4 * element, load_le<uint32_t>(far.data() + 4 * far_element++)); });
  return beyond ? Status::corrupt : Status::ok;
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace firn
