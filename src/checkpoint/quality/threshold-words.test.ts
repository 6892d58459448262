import { expect, test } from 'vitest';
import type { MetricKind } from './metric-kind.ts';
import type { QualityThreshold } from './quality.ts';
import { thresholdInWords, thresholdsInWords } from './threshold-words.ts';

test.each<[MetricKind, number, string]>([
  ['loss', 0.005, "m may grow by at most 0.5 % of the uploaded checkpoint's"],
  ['cross-entropy', 10, "m may grow by at most 1,000 % of the uploaded checkpoint's"],
  ['mse', 0, "m may grow by at most 0 % of the uploaded checkpoint's"],
  ['accuracy', 0.005, "m may fall by at most 0.5 % of the uploaded checkpoint's"],
  ['pearson', 0.0012345, "m may fall by at most 0.123 % of the uploaded checkpoint's"],
  ['perplexity', 0.05, 'm may grow by at most 5 %: its loss by at most 0.0488 nats'],
  ['kl-divergence', 0.01, 'm may be at most 0.01 nats'],
  ['agreement', 0.01, 'm: at most 1 in 100 positions may change its top choice'],
  ['agreement', 0.003, 'm: at most 0.3 in 100 positions may change its top choice'],
  ['deviation', 0.01, "m: outputs may differ from the uploaded checkpoint's by at most 0.01, squared, on average"],
  ['agreement', 0, 'm: at most 0 positions may change its top choice'],
])('a threshold of %s %d states how much a checkpoint may lose', (kind, threshold, words) => {
  expect(thresholdInWords('m', kind, threshold)).toBe(words);
});

test.each<[MetricKind, QualityThreshold, string]>([
  ['loss', { relative: 0.005 }, "m may grow by at most 0.5 % of the uploaded checkpoint's"],
  ['loss', { absolute: 0.02 }, 'm may grow by at most 0.02'],
  ['kl-divergence', { absolute: 0.02 }, 'm may be at most 0.02 nats'],
  [
    'loss',
    { relative: 0.005, absolute: 0.02, progress: 0.5 },
    "m may grow by at most 0.5 % of the uploaded checkpoint's, and by at most 0.02, and by at most " +
      '50 % of what it gained since the checkpoint before',
  ],
  [
    'accuracy',
    { progress: 0.25 },
    "m may fall by at most 0.5 % of the uploaded checkpoint's, and by at most 25 % of what it gained " +
      'since the checkpoint before',
  ],
])('a threshold of %s %j states its bounds', (kind, threshold, words) => {
  expect(thresholdInWords('m', kind, threshold)).toBe(words);
});

test('every bounded metric of the set has its sentence, in the order of the thresholds', () => {
  const metrics = [
    { name: 'loss', kind: 'loss', output: 'o' },
    { name: 'right', kind: 'accuracy', output: 'o' },
  ] as const;
  expect(thresholdsInWords({ metrics }, { right: 0.5, loss: 0.01, gone: 1 })).toEqual([
    "right may fall by at most 50 % of the uploaded checkpoint's",
    "loss may grow by at most 1 % of the uploaded checkpoint's",
  ]);
});
