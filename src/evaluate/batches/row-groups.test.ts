import { expect, test } from 'vitest';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { NumberTensor } from '../metrics/metric-accumulator.ts';
import { RowGroups, rowGroupsMax } from './row-groups.ts';

const spec: EvalSetSpec = {
  inputs: { x: 'x' },
  metrics: [
    { name: 'mse', kind: 'mse', output: 'y', labels: 't' },
    { name: 'deviation', kind: 'deviation', output: 'y' },
  ],
};

/** Two values a row: output `row` and `row + 0.5`, targets 0, the uploaded model's values one less. */
function groupsOf(rows: number, batchRows: number): RowGroups {
  const groups = new RowGroups({ rows, batchRows, rowsFixed: false }, spec);
  for (let start = 0, batch = 0; start < rows; start += batchRows, batch++) {
    const count = Math.min(batchRows, rows - start);
    const data = Float32Array.from({ length: 2 * count }, (_, at) => start + at / 2);
    groups.add({
      batch,
      rows: count,
      outputs: new Map<string, NumberTensor>([['y', { dims: [count, 2], data }]]),
      labels: new Map<string, NumberTensor>([['t', { dims: [count, 2], data: new Float64Array(2 * count) }]]),
      references: new Map([['y', data.map((value) => value - 1)]]),
    });
  }
  return groups;
}

/** The mean squared error over rows `start` to `end`, exclusive. */
function meanSquare(start: number, end: number): number {
  const squares = Array.from({ length: 2 * (end - start) }, (_, at) => (start + at / 2) ** 2);
  return squares.reduce((sum, square) => sum + square, 0) / squares.length;
}

test.each([
  [5, 2],
  [32, 16],
  [33, 16],
  [100, 7],
  [1000, 1000],
  [1000, 1],
])('%i rows in batches of %i: each row is in one group, neighbours together, sizes apart by one', (rows, batchRows) => {
  const values = groupsOf(rows, batchRows).values();
  const count = Math.min(rows, rowGroupsMax);
  expect(values).toHaveLength(count);
  for (const [group, found] of values.entries()) {
    const [start, end] = [Math.ceil((group * rows) / count), Math.ceil(((group + 1) * rows) / count)];
    expect(found['mse']).toBeCloseTo(meanSquare(start, end), 6);
    expect(found['deviation']).toBe(1);
  }
});

test('an output without a value for each row is divided by batches', () => {
  const loss = { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' } as const] };
  const groups = new RowGroups({ rows: 100, batchRows: 2, rowsFixed: false }, loss);
  for (let batch = 0; batch < 50; batch++)
    groups.add({
      batch,
      rows: 2,
      outputs: new Map([['loss', { dims: [], data: Float32Array.of(batch) }]]),
      labels: new Map(),
    });
  const found = groups.values().map((values) => values['loss']!);
  expect(found).toHaveLength(rowGroupsMax);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect([found[0], found.at(-1)]).toEqual([0.5, 49]);
});

test('no batch, no group', () => {
  expect(new RowGroups({ rows: 4, batchRows: 2, rowsFixed: false }, spec).values()).toEqual([]);
});
