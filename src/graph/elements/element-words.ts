/** Unsigned words of 1, 2, 4 or 8 bytes, one per element. */
export type ElementWords = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/**
 * Unsigned words over the same memory, or over a copy if it is not aligned (`slice` of a Node Buffer would be no copy).
 */
export function elementWords(bytes: Uint8Array, elementBytes: number): ElementWords {
  const aligned = bytes.byteOffset % elementBytes === 0 ? bytes : new Uint8Array(bytes);
  const length = aligned.byteLength / elementBytes;
  switch (elementBytes) {
    case 1:
      return new Uint8Array(aligned.buffer, aligned.byteOffset, length);
    case 2:
      return new Uint16Array(aligned.buffer, aligned.byteOffset, length);
    case 4:
      return new Uint32Array(aligned.buffer, aligned.byteOffset, length);
    default:
      return new BigUint64Array(aligned.buffer, aligned.byteOffset, length);
  }
}
