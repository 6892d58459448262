/* The decoding half of the core as a plain C interface, for bindings that load a shared library (clients/python).
 *
 * A call returns a status: 0, or the number of what is wrong (firn_status_text). No exception leaves a call, nothing is
 * printed, and nothing is kept but what a *_parse call made. Outputs are the caller's, of exactly the size that a call
 * says; a wrong size is FIRN_INVALID_ARGUMENT and nothing is written. After another failure the output may hold
 * anything. Payloads may be hostile. Numbers in arrays are in the machine's own order; elements are little-endian, of
 * any alignment. Calls may run on any number of threads at once. */
#ifndef FIRN_H
#define FIRN_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define FIRN_API __declspec(dllexport)
#else
#define FIRN_API __attribute__((visibility("default")))
#endif

/* Grows when a call changes; a binding that was written for another number must not use the library. */
#define FIRN_ABI 2
FIRN_API uint32_t firn_abi(void);

/* Statuses. The numbers never change. */
enum {
  FIRN_OK = 0,
  FIRN_CORRUPT = 1,          /* bytes that no encoder writes */
  FIRN_TRUNCATED = 2,        /* input ends before its content */
  FIRN_INVALID_ARGUMENT = 3, /* a size or number out of its range */
  FIRN_OUT_OF_MEMORY = 4,
  FIRN_UNSUPPORTED = 5, /* a mode that this library does not know */
  FIRN_INTERNAL = 6     /* a bug of the library */
};
/* One English sentence without a full stop; never null. */
FIRN_API const char* firn_status_text(int32_t status);

/* CRC-32C of `size` bytes; `seed` is the checksum of those before, 0 at first. */
FIRN_API uint32_t firn_crc32c(const void* bytes, size_t size, uint32_t seed);

/* Element kinds of exact blocks: 0 bytes, 1 f16, 2 bf16, 3 f32, 4 f64, 5 to 7 integers of 16, 32 and 64 bits.
 * Dtypes of weights: 0 f32, 1 f16, 2 bf16. */

/* A span of bytes; `data` may be null if `size` is 0. */
typedef struct {
  const void* data;
  size_t size;
} firn_bytes;

/* Decodes a block. `previous`: the elements the payload goes on from, empty without any; `out` has `out_size` bytes, as
 * many as its elements take. */
FIRN_API int32_t firn_exact_decode(firn_bytes payload, firn_bytes previous, uint32_t kind, void* out, size_t out_size);
FIRN_API int32_t firn_bitmask_decode(firn_bytes payload, firn_bytes previous, uint32_t kind, void* out,
                                     size_t out_size);
FIRN_API int32_t firn_bucket_decode(firn_bytes payload, firn_bytes previous, uint32_t dtype, void* out,
                                    size_t out_size);
/* Checkpoint number `position` of the `width` of a merged package. */
FIRN_API int32_t firn_merged_bucket_decode(firn_bytes payload, firn_bytes previous, uint32_t dtype, uint32_t width,
                                           uint32_t position, void* out, size_t out_size);

/* A run of one tensor's elements: rows of `columns` elements, or one row (`columns` 0); `column` of the first. */
typedef struct {
  uint32_t count, columns, column;
} firn_state_segment;
/* Optimizer state of encoding 0 to 3 (docs/format.md). `reference`: the block's reference, or empty. */
FIRN_API int32_t firn_state_decode(uint32_t encoding, firn_bytes payload, firn_bytes reference,
                                   const firn_state_segment* segments, size_t segment_count, void* out,
                                   size_t out_size);

/* A run of master weights; its reference is 0 nothing, 1 bf16, 2 f16. */
typedef struct {
  uint32_t count, kind;
} firn_master_segment;
/* `reference`: the 16-bit elements of the segments that have some, one after another. */
FIRN_API int32_t firn_master_decode(firn_bytes payload, firn_bytes reference, const firn_master_segment* segments,
                                    size_t segment_count, void* out, size_t out_size);

/* Codes of levels, parsed once and used by any number of threads; free them when no call uses them. */
typedef struct firn_token_tables firn_token_tables;
FIRN_API int32_t firn_token_tables_parse(firn_bytes stored, firn_token_tables** out);
FIRN_API void firn_token_tables_free(firn_token_tables* tables);
/* `count` levels below `modulus` (1 to 256), a byte each; `previous` is as many levels, or empty. */
FIRN_API int32_t firn_levels_decode(const firn_token_tables* tables, firn_bytes stream, firn_bytes previous,
                                    uint32_t modulus, uint8_t* levels, size_t count);
/* The elements that levels stand for: entries of `table`, of as many elements as there are levels, or at
 * `protected_level` (-1 for none) the next of `words`, 16 bits each. */
FIRN_API int32_t firn_levels_to_elements(firn_bytes levels, uint32_t dtype, firn_bytes table, int32_t protected_level,
                                         firn_bytes words, void* out, size_t out_size);

typedef struct firn_context_tables firn_context_tables;
FIRN_API int32_t firn_context_tables_parse(firn_bytes stored, uint32_t slots, firn_context_tables** out);
FIRN_API void firn_context_tables_free(firn_context_tables* tables);

/* Parameters of a run of residual elements (docs/format-blocks.md, section 14). */
typedef struct {
  uint32_t count;
  int32_t exponent, step, shift, offsets[3], gain;
} firn_lattice_segment;
/* What one package says of a block: its payload, with the CRC-32C that the index has of it. In a merged package,
 * `joint_symbols` has the symbols of each of its `width` checkpoints one after another and `position` is this
 * checkpoint's; else it is empty and both are 0. Links of one merged package follow each other and have the same
 * payload and joint_symbols, at the same addresses. */
typedef struct {
  const firn_context_tables* tables;
  firn_bytes payload;
  const firn_lattice_segment* segments;
  const uint32_t* slots;
  size_t segment_count;
  firn_bytes joint_symbols;
  uint32_t width, position, checksum;
} firn_residual_link;

/* A block and what it goes on from. The state of its elements is a value each, of magnitude below 2^23, and an activity
 * each: the first link starts from `values` and `activity`, the state that an earlier call left, or one of placed
 * elements (docs/format-blocks.md, section 14); or, if both are null, from the origins, one for each of its segments.
 * `out` receives the elements after the last link. `values_after` and `activity_after`, unless both are null, receive
 * the state there. No output may overlap an input. A state of other numbers than these is FIRN_CORRUPT, or gives
 * elements that mean nothing. */
typedef struct {
  const firn_residual_link* links; /* oldest first, one at least */
  size_t link_count;
  const int32_t* values;
  const uint8_t* activity;
  const int32_t* origins;
  uint32_t dtype;
  void* out;
  size_t out_size;
  int32_t* values_after;
  uint8_t* activity_after;
} firn_residual_block;
/* Decodes blocks in order, until one fails; the rest is then not written. */
FIRN_API int32_t firn_residual_decode(const firn_residual_block* blocks, size_t block_count);

#ifdef __cplusplus
}
#endif
#endif
