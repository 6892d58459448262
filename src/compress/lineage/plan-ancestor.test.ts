import { describe, expect, test } from 'vitest';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import type { Resumption } from '../ancestor/resumed-training.ts';
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

test('a budgeted method builds on exact checkpoints only before all quantized ones', async () => {
  const lossy = { config: { method: 'inshrinkerator' } };
  const mixed = candidates.map(({ checkpoint, run }, i) => ({
    checkpoint: { ...checkpoint, ...([1, 3].includes(i) && { result: lossy }) },
    run,
  })) as readonly AncestorCandidate[];
  const work = {
    method: { name: 'residual', ancestry: { kind: 'budgeted', isFiner: () => false } },
    checkpoint: { sequence: 8 },
  } as unknown as AncestorPlanning;
  const found = await plannedAncestors(work, { plan }, { candidates: mixed, resumption: undefined });
  expect(found.map(({ checkpoint }) => checkpoint.sequence)).toEqual([6, 4, 3, 2]);
});

describe('the base to reuse', () => {
  const first = { checkpoint: { id: 'first', sequence: 1, packageId: 'p1' }, run: {} } as unknown as AncestorCandidate;
  const asked: number[][] = [];
  const reusableBase = {
    behind: async (_: CodingPlan, nearest: readonly AncestorCandidate[]) => [...nearest, first],
    find: async (_: CodingPlan, nearest: readonly AncestorCandidate[]) => {
      asked.push(nearest.map(({ checkpoint }) => checkpoint.sequence));
      return first;
    },
  };

  test.each<[string, Ancestry, number[]]>([
    ['comes behind the nearest', { kind: 'nearest', reusesBase: true }, [7, 6, 5, 4, 1]],
    ['does not come for a method whose error grows with the distance', { kind: 'nearest' }, [7, 6, 5, 4]],
  ])('%s', async (_, ancestry, expected) => {
    const method = { name: 'residual', ancestry } as const;
    const work = { method, reusableBase } as unknown as AncestorPlanning;
    const found = await plannedAncestors(work, { plan }, { candidates, resumption: undefined });
    expect(found.map(({ checkpoint }) => checkpoint.sequence)).toEqual(expected);
  });

  test.each<[string, Resumption | undefined, number[]]>([
    ['is compared by a budgeted method', undefined, [1]],
    [
      'is not if training was resumed from a rebuilt checkpoint',
      { threshold: 0.01, before: false, here: true, drift: 1 },
      [],
    ],
  ])('%s', async (_, resumption, expected) => {
    asked.length = 0;
    const config = { method: 'residual', step: -32 } as const;
    const nearest = {
      checkpoint: { id: 'near', sequence: 7, packageId: 'p7', result: { config } },
      run: {},
    } as unknown as AncestorCandidate;
    const bytes: Readonly<Record<string, number>> = { near: 400, first: 300 };
    const work = {
      method: { name: 'residual', ancestry: { kind: 'budgeted', isFiner: () => false } },
      checkpoint: { sequence: 8 },
      source: { files: [{ role: 'model', sizeBytes: 4000, layout: { tensors: [] } }] },
      // The nearest chain has no room for a delta.
      catalog: {
        packages: {
          chain: async (id: string) =>
            id === 'p7'
              ? [
                  { key: 'b', storedBytes: 400, sizeBytes: 400 },
                  { key: 'a', storedBytes: 500, sizeBytes: 500 },
                ]
              : [{ key: 'a', storedBytes: 500, sizeBytes: 500 }],
        },
      },
      ancestors: {
        withBest: async ([candidate]: AncestorCandidate[]) => (candidate ? bytes[candidate.checkpoint.id] : 500),
      },
      reusableBase,
    } as unknown as AncestorPlanning;
    const found = await plannedAncestors(work, { plan }, { candidates: [nearest], resumption });
    expect(found.map(({ checkpoint }) => checkpoint.sequence)).toEqual(expected);
    expect(asked).toEqual(expected.map(() => [7]));
  });
});
