import { describe, expect, test } from 'vitest';
import { columnExtremes, type ColumnExtremes, type FedColumn } from './column-extremes.ts';

describe('columnExtremes', () => {
  test.each<[string, FedColumn, ColumnExtremes]>([
    [
      'floats',
      { dtype: 'F32', elements: Float32Array.of(1, Infinity, NaN, 2, NaN, 0), rowShape: [2] },
      { notFinite: 3, nanRow: 1 },
    ],
    ['doubles', { dtype: 'F64', elements: Float64Array.of(1, -Infinity), rowShape: [] }, { notFinite: 1 }],
    [
      'half floats',
      { dtype: 'F16', elements: Uint16Array.of(0x3c00, 0xfc00, 0x7c00, 0xfe01), rowShape: [1] },
      { notFinite: 3, nanRow: 3 },
    ],
    [
      'signed 64-bit integers',
      { dtype: 'I64', elements: BigInt64Array.of(0n, -5n, 2n ** 40n, -(2n ** 40n), 7n, 1n), rowShape: [2] },
      { notFinite: 0, least: { value: -(2 ** 40), row: 1 }, largest: { value: 2 ** 40, row: 1 } },
    ],
    [
      'unsigned 64-bit integers',
      { dtype: 'U64', elements: BigUint64Array.of(3n, 2n ** 63n), rowShape: [] },
      { notFinite: 0, least: { value: 3, row: 0 }, largest: { value: 2 ** 63, row: 1 } },
    ],
    [
      'bytes',
      { dtype: 'U8', elements: Uint8Array.of(9, 200, 0, 4), rowShape: [2] },
      { notFinite: 0, least: { value: 0, row: 1 }, largest: { value: 200, row: 0 } },
    ],
    ['nothing', { dtype: 'I32', elements: new Int32Array(0), rowShape: [0] }, { notFinite: 0 }],
  ])('of %s', (_, column, expected) => {
    expect(columnExtremes(column)).toEqual(expected);
  });
});
