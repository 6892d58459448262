import { describe, expect, test } from 'vitest';
import { metricLimits, type LimitBasis, type MetricLimit } from './degradation-limits.ts';
import type { MetricKind } from './metric-kind.ts';
import type { QualityThreshold } from './quality.ts';

const upload = (step: number, value: number) => ({ run: 'train', step, metrics: { m: value } });

/** The limit of the metric `m`, whose value is 2; `earlier` are its values at the checkpoints before, nearest first. */
function limitOf(threshold: QualityThreshold, earlier: readonly number[], kind: MetricKind = 'loss', value = 2) {
  const basis: LimitBasis = {
    metrics: [{ name: 'm', kind, output: 'y' }],
    thresholds: { m: threshold },
    baseline: { m: value },
    earlier: earlier.map((before, i) => upload(900 - 100 * i, before)),
  };
  return metricLimits(basis)['m']!;
}

describe('the limit of a metric', () => {
  const half = { relative: 0.005, progress: 0.5 };
  test.each<[string, MetricLimit, Partial<MetricLimit>]>([
    ['a number is a share of the value', limitOf(0.01, [3]), { degradationMax: 0.01, boundBy: 'relative' }],
    [
      'a number is the change itself for kinds that compare with the upload',
      limitOf(0.01, [0], 'kl-divergence', 0),
      { degradationMax: 0.01, boundBy: 'absolute' },
    ],
    ['an absolute bound is in the unit of the metric', limitOf({ absolute: 0.01 }, []), { degradationMax: 0.005 }],
    ['of two bounds the tighter holds', limitOf({ relative: 0.01, absolute: 0.01 }, []), { boundBy: 'absolute' }],
    ['and so it does the other way', limitOf({ relative: 0.004, absolute: 0.01 }, []), { boundBy: 'relative' }],
    [
      'progress is a share of the gain since the checkpoint before',
      limitOf(half, [2.008, 4]),
      {
        degradationMax: 0.002,
        boundBy: 'progress',
        withoutProgress: 0.005,
        gain: { run: 'train', step: 900, value: 2.008, checkpoints: 1, perCheckpoint: expect.closeTo(0.008, 12) },
      },
    ],
    [
      'of an accuracy, the gain is upwards',
      limitOf({ relative: 0.01, progress: 0.5 }, [0.79], 'accuracy', 0.8),
      { degradationMax: 0.00625, boundBy: 'progress' },
    ],
    [
      'a gain that allows more leaves the other bound',
      limitOf(half, [3]),
      { degradationMax: 0.005, boundBy: 'relative' },
    ],
    [
      'an absolute bound beside progress counts too',
      limitOf({ absolute: 0.004, progress: 0.5 }, [2.02]),
      { degradationMax: 0.002, boundBy: 'absolute' },
    ],
    [
      'progress alone has the default beside it',
      limitOf({ progress: 0.5 }, [3]),
      { degradationMax: 0.005, boundBy: 'relative', withoutProgress: 0.005 },
    ],
    [
      'a metric that is no better has the mean gain since the nearest checkpoint that it is better than',
      limitOf(half, [1.99, 2, 2.024]),
      {
        degradationMax: 0.002,
        boundBy: 'progress',
        gain: { run: 'train', step: 700, value: 2.024, checkpoints: 3, perCheckpoint: expect.closeTo(0.008, 12) },
      },
    ],
    [
      'a gain of nearly nothing makes a bound ten times tighter, and no more',
      limitOf(half, [2.000001]),
      { degradationMax: 0.0005, boundBy: 'progress' },
    ],
    [
      'an upload that is not finite is passed over',
      limitOf(half, [Number.NaN, 2.008]),
      { degradationMax: 0.002, gain: expect.objectContaining({ step: 800, checkpoints: 1 }) },
    ],
  ])('%s', (_, limit, expected) => {
    expect(limit).toMatchObject(
      'degradationMax' in expected
        ? { ...expected, degradationMax: expect.closeTo(expected.degradationMax!, 12) }
        : expected,
    );
  });

  test.each([
    ['there is no earlier checkpoint', []],
    ['it is better than none of the last eight', [1, 1, 1, 1, 1, 1, 1, 1, 3]],
  ])('progress bounds nothing where %s', (_, earlier) => {
    expect(limitOf(half, earlier)).toEqual({ degradationMax: 0.005, boundBy: 'relative', withoutProgress: 0.005 });
    expect(limitOf({ progress: 0.5 }, earlier)).toMatchObject({ degradationMax: 0.005 });
  });

  test('a limit without progress says nothing of it', () => {
    expect(limitOf(0.005, [2.008])).toEqual({ degradationMax: 0.005, boundBy: 'relative' });
    expect(limitOf({ relative: 0.005 }, [2.008])).toEqual({ degradationMax: 0.005, boundBy: 'relative' });
  });

  test('a value that is not finite lets nothing be lost in its own unit', () => {
    expect(limitOf({ absolute: 0.1 }, [], 'loss', Number.NaN).degradationMax).toBe(0);
  });
});
