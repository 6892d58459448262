const mebibyte = 2 ** 20;

/**
 * Bytes of one request become objects of this size, each acknowledged by itself: what a client sends twice after a
 * kill, at most.
 */
export const pieceBytesMax = 8 * mebibyte;
/** Bytes under one checksum are one piece, however many: they are acknowledged together or not at all. */
export const checksummedBytesMax = 64 * mebibyte;
/** Room for the largest file in requests of 1 MiB. */
export const piecesPerUploadMax = 100_000;

/** Of a part that its client chose the size of, in bytes. */
export const partBytesMin = 64 * 1024;
export const partBytesMax = 64 * mebibyte;
export const partBytesDefault = pieceBytesMax;
