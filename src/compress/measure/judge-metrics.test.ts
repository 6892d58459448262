import { describe, expect, test } from 'vitest';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { degradations, judgedOf, judgeMetrics, standardErrors, type QualityBound } from './judge-metrics.ts';

function bound(
  metrics: Readonly<Record<string, readonly [kind: MetricKind, baseline: number]>>,
  thresholds: Readonly<Record<string, number>>,
): QualityBound {
  return {
    spec: { inputs: {}, metrics: Object.entries(metrics).map(([name, [kind]]) => ({ name, kind, output: 'y' })) },
    thresholds,
    baseline: Object.fromEntries(Object.entries(metrics).map(([name, [, baseline]]) => [name, baseline])),
  };
}

describe('one bounded metric', () => {
  test.each([
    ['a loss that grows by the threshold exactly', 'cross-entropy', 2, 2.5, 0.25, true, 1],
    ['a loss that grows by more', 'cross-entropy', 2, 2.6, 0.25, false, 1.2],
    ['a loss that falls', 'loss', 2, 1, 0.25, true, -2],
    ['an accuracy that falls by more', 'accuracy', 0.5, 0.375, 0.125, false, 2],
    ['an accuracy that grows', 'accuracy', 0.5, 0.75, 0.125, true, -4],
    ['a negative baseline: growing is worse', 'loss', -2, -1, 0.25, false, 2],
    ['a baseline of zero counts as a millionth', 'mse', 0, 1e-6, 0.5, false, 2],
    ['threshold 0 and the same value', 'loss', 2, 2, 0, true, 0],
    ['threshold 0 and a better one', 'loss', 2, 1, 0, true, 0],
    ['threshold 0 and the least bit worse', 'loss', 2, 2.0000001, 0, false, Infinity],
    ['NaN', 'loss', 2, Number.NaN, 10, false, Infinity],
    ['infinity', 'loss', 2, Infinity, 10, false, Infinity],
    ['infinitely good is not finite either', 'pearson', 0.5, Infinity, 10, false, Infinity],
    ['a baseline that is not finite', 'loss', Number.NaN, 2, 10, false, Infinity],
  ] as const)('%s', (_, kind, baseline, value, threshold, passed, worst) => {
    const outcome = judgeMetrics(bound({ m: [kind, baseline] }, { m: threshold }), { whole: { m: value } });
    expect(outcome.passed).toBe(passed);
    expect(outcome.worst).toBeCloseTo(worst, 9);
    expect(outcome.metrics).toEqual({ m: value });
  });
});

describe('several metrics', () => {
  const metrics = { loss: ['cross-entropy', 2], accuracy: ['accuracy', 0.5], mse: ['mse', 1] } as const;

  test('all bounded ones must hold; the worst one is the worst in units of its own threshold', () => {
    const both = bound(metrics, { loss: 0.1, accuracy: 0.2 });
    expect(judgeMetrics(both, { whole: { loss: 2.1, accuracy: 0.45, mse: 9 } })).toMatchObject({
      passed: true,
      worst: 0.5000000000000004,
    });
    expect(judgeMetrics(both, { whole: { loss: 2.1, accuracy: 0.3, mse: 1 } })).toMatchObject({
      passed: false,
      worst: 2,
    });
  });

  test('those that are not bounded are reported and decide nothing', () => {
    const outcome = judgeMetrics(bound(metrics, { loss: 0.1 }), {
      whole: { loss: 2, accuracy: 0.1, mse: Number.NaN },
    });
    expect(outcome).toMatchObject({ passed: true, degradation: { loss: 0, accuracy: 0.8, mse: Number.NaN } });
  });

  test('a bounded metric without a value does not pass', () => {
    expect(judgeMetrics(bound(metrics, { accuracy: 0.5 }), { whole: { loss: 2 } })).toMatchObject({
      passed: false,
      worst: Infinity,
    });
    expect(degradations(bound(metrics, {}), {})).toEqual({ loss: Number.NaN, accuracy: Number.NaN, mse: Number.NaN });
  });
});

describe('halves', () => {
  const halved: QualityBound = {
    ...bound({ loss: ['loss', 2] }, { loss: 0.1 }),
    halfBaselines: [{ loss: 1 }, { loss: 4 }],
  };

  test.each([
    ['all inside: the worse half counts', 2.1, [1.02, 4.32], true, 0.8],
    ['the first half outside', 2.1, [1.2, 4], false, 2],
    ['the second half outside, however good the first is', 2.1, [0.5, 4.8], false, 2],
    ['both halves inside and the whole not', 2.4, [1.05, 4.2], false, 2],
    ['a half that is not finite', 2, [1, Number.NaN], false, Infinity],
  ])('%s', (_, whole, [first, second], passed, worst) => {
    const outcome = judgeMetrics(halved, { whole: { loss: whole }, halves: [{ loss: first! }, { loss: second! }] });
    expect(outcome.passed).toBe(passed);
    expect(outcome.worst).toBeCloseTo(worst, 9);
    expect(outcome).toMatchObject({
      metrics: { loss: whole },
      degradation: degradations(halved, { loss: whole }),
      halves: [{ loss: first }, { loss: second }],
    });
  });

  test('that were not measured do not pass; those that nothing bounds decide nothing', () => {
    expect(judgeMetrics(halved, { whole: { loss: 2 } })).toMatchObject({ passed: false, worst: Infinity });
    expect(
      judgeMetrics(bound({ loss: ['loss', 2] }, { loss: 0.1 }), {
        whole: { loss: 2 },
        halves: [{ loss: 9 }, { loss: 9 }],
      }),
    ).toMatchObject({ passed: true, worst: 0 });
  });
});

describe('guards', () => {
  const plain = bound({ loss: ['loss', 2] }, { loss: 0.1 });
  const groups = (...changes: readonly number[]) => changes.map((change) => ({ loss: 2 + change }));
  const eight = groups(0, 0, 0, 0, 0, 0, 0, 0);

  test('the standard error is that of the paired changes of the groups, in units of the baseline', () => {
    const grouped = { ...plain, groupBaselines: groups(1, -1, 1, -1, 1, -1, 1, -1) };
    // Groups differ by far more than they change: only the changes count, 0.02 and 0.06 in turn.
    const after = groups(1.02, -0.94, 1.02, -0.94, 1.02, -0.94, 1.02, -0.94);
    const spread = 0.02 * Math.sqrt(8 / 7);
    expect(standardErrors(grouped, after)['loss']).toBeCloseTo(spread / Math.sqrt(8) / 2, 12);
  });

  test('fewer than eight groups, and groups that are not finite, have none', () => {
    expect(standardErrors({ ...plain, groupBaselines: eight.slice(1) }, eight.slice(1))).toEqual({});
    expect(standardErrors({ ...plain, groupBaselines: eight }, groups(0, 0, 0, 0, 0, 0, 0, Number.NaN))).toEqual({});
    expect(standardErrors(plain, eight)).toEqual({});
  });

  test('is added to the degradation, and its share of the worst is said', () => {
    const guarded = { ...plain, standardErrors: 2 };
    const inside = judgeMetrics(guarded, { whole: { loss: 2.1 }, standardError: { loss: 0.02 } });
    expect(inside.passed).toBe(true);
    expect(inside.worst).toBeCloseTo(0.9, 12);
    expect(inside.uncertain).toBeCloseTo(0.4, 12);
    expect(judgeMetrics(guarded, { whole: { loss: 2.1 }, standardError: { loss: 0.03 } }).passed).toBe(false);
    expect(judgeMetrics(guarded, { whole: { loss: 2.1 } }).passed).toBe(true);
  });

  test('a divergence must be measured, finite and inside its limit', () => {
    const guarded = { ...plain, divergences: { kl: 0.01 } };
    const judged = (kl: number | undefined) =>
      judgeMetrics(guarded, { whole: { loss: 2.02 }, ...(kl !== undefined && { observed: { kl } }) });
    expect(judged(0.005)).toMatchObject({ passed: true, worst: 0.5, observed: { kl: 0.005 } });
    expect(judged(0.02)).toMatchObject({ passed: false, worst: 2 });
    expect(judged(Number.NaN)).toMatchObject({ passed: false, worst: Infinity });
    expect(judged(undefined)).toMatchObject({ passed: false, worst: Infinity });
  });

  test('only what the bound names is kept of a measurement', () => {
    const measured = { whole: { loss: 2 }, groups: eight, observed: { kl: 0.1, accuracy: 1 } };
    expect(judgedOf(plain, measured)).toEqual({ whole: { loss: 2 } });
    const guarded = { ...plain, standardErrors: 1, groupBaselines: eight, divergences: { kl: 1 } };
    expect(judgedOf(guarded, measured)).toEqual({
      whole: { loss: 2 },
      observed: { kl: 0.1 },
      standardError: { loss: 0 },
    });
  });
});
