const mebibyte = 2 ** 20;

/**
 * A request's bytes become objects of this size, in bytes; each is acknowledged by itself. After a kill a client sends
 * at most this much again.
 */
export const pieceBytesMax = 8 * mebibyte;
/** Bytes with one checksum are one piece of up to this size, because they are acknowledged together or not at all. */
export const checksummedBytesMax = 64 * mebibyte;
/** Allows the largest file in requests of 1 MiB. */
export const piecesPerUploadMax = 100_000;

/** Smallest size of a part that a client may choose, in bytes. */
export const partBytesMin = 64 * 1024;
export const partBytesMax = 64 * mebibyte;
export const partBytesDefault = pieceBytesMax;
