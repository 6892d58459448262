// Length-limited Huffman codes in canonical form, for alphabets of up to a few hundred thousand symbols.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace firn {

// Optimal code lengths of at most `length_max` bits for symbols 0..n-1 with these counts (all >= 1). One symbol gets
// length 0. Among symbols of equal count the lower index never gets the longer code, so that equal counts give runs of
// equal lengths. Requires n <= 2^length_max. Ties are broken by index: same counts, same lengths, everywhere.
std::vector<uint8_t> huffman_lengths(const std::vector<uint64_t>& counts, uint32_t length_max);

// True when the lengths form a complete prefix code: one symbol of length 0, or all lengths in 1..length_max and their
// Kraft sum exactly 1.
bool huffman_is_complete(const std::vector<uint8_t>& lengths, uint32_t length_max);

// Canonical codes: symbols in order of (length, index), codes counting up from 0, most significant bit first.
std::vector<uint32_t> huffman_codes(const std::vector<uint8_t>& lengths);

}  // namespace firn
