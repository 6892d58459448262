import { expect, test } from 'vitest';
import { trialsMost } from '../method/residual/steps/search-step.ts';
import { TrialCounts } from './trial-counts.ts';

const behind = (id: string) => ({ checkpoint: { id } }) as Parameters<TrialCounts['add']>[0];
const [a, b, c] = [behind('a'), behind('b'), behind('c')];

test('a repeated search counts once, and searches with other ancestors count too', () => {
  const counts = new TrialCounts({ trialsMax: trialsMost });
  counts.add(a, 3);
  expect(counts.total).toBe(3);
  counts.add(undefined, 4);
  counts.add(a, 3);
  expect(counts.total).toBe(7);
});

test('searches of a checkpoint have twelve trials together, four of them for a base', () => {
  const counts = new TrialCounts({ trialsMax: trialsMost });
  expect([counts.allowance(undefined), counts.allowance(a)]).toEqual([12, 8]);
  counts.add(a, 5);
  expect([counts.allowance(undefined), counts.allowance(b)]).toEqual([7, 3]);
  counts.add(b, 3);
  expect([counts.allowance(undefined), counts.allowance(c)]).toEqual([4, 0]);
  counts.add(undefined, 3);
  expect(counts.allowance(c)).toBe(1);
});

test('a repeated search has the same allowance as before', () => {
  const counts = new TrialCounts({ trialsMax: trialsMost });
  counts.add(a, 4);
  counts.add(b, 4);
  counts.add(undefined, 4);
  expect([a, b, undefined].map((ancestor) => counts.allowance(ancestor))).toEqual([8, 4, 4]);
});

test('without a bound every search has unlimited trials', () => {
  const counts = new TrialCounts({ trialsMax: Infinity });
  counts.add(undefined, 60);
  expect(counts.allowance(a)).toBe(Infinity);
});
