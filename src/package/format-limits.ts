/**
 * Bounds on what a package may declare (docs/format.md, "Limits"). A writer stays inside them; a reader refuses what
 * does not, before it allocates anything in proportion.
 */

/** Longest index as stored, in bytes. */
export const indexBytesMax = 64 * 1024 * 1024;
/**
 * Largest sum of an index's inflated body and of its rebuilt safetensors headers, in bytes: what decoding one index may
 * allocate, a few times over for parsed headers.
 */
export const indexMemoryBytesMax = 128 * 1024 * 1024;
/** One codebook per quantized layer type and quantizable dtype. */
export const codebookCountMax = 9;
/** Levels of a codebook: centroids, pruned, protected. */
export const levelCountMax = 256;
/** Most files of one package. */
export const fileCountMax = 65_536;
/** Largest file a package describes, in bytes: what a JavaScript number counts exactly. */
export const fileBytesMax = Number.MAX_SAFE_INTEGER;
/**
 * Most blocks that copies and kept tensors larger than a block come to in one package: they have none of their own, so
 * nothing else bounds them.
 */
export const copiedBlocksMax = 2 ** 22;
/** Most packages read to rebuild one, itself included. A format bound; encoders keep chains far shorter. */
export const chainLengthMax = 1024;
/**
 * A package's blocks gather only where it builds on fewer packages of version 6 than this: a gathered block needs
 * several, and so may each of these, so that what a restore without a cache decodes would multiply at every one.
 */
export const gatheringsMax = 2;
/**
 * Blocks, of any packages, in which the elements of a gathered block lie: what is decoded for one, and by the limit
 * above for one of those.
 */
export const gatheredBlocksMax = 8;
/** Checkpoints of a merged package; jointSymbolWidthMax of native/core.ts. */
export const mergedPackageWidthMin = 2;
export const mergedPackageWidthMax = 4;
/** Tuples that a merged package lists: rarer ones are told in full. */
export const mergedJointSymbolsMax = 4096;
/** Longest context tables of a package as stored, in bytes: the most that many tensors can need is far less. */
export const contextTablesBytesMax = 16 * 1024 * 1024;
