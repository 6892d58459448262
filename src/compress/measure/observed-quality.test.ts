import { describe, expect, test } from 'vitest';
import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { observedValues, unboundedWarnings, type MeasuredQuality } from './observed-quality.ts';

const loss: MetricSpec = { name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'y' };
const accuracy: MetricSpec = { name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'y' };
const divergence: MetricSpec = { name: 'kl-divergence', kind: 'kl-divergence', output: 'logits', labels: 'y' };
const agreement: MetricSpec = { name: 'agreement', kind: 'agreement', output: 'logits', labels: 'y' };

/** A checkpoint with its loss bounded by a hundredth; accuracy goes from 0.4 to `after`. */
function quality(
  after: number,
  asked: readonly MetricSpec[],
  observed: readonly MetricSpec[],
  compared = { agreement: 0.98, 'kl-divergence': 0.05 },
): MeasuredQuality {
  const values = { accuracy: after, ...compared };
  const pick = (metrics: readonly MetricSpec[], from: Readonly<Record<string, number>>) =>
    Object.fromEntries(metrics.map(({ name }) => [name, from[name]!]));
  const baseline = { loss: 2, accuracy: 0.4, agreement: 1, 'kl-divergence': 0 };
  return {
    bound: { spec: { inputs: {}, metrics: asked }, thresholds: { loss: 0.01 }, baseline: pick(asked, baseline) },
    measured: { whole: pick(asked, { loss: 2.01, ...values }), observed: pick(observed, values) },
    measuredOn: 'cpu',
    rows: 64,
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
      '"accuracy" is not bounded and fell by 3.1 %, from 0.4 to 0.3876; the largest threshold is 1 %. ' +
        'A threshold on it would hold it.',
    ]);
    expect(unboundedWarnings(quality(0.4 * (1 - 0.029), asked, observed))).toEqual([]);
    expect(unboundedWarnings(quality(0.6, asked, observed))).toEqual([]);
  });
});

describe('a metric that compares with the uploaded model', () => {
  const others = (compared: { agreement: number; 'kl-divergence': number }, asked: readonly MetricSpec[] = [loss]) =>
    unboundedWarnings(quality(0.4, asked, [agreement, divergence], compared));

  test('is a warning if more positions change than three times the largest threshold', () => {
    expect(others({ agreement: 0.969, 'kl-divergence': 0 })).toEqual([
      '"agreement" is not bounded and fell to 0.969; the largest threshold is 1 %. A threshold on it would hold it.',
    ]);
    expect(others({ agreement: 0.971, 'kl-divergence': 0 })).toEqual([]);
  });

  test('is a warning if the divergence is more than that share of the loss', () => {
    expect(others({ agreement: 1, 'kl-divergence': 0.062 })).toEqual([
      '"kl-divergence" is not bounded and is 0.062 nats, 3.1 % of the loss; the largest threshold is 1 ' +
        '%. A threshold on it would hold it.',
    ]);
    expect(others({ agreement: 1, 'kl-divergence': 0.058 })).toEqual([]);
  });

  test('is compared with one nat if no loss was measured', () => {
    const base = quality(0.4, [accuracy], [divergence], { agreement: 1, 'kl-divergence': 0.031 });
    const of = (nats: number) => ({
      ...base,
      bound: { ...base.bound, thresholds: { accuracy: 0.01 } },
      measured: { ...base.measured, observed: { 'kl-divergence': nats } },
    });
    expect(unboundedWarnings(of(0.031))).toEqual([
      expect.stringMatching(/"kl-divergence" is not bounded and is 0\.031 nats; the largest/),
    ]);
    expect(unboundedWarnings(of(0.029))).toEqual([]);
  });
});

describe('how far real values drift', () => {
  const mse: MetricSpec = { name: 'mse', kind: 'mse', output: 'y', labels: 't' };
  const pearson: MetricSpec = { name: 'pearson', kind: 'pearson', output: 'y', labels: 't' };
  const deviation: MetricSpec = { name: 'deviation', kind: 'deviation', output: 'y', labels: 't' };
  const drifted = (value: number, asked: MetricSpec, divergences?: Readonly<Record<string, number>>) =>
    unboundedWarnings({
      bound: {
        spec: { inputs: {}, metrics: [asked] },
        thresholds: { [asked.name]: 0.01 },
        baseline: { [asked.name]: asked === mse ? 1000 : 0.9 },
        ...(divergences && { divergences }),
      },
      measured: { whole: { [asked.name]: asked === mse ? 1000 : 0.9 }, observed: { deviation: value } },
      measuredOn: 'cpu',
      rows: 64,
      understood: [],
      observed: { metrics: [deviation], baseline: { deviation: 0 } },
    });

  test('is a warning beyond that share of the loss, whatever the unit', () => {
    expect(drifted(31, mse)).toEqual([
      '"deviation" is not bounded and is 31, 3.1 % of the loss; the largest threshold is 1 %. A ' +
        'threshold on it would hold it.',
    ]);
    expect(drifted(29, mse)).toEqual([]);
  });

  test('is compared with nothing if no loss in its unit was measured', () => {
    expect(drifted(31, pearson)).toEqual([]);
    expect(drifted(Number.NaN, pearson)).toEqual([expect.stringMatching(/"deviation" .* not finite any more/)]);
  });

  test('is no warning if a guard bounds it', () => {
    expect(drifted(31, mse, { deviation: 40 })).toEqual([]);
  });
});

test('a metric that stops being finite is a warning; absolute thresholds compare with nothing relative', () => {
  expect(unboundedWarnings(quality(Number.NaN, [loss], [accuracy]))).toEqual([
    expect.stringMatching(/"accuracy" is not bounded and is not finite any more; it was 0.4/),
  ]);
  const ofAgreement = { ...quality(0.39, [agreement], [accuracy]) };
  const bound = { ...ofAgreement.bound, thresholds: { agreement: 0.4 } };
  expect(unboundedWarnings({ ...ofAgreement, bound })).toEqual([
    expect.stringMatching(/fell by 2.5 %.* the largest threshold is 0.5 %/),
  ]);
});

test('observed metrics are reported before and after, by name', () => {
  expect(observedValues(quality(0.3, [loss], [accuracy, agreement], { agreement: 0.7, 'kl-divergence': 0 }))).toEqual({
    accuracy: { kind: 'accuracy', baseline: 0.4, measured: 0.3, degradation: expect.closeTo(0.25, 12) },
    agreement: { kind: 'agreement', baseline: 1, measured: 0.7, degradation: expect.closeTo(0.3, 12) },
  });
});
