/**
 * Limits of a package's contents (docs/format.md, "Limits"). A writer respects them; a reader refuses larger values
 * before it allocates memory in proportion.
 */

/** Longest index as stored, in bytes. */
export const indexBytesMax = 64 * 1024 * 1024;
/**
 * Largest sum of an index's inflated body and its rebuilt safetensors headers, in bytes. Decoding one index may
 * allocate this much, and a small multiple of it for parsed headers.
 */
export const indexMemoryBytesMax = 128 * 1024 * 1024;
/** One codebook per quantized layer type and quantizable dtype. */
export const codebookCountMax = 9;
/** Levels of a codebook: centroids, pruned, protected. */
export const levelCountMax = 256;
/** Most files of one package. */
export const fileCountMax = 65_536;
/** Largest tensor number that a reader looks at; far above the tensors a file can have. */
export const tensorNumberMax = 2 ** 31;
/** Largest file in a package, in bytes: the largest exact integer of a JavaScript number. */
export const fileBytesMax = Number.MAX_SAFE_INTEGER;
/**
 * Most blocks in one package decoded for copies and inherited tensors larger than a block. Such tensors have no blocks
 * of their own, so nothing else bounds them.
 */
export const copiedBlocksMax = 2 ** 22;
/** Most packages read to rebuild one, including itself. A bound of the format; encoders build far shorter chains. */
export const chainLengthMax = 1024;
/**
 * A package may have gathered blocks only if it builds on fewer packages of version 6 than this. A gathered block needs
 * several blocks, and so may each of these, so a restore without a cache would decode several times more at every
 * level.
 */
export const gatheringsMax = 2;
/**
 * Most blocks, of any packages, that contain the elements of a gathered block. It bounds the blocks decoded for one
 * block, and together with the limit above for a gathered one among these.
 */
export const gatheredBlocksMax = 8;
/** Checkpoints of a merged package; jointSymbolWidthMax of native/core.ts. */
export const mergedPackageWidthMin = 2;
export const mergedPackageWidthMax = 4;
/** Most joint symbols that a merged package lists: rarer ones are coded in full. */
export const mergedJointSymbolsMax = 4096;
/** Longest context tables of a package as stored, in bytes: the most that many tensors can need is far less. */
export const contextTablesBytesMax = 16 * 1024 * 1024;
