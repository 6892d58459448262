import { describe, expect, test } from 'vitest';
import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { observedValues, unboundedWarnings, type MeasuredQuality } from './observed-quality.ts';

const loss: MetricSpec = { name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'y' };
const accuracy: MetricSpec = { name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'y' };
const agreement: MetricSpec = { name: 'agreement', kind: 'agreement', output: 'logits', labels: 'y' };

/** A checkpoint whose loss is bounded by a hundredth; accuracy goes from 0.4 to `after`. */
function quality(after: number, asked: readonly MetricSpec[], observed: readonly MetricSpec[]): MeasuredQuality {
  const values = { accuracy: after, agreement: 0.7 };
  const pick = (metrics: readonly MetricSpec[], from: Readonly<Record<string, number>>) => Object.fromEntries(metrics.map(({ name }) => [name, from[name]!]));
  const baseline = { loss: 2, accuracy: 0.4, agreement: 1 };
  return {
    bound: { spec: { inputs: {}, metrics: asked }, thresholds: { loss: 0.01 }, baseline: pick(asked, baseline) },
    measured: { whole: pick(asked, { loss: 2.01, ...values }), observed: pick(observed, values) },
    understood: [],
    observed: { metrics: observed, baseline: pick(observed, baseline) },
  };
}

describe('a metric that no threshold bounds', () => {
  test.each<[string, readonly MetricSpec[], readonly MetricSpec[]]>([
    ['nobody asked for', [loss], [accuracy, agreement]],
    ['the eval set has', [loss, accuracy], [agreement]],
  ])('and that %s is a warning beyond three times the largest threshold', (_, asked, observed) => {
    expect(unboundedWarnings(quality(0.4 * (1 - 0.031), asked, observed))).toEqual([
      '"accuracy" is not bounded and fell by 3.1 %, from 0.4 to 0.3876; the largest threshold is 1 %. A threshold on it would hold it.',
    ]);
    expect(unboundedWarnings(quality(0.4 * (1 - 0.029), asked, observed))).toEqual([]);
    expect(unboundedWarnings(quality(0.6, asked, observed))).toEqual([]);
  });
});

test('a metric that stops being finite is a warning; absolute thresholds compare with nothing relative', () => {
  expect(unboundedWarnings(quality(Number.NaN, [loss], [accuracy]))).toEqual([
    expect.stringMatching(/"accuracy" is not bounded and is not finite any more; it was 0.4/),
  ]);
  const ofAgreement = { ...quality(0.39, [agreement], [accuracy]) };
  const bound = { ...ofAgreement.bound, thresholds: { agreement: 0.4 } };
  expect(unboundedWarnings({ ...ofAgreement, bound })).toEqual([expect.stringMatching(/fell by 2.5 %.* the largest threshold is 0.5 %/)]);
});

test('what nobody asked for is told before and after, by name', () => {
  expect(observedValues(quality(0.3, [loss], [accuracy, agreement]))).toEqual({
    accuracy: { kind: 'accuracy', baseline: 0.4, measured: 0.3, degradation: expect.closeTo(0.25, 12) },
    agreement: { kind: 'agreement', baseline: 1, measured: 0.7, degradation: expect.closeTo(0.3, 12) },
  });
});
