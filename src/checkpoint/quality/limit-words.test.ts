import { expect, test } from 'vitest';
import { metricLimits, type MeasuredUpload } from './degradation-limits.ts';
import { limitsInWords } from './limit-words.ts';
import type { MetricKind } from './metric-kind.ts';
import type { QualityThreshold } from './quality.ts';

function words(threshold: QualityThreshold, before: readonly number[], kind: MetricKind = 'loss'): string[] {
  const metrics = [{ name: 'm', kind, output: 'y' }];
  const baseline = { m: 2 };
  const earlier = before.map((value, i): MeasuredUpload => ({
    run: 'train',
    step: 900 - 100 * i,
    metrics: { m: value },
  }));
  const limits = metricLimits({ metrics, thresholds: { m: threshold }, baseline, earlier });
  return limitsInWords({ spec: { metrics }, limits, baseline, hasEarlier: earlier.length > 0 });
}

const half = { relative: 0.005, progress: 0.5 };

test.each<[string, string[], string]>([
  [
    'what was gained',
    words(half, [2.008]),
    '"m" fell by 0.4 % since step 900 of run "train": at most 0.2 % may be lost.',
  ],
  [
    'a metric that rises',
    words(half, [1.992], 'accuracy'),
    '"m" rose by 0.4 % since step 900 of run "train": at most 0.2 % may be lost.',
  ],
  [
    'a gain that leaves the other bound',
    words(half, [2.1]),
    '"m" fell by 5 % since step 900 of run "train": at most 0.5 % may be lost, which is tighter than progress.',
  ],
  [
    'nearly no gain',
    words(half, [2.0002]),
    '"m" fell by 0.01 % since step 900 of run "train": at most 0.05 % may be lost, the least that ' +
      'progress leaves of 0.5 %.',
  ],
  [
    'a gain over several checkpoints',
    words(half, [2, 2.016]),
    '"m" is no better than at the checkpoint before; it fell by 0.4 % a checkpoint since step 800 of ' +
      'run "train": at most 0.2 % may be lost.',
  ],
  [
    'no gain',
    words(half, [1.9]),
    '"m" is no better than at any of the last 8 checkpoints, so progress bounds nothing: at most 0.5 % may be lost.',
  ],
  [
    'a first checkpoint',
    words(half, []),
    '"m" was measured at no earlier checkpoint, so progress bounds nothing: at most 0.5 % may be lost.',
  ],
])('%s', (_, found, sentence) => {
  expect(found).toEqual([sentence]);
});

test('a threshold without progress has no sentence', () => {
  expect(words(0.005, [2.008])).toEqual([]);
});
