/** Elements in F32 as numbers, copied if they are not aligned. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  if (bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT !== 0) return floatsOf(Uint8Array.from(bytes));
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
}

/** Sum of the squared differences of the elements from `first` to before `end`. */
export function squaredDistance(a: Float32Array, b: Float32Array, first: number, end: number): number {
  let squares = 0;
  for (let at = first; at < end; at++) squares += (a[at]! - b[at]!) ** 2;
  return squares;
}
