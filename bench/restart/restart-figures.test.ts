import { expect, test } from 'vitest';
import { restartFigures, type RestartOutcome } from './restart-figures.ts';
import { restartTable } from './restart-table.ts';

const arm = { run: 'residual-0-01', method: 'residual', threshold: 0.01, state: 'exact' } as const;
const first: RestartOutcome = {
  arm,
  plan: '10',
  seed: 1,
  unbroken: 2,
  restarted: 2.02,
  bytes: { raw: 1000, stored: 20 },
};
const second: RestartOutcome = {
  arm,
  plan: '10',
  seed: 2,
  unbroken: 4,
  restarted: 3.96,
  bytes: { raw: 1000, stored: 30 },
};

test('excess is relative to the same seed, bytes are those of all seeds', () => {
  const [line] = restartFigures([first, { ...second, plan: '1' }, second], false);
  expect(line).toMatchObject({ seedCount: 2, unbrokenMean: 3, ratio: 40 });
  expect(line!.excessMean).toBeCloseTo(0, 12);
  expect(line!.excessWorst).toBeCloseTo(0.01, 12);
});

test('of a metric where higher is better, less is an excess', () => {
  expect(restartFigures([second], true)[0]!.excessWorst).toBeCloseTo(0.01, 12);
});

test('states have lines of their own, which say so unless the state is exact', () => {
  const table = restartTable(restartFigures([first, { ...first, arm: { ...arm, state: 'fresh' } }], false), 'loss');
  expect(table).toContain('| 1 % | Firn (residual) | 10 |');
  expect(table).toContain('| 1 % | Firn (residual), fresh state | 10 |');
});

test('a line says which share of the progress may be lost', () => {
  const [line] = restartFigures([{ ...first, arm: { ...arm, progress: 0.5 } }], false);
  expect(restartTable([line!], 'loss')).toContain('| 1 % | Firn (residual), 50 % of the progress | 10 |');
});

test('a line names threshold, method, restarts, and both ends', () => {
  const line = restartTable(restartFigures([first], false), 'loss').split('\n')[2];
  expect(line).toBe('| 1 % | Firn (residual) | 10 | 1 | 2.0000 | 2.0200 | 1.00 % | 1.00 % | 50.0x |');
});
