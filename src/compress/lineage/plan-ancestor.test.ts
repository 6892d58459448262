import { expect, test } from 'vitest';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import type { Ancestry } from '../method/method.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';
import { plannedAncestors, type AncestorPlanning } from './plan-ancestor.ts';

const candidates = [7, 6, 5, 4, 3, 2].map(
  (sequence) => ({ checkpoint: { sequence }, run: {} }) as unknown as AncestorCandidate,
);
const plan: CodingPlan = { groups: [], nonFinite: [], files: [{ codings: [{ kind: 'residual' }], blocks: [] }] };

/** The planned ancestors, by their sequence numbers. */
async function planned(ancestry: Ancestry): Promise<number[]> {
  const method = { name: 'residual', ancestry } as const;
  const work = { method, checkpoint: { sequence: 8 }, given: undefined } as unknown as AncestorPlanning;
  const found = await plannedAncestors(work, { plan }, { candidates, resumption: undefined });
  return found.map(({ checkpoint }) => checkpoint.sequence);
}

test('a method that takes the nearest gets the four nearest to try', async () => {
  expect(await planned({ kind: 'nearest' })).toEqual([7, 6, 5, 4]);
});

test('a method with a rule of its own chooses among all candidates', async () => {
  const everyFourth: Ancestry = {
    kind: 'own',
    choose: ({ checkpoint, ...choice }) =>
      choice.candidates.filter(
        (each) => checkpoint.sequence - each.checkpoint.sequence === (checkpoint.sequence % 4) + 4,
      ),
  };
  expect(await planned(everyFourth)).toEqual([4]);
});

test('a budgeted method without a config to compare ancestors with tries all', async () => {
  expect(await planned({ kind: 'budgeted', isFiner: () => false })).toEqual([7, 6, 5, 4, 3, 2]);
});
