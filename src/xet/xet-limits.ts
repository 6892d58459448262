/**
 * Bounds on what a client may send. The first four are those of xet-core (xorb_object/constants.rs and
 * xorb_chunk_format.rs); clients stay inside them.
 */

/** Raw bytes of one chunk: twice the mean of 64 KiB that clients aim at. */
export const chunkRawBytesMax = 128 * 1024;
/** Packed bytes of one chunk: a packed form may be longer than the raw one, but not without end. */
export const chunkPackedBytesMax = 2 * chunkRawBytesMax;
/** Raw bytes of all chunks of one xorb. */
export const xorbRawBytesMax = 64 * 1024 * 1024;
/** Chunks of one xorb. */
export const xorbChunksMax = 8192;

/** A chunk's header in a serialized xorb. */
export const chunkHeaderBytes = 8;
/** Bytes of a serialized xorb without its footer: a client sends a chunk raw when packing does not shorten it. */
export const xorbPackedBytesMax = xorbRawBytesMax + xorbChunksMax * chunkHeaderBytes;

/** Bytes of one shard: clients start a new one at this size. */
export const shardBytesMax = 64 * 1024 * 1024;
/** Files of one shard. Each costs some 400 bytes of memory. */
export const shardFilesMax = 65_536;
/** Terms of all files of one shard. Each costs some 250 bytes of memory. */
export const shardTermsMax = 262_144;

/** Chunks of one file: 256 GiB at the mean chunk of 64 KiB. A term costs 48 bytes and may repeat 8192 chunks. */
export const fileChunksMax = 4 * 1024 * 1024;
