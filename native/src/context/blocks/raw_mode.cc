#include "common/bit_reader.h"
#include "common/bit_writer.h"
#include "context/blocks/block_modes.h"

namespace firn {
namespace {

constexpr uint32_t kRawBits = 5;
static_assert(kContextSymbols == 1u << kRawBits);

}  // namespace

void encode_raw(const uint8_t* symbols, size_t count, std::vector<uint8_t>* out) {
  std::vector<uint8_t> bits((count * kRawBits + 7) / 8 + BitWriter::kSlackBytes);
  BitWriter writer(bits.data());
  for (size_t i = 0; i < count; ++i) writer.put(symbols[i], kRawBits);
  bits.resize(writer.finish());
  out->insert(out->end(), bits.begin(), bits.end());
}

Status decode_raw(const uint8_t* bytes, size_t size, size_t count, uint8_t* symbols) {
  if (size < (count * kRawBits + 7) / 8) return Status::truncated;
  BitReader reader(bytes, size);
  for (size_t i = 0; i < count; ++i) symbols[i] = static_cast<uint8_t>(reader.take(kRawBits));
  return reader.at_zero_padded_end() ? Status::ok : Status::corrupt;
}

}  // namespace firn
