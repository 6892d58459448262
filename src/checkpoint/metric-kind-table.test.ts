import { expect, test } from 'vitest';
import { metricKindTable } from './metric-kind-table.ts';
import { metricKinds } from './metric-kind.ts';

test('the table has a row for every kind, all as wide as its heading', () => {
  const [heading, rule, ...rows] = metricKindTable().split('\n');
  expect(rows.map((row) => /^\| `([^`]+)` /.exec(row)?.[1])).toEqual([...metricKinds]);
  const width = (row: string): number => row.split(/(?<!\\)\|/).length;
  expect([rule!, ...rows].map(width)).toEqual(new Array(rows.length + 1).fill(width(heading!)));
});
