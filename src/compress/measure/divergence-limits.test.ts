import { expect, test } from 'vitest';
import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { divergenceLimits, lossBeside } from './divergence-limits.ts';

/** A metric that is named after its kind; one of output `b` has a `b` behind it. */
function metric(kind: MetricKind, output = 'a'): MetricSpec {
  return { name: output === 'a' ? kind : `${kind} b`, kind, output, labels: 'y' };
}

const baseline = {
  'cross-entropy': 2,
  accuracy: 0.5,
  perplexity: Math.exp(3),
  mse: 40,
  'mse b': 8,
  'kl-divergence': 0,
  deviation: 0,
  'deviation b': 0,
};

test.each<[string, readonly MetricSpec[], Readonly<Record<string, number>>, Readonly<Record<string, number>>]>([
  [
    'the share of the loss that is bounded',
    [metric('cross-entropy'), metric('kl-divergence')],
    { 'cross-entropy': 0.01 },
    { 'kl-divergence': 2 * 0.01 * 2 },
  ],
  [
    'the share of a loss that is only observed',
    [metric('accuracy'), metric('cross-entropy'), metric('kl-divergence')],
    { accuracy: 0.01 },
    { 'kl-divergence': 2 * 0.01 * 2 },
  ],
  [
    'the tightest of several',
    [metric('accuracy'), metric('cross-entropy'), metric('kl-divergence')],
    { accuracy: 0.01, 'cross-entropy': 0.002 },
    { 'kl-divergence': 2 * 0.002 * 2 },
  ],
  [
    'the logarithm of what perplexity may grow by',
    [metric('perplexity'), metric('kl-divergence')],
    { perplexity: 0.01 },
    { 'kl-divergence': 2 * Math.log(1.01) },
  ],
  [
    'the share of the squared error of the same output',
    [metric('mse'), metric('deviation'), metric('mse', 'b'), metric('deviation', 'b')],
    { mse: 0.01, 'mse b': 0.1 },
    { deviation: 2 * 0.01 * 40, 'deviation b': 2 * 0.1 * 8 },
  ],
  [
    'apart where one output is read as classes and as values',
    [metric('mse'), metric('cross-entropy'), metric('deviation'), metric('kl-divergence')],
    { mse: 0.01, 'cross-entropy': 0.1 },
    { deviation: 2 * 0.01 * 40, 'kl-divergence': 2 * 0.1 * 2 },
  ],
  ['none without a loss', [metric('accuracy'), metric('kl-divergence')], { accuracy: 0.01 }, {}],
  [
    'none where it has a threshold of its own',
    [metric('cross-entropy'), metric('kl-divergence')],
    { 'cross-entropy': 0.01, 'kl-divergence': 0.3 },
    {},
  ],
  ['none for outputs that nothing bounds', [metric('mse'), metric('deviation', 'b')], { mse: 0.01 }, {}],
])('the limit of a divergence is %s', (_, metrics, thresholds, limits) => {
  expect(divergenceLimits({ metrics, thresholds, baseline, divergenceMax: 2 })).toEqual(
    Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, expect.closeTo(limit, 12)])),
  );
});

test('a loss that is not finite says nothing', () => {
  const metrics = [metric('cross-entropy'), metric('kl-divergence')];
  const broken = { ...baseline, 'cross-entropy': Number.NaN };
  expect(
    divergenceLimits({ metrics, thresholds: { 'cross-entropy': 0.01 }, baseline: broken, divergenceMax: 1 }),
  ).toEqual({});
});

test('the loss beside a divergence is in its unit', () => {
  const metrics = [metric('accuracy'), metric('perplexity'), metric('mse')];
  expect(lossBeside(metric('kl-divergence'), metrics, baseline)).toBeCloseTo(3, 12);
  expect(lossBeside(metric('deviation'), metrics, baseline)).toBe(40);
  expect(lossBeside(metric('deviation', 'b'), metrics, baseline)).toBeUndefined();
});
