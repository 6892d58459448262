import { expect, test } from 'vitest';
import { lineageRows } from './lineage-rows.ts';

const row = (run: string, step: number) => ({ run, step });
const rows = [row('a', 1), row('a', 2), row('a', 3), row('b', 3), row('b', 4)];

test("a fork's lineage is its parent's up to the fork point, then its own: each step once", () => {
  expect(lineageRows(rows, { run: 'b', fromStep: 2 })).toEqual([row('a', 1), row('a', 2), row('b', 3), row('b', 4)]);
});

test('a run that is no fork has its own steps alone', () => {
  expect(lineageRows(rows, { run: 'a' })).toEqual([row('a', 1), row('a', 2), row('a', 3)]);
});
