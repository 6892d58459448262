/** A row-major matrix of `rows` x `columns` elements of `elementBytes` (1, 2, 4 or 8) bytes each. */
export interface MatrixShape {
  readonly rows: number;
  readonly columns: number;
  readonly elementBytes: number;
}

/** Side of the square tiles that keep both matrices in cache. */
const tileElements = 32;

/** The transposed matrix, `columns` x `rows`, in new memory. Elements are moved bit by bit, so NaN payloads survive. */
export function transposeBytes(bytes: Uint8Array, shape: MatrixShape): Uint8Array {
  const { rows, columns } = shape;
  const source = wordsOf(bytes, shape.elementBytes);
  const target = wordsOf(new Uint8Array(bytes.byteLength), shape.elementBytes);
  for (let rowTile = 0; rowTile < rows; rowTile += tileElements) {
    for (let columnTile = 0; columnTile < columns; columnTile += tileElements) {
      const rowEnd = Math.min(rowTile + tileElements, rows);
      const columnEnd = Math.min(columnTile + tileElements, columns);
      for (let row = rowTile; row < rowEnd; row++) {
        for (let column = columnTile; column < columnEnd; column++) target[column * rows + row] = source[row * columns + column]!;
      }
    }
  }
  return new Uint8Array(target.buffer);
}

/** Unsigned words over the same memory, or over a copy where it is not aligned (`slice` of a Node Buffer would be no copy). */
function wordsOf(bytes: Uint8Array, elementBytes: number): Uint8Array | Uint16Array | Uint32Array | BigUint64Array {
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
