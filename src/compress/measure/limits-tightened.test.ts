import { expect, test } from 'vitest';
import type { MetricLimit } from '../../checkpoint/quality/degradation-limits.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import { limitsTightened } from './limits-tightened.ts';

type Limits = Readonly<Record<string, MetricLimit>>;

const limit = (degradationMax: number): MetricLimit => ({ degradationMax, boundBy: 'progress', withoutProgress: 0.01 });
/** Checkpoints with these limits, the nearest first; with a config, unless they were stored exact. */
const candidates = (...limits: readonly (Limits | 'exact')[]): AncestorCandidate[] =>
  limits.map((each) => ({
    checkpoint: { result: each === 'exact' ? {} : { config: { method: 'residual', step: 0 }, limits: each } },
  })) as unknown as AncestorCandidate[];

test.each<[string, Limits | undefined, readonly (Limits | 'exact')[], number | undefined]>([
  [
    'the smallest share of any metric',
    { a: limit(0.004), b: limit(0.001) },
    [{ a: limit(0.008), b: limit(0.004) }],
    1 / 4,
  ],
  ['never more than all', { a: limit(0.004) }, [{ a: limit(0.002) }], 1],
  [
    'that of the nearest with a config',
    { a: limit(0.001) },
    ['exact', { a: limit(0.002) }, { a: limit(0.001) }],
    1 / 2,
  ],
  ['all for a metric that was not bounded', { a: limit(0.001), b: limit(0.002) }, [{ b: limit(0.004) }], 1 / 2],
  ['all where nothing may be lost', { a: limit(0) }, [{ a: limit(0.004) }], 1],
  ['unknown at a first checkpoint', { a: limit(0.001) }, [], undefined],
  ['unknown without limits', undefined, [{ a: limit(0.002) }], undefined],
  [
    'unknown where nothing has progress',
    { a: { degradationMax: 0.001, boundBy: 'relative' } },
    [{ a: limit(0.002) }],
    undefined,
  ],
])('%s', (_, limits, before, expected) => {
  expect(limitsTightened(limits, candidates(...before))).toBe(expected);
});
