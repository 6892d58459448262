import { describe, expect, test } from 'vitest';
import { logSum, type ClassRow } from './cross-entropy.ts';
import { LogSums } from './log-sums.ts';

const rowsOf = (data: ArrayLike<number>, positions: number, classCount: number, stride = 1): ClassRow[] =>
  Array.from({ length: positions }, (_, position) => ({
    data,
    start: Math.floor(position / stride) * classCount * stride + (position % stride),
    classCount,
    stride,
  }));
const noise = (count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, at) => Math.sin(at * 12.9898) * 7);

describe('sums of a batch', () => {
  test.each([
    ['few classes', 3, 1],
    ['classes on the last axis', 40, 1],
    ['classes on the second axis', 40, 6],
  ])('are those of each row alone, asked once or again: %s', (_, classCount, stride) => {
    const positions = 12;
    const data = noise(positions * classCount);
    const sums = new LogSums();
    const rows = rowsOf(data, positions, classCount, stride);
    for (const row of [...rows, ...rows.toReversed()]) expect(sums.of(row)).toEqual(logSum(row));
  });

  test('are shared by views of the same rows, and by nothing else', () => {
    const data = noise(4 * 32);
    const sums = new LogSums();
    const [, , third] = rowsOf(data, 4, 32);
    const found = sums.of(third!);
    expect(sums.of({ ...third!, data: data.subarray(64), start: 0 })).toBe(found);
    const other = noise(8 * 32).map((each) => -each);
    for (const row of rowsOf(other, 8, 32)) expect(sums.of(row)).toEqual(logSum(row));
    for (const row of rowsOf(data, 2, 64)) expect(sums.of(row)).toEqual(logSum(row));
    for (const row of rowsOf(Array.from(data), 4, 32)) expect(sums.of(row)).toEqual(logSum(row));
  });

  test('are not finite for a row with a NaN', () => {
    const data = noise(32).fill(Number.NaN, 3, 4);
    expect(new LogSums().of({ data, start: 0, classCount: 32, stride: 1 }).log).toBeNaN();
  });
});
