import { expect, test } from 'vitest';
import { planPushes } from './push-series.ts';
import type { Series } from './read-series.ts';

const seriesOf = (count: number): Series => ({
  name: 's',
  metric: 'loss',
  metrics: ['loss'],
  directions: {},
  graphPath: '',
  batchesPath: '',
  graphInput: 'x',
  graphOutput: 'y',
  checkpoints: Array.from({ length: count }, (_, index) => ({
    index,
    step: 100 * (index + 1),
    modelFiles: [],
    recorded: {},
  })),
});
const stepsOf = (plan: { readonly checkpoints: readonly { readonly step: number }[] }) =>
  plan.checkpoints.map(({ step }) => step);

test('nine checkpoints: six are pushed, then the job resumes from the fifth and pushes the sixth again', () => {
  const { first, fork } = planPushes(seriesOf(9));
  expect(stepsOf(first)).toEqual([100, 200, 300, 400, 500, 600]);
  expect([fork!.fromStep, stepsOf(fork!)]).toEqual([500, [600, 700, 800, 900]]);
  expect(first.run).not.toBe(fork!.run);
});

test.each([3, 4, 5, 15, 18])('%i checkpoints: every one is pushed, and the fork starts at one that was', (count) => {
  const { first, fork } = planPushes(seriesOf(count));
  expect(stepsOf(first)).toContain(fork!.fromStep);
  expect([...new Set([...stepsOf(first), ...stepsOf(fork!)])]).toEqual(stepsOf(seriesOf(count)));
  // Some of the crashed job's work is repeated; in practice its results would differ.
  expect(stepsOf(fork!)[0]).toBeLessThanOrEqual(stepsOf(first).at(-1)!);
  expect(stepsOf(fork!)[0]).toBeGreaterThan(fork!.fromStep);
});

test.each([1, 2])('%i checkpoints: nothing to fork', (count) => {
  const { first, fork } = planPushes(seriesOf(count));
  expect([stepsOf(first).length, fork]).toEqual([count, undefined]);
});
