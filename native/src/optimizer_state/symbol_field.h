// Signed numbers of a block, near 0 mostly: symbols of the context coder, with tables of the block's own before them.
#pragma once
#include <cstdint>
#include <vector>

#include "common/byte_reader.h"
#include "firn/state.h"

namespace firn {

// Appends the tables' length, the tables and the block. `contexts` and `numbers` have an element each of the layout's.
// Magnitudes are below 2^24.
void append_symbols(const StateLayout& layout, const std::vector<uint8_t>& contexts,
                    const std::vector<int32_t>& numbers, std::vector<uint8_t>* out);

// Reads to the end. Magnitudes of the numbers are below 2^24, else corrupt.
Status read_symbols(ByteReader in, const StateLayout& layout, const std::vector<uint8_t>& contexts,
                    std::vector<int32_t>* numbers);

inline constexpr int32_t kStateNumberMax = (1 << 24) - 1;

}  // namespace firn
