import { describe, expect, it } from 'vitest';
import type { MergeCandidate } from '../../catalog/contract/storage/package-records.ts';
import { planMerges, shareBytes } from './plan-merges.ts';

/** A delta to another one. */
type Delta = readonly [id: string, ancestorId: string, more?: Partial<MergeCandidate>];

/** Ids of the first planned group. */
function planned(...deltas: readonly Delta[]): string[] | undefined {
  const candidates = deltas.map(
    ([id, ancestorId, more]) =>
      ({ record: { id, ancestorId }, descendants: 1, grows: false, ...more }) as MergeCandidate,
  );
  return planMerges(candidates)[0]?.map(({ record }) => record.id);
}

describe('planMerges', () => {
  it('takes the oldest four of a chain', () => {
    expect(planned(['b', 'a'], ['c', 'b'], ['d', 'c'], ['e', 'd'], ['f', 'e'])).toEqual(['b', 'c', 'd', 'e']);
  });

  it('waits for fewer while their chain goes on to checkpoints that are still too new', () => {
    expect(planned(['b', 'a'], ['c', 'b'], ['d', 'c', { grows: true }])).toBeUndefined();
    expect(planned(['b', 'a'], ['c', 'b'], ['d', 'c', { descendants: 0 }])).toEqual(['b', 'c', 'd']);
  });

  it('does not reach over a place where two deltas build on one checkpoint', () => {
    expect(planned(['b', 'a'], ['c', 'b', { descendants: 2 }], ['d', 'c'], ['e', 'd', { descendants: 0 }])).toEqual([
      'b',
      'c',
    ]);
  });

  it('finds all groups, whole ones alone if asked', () => {
    const candidates = [...'bcdefghijk'].map(
      (id, i) => ({ record: { id, ancestorId: 'abcdefghij'[i] }, descendants: 1, grows: false }) as MergeCandidate,
    );
    const ids = (widthMin?: number) =>
      planMerges(candidates, widthMin).map((group) => group.map(({ record }) => record.id).join(''));
    expect(ids()).toEqual(['bcde', 'fghi', 'jk']);
    expect(ids(4)).toEqual(['bcde', 'fghi']);
  });

  it('does not join chains, and passes over what stands alone', () => {
    expect(planned(['b', 'a', { descendants: 0 }], ['d', 'x'], ['e', 'd', { descendants: 0 }])).toEqual(['d', 'e']);
    expect(planned(['b', 'a'])).toBeUndefined();
    expect(planned()).toBeUndefined();
  });
});

describe('shareBytes', () => {
  it('gives whole bytes that add up, never more than before', () => {
    for (const [object, before] of [
      [10, [7, 5]],
      [99, [1, 98, 1]],
      [1000, [333, 333, 335]],
      [5, [2, 2, 2]],
    ] as const) {
      const shares = shareBytes(object, before);
      expect(shares.reduce((sum, bytes) => sum + bytes, 0)).toBe(object);
      shares.forEach((bytes, i) => expect(bytes).toBeLessThanOrEqual(before[i]!));
    }
  });
});
