import { elementWords } from './element-words.ts';

/** A row-major matrix of `rows` x `columns` elements of `elementBytes` (1, 2, 4 or 8) bytes each. */
export interface MatrixShape {
  readonly rows: number;
  readonly columns: number;
  readonly elementBytes: number;
}

/** Side of the square tiles, small enough for both matrices' tiles to stay in cache. */
const tileElements = 32;

/**
 * The transposed matrix, `columns` x `rows`, in new memory. Elements are copied bit by bit, so NaN payloads survive.
 */
export function transposeBytes(bytes: Uint8Array, shape: MatrixShape): Uint8Array {
  const { rows, columns } = shape;
  const source = elementWords(bytes, shape.elementBytes);
  const target = elementWords(new Uint8Array(bytes.byteLength), shape.elementBytes);
  for (let rowTile = 0; rowTile < rows; rowTile += tileElements) {
    for (let columnTile = 0; columnTile < columns; columnTile += tileElements) {
      const rowEnd = Math.min(rowTile + tileElements, rows);
      const columnEnd = Math.min(columnTile + tileElements, columns);
      for (let row = rowTile; row < rowEnd; row++) {
        for (let column = columnTile; column < columnEnd; column++)
          target[column * rows + row] = source[row * columns + column]!;
      }
    }
  }
  return new Uint8Array(target.buffer);
}
