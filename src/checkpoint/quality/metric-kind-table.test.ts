import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withMetricKinds } from '../../../scripts/metric-kinds-in-guide.ts';
import { metricKindTable } from './metric-kind-table.ts';
import { metricKinds } from './metric-kind.ts';

test('the table has a row for every kind, all as wide as its heading', () => {
  const [heading, rule, ...rows] = metricKindTable().split('\n');
  expect(rows.map((row) => /^\| `([^`]+)` /.exec(row)?.[1])).toEqual([...metricKinds]);
  const width = (row: string): number => row.split(/(?<!\\)\|/).length;
  expect([rule!, ...rows].map(width)).toEqual(new Array(rows.length + 1).fill(width(heading!)));
});

test('the guide has the table of all kinds (npm run metric-kinds)', async () => {
  const guide = readFileSync(new URL('../../../docs/guide/eval-sets.md', import.meta.url), 'utf8');
  expect(await withMetricKinds(guide)).toBe(guide);
});
