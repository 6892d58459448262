import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { metricKinds, type MetricKind } from '../../checkpoint/quality.ts';
import { binaryCrossEntropy, classCrossEntropy } from './cross-entropy.ts';
import { labelLayout } from './label-layout.ts';
import type { NumberTensor } from './metric-accumulator.ts';
import { MetricSet } from './metric-set.ts';

const tensor = (dims: number[], ...data: number[]): NumberTensor => ({ dims, data });

/** The value of one metric over batches of an output and labels. */
function metricOf(kind: MetricKind, batches: readonly (readonly [NumberTensor, NumberTensor])[], ignoreLabel?: number): number {
  const metrics = new MetricSet([{ name: 'm', kind, output: 'o', labels: 'l' }], ignoreLabel);
  for (const [output, labels] of batches) metrics.add({ rows: output.dims[0] ?? 1, outputs: new Map([['o', output]]), labels: new Map([['l', labels]]) });
  return metrics.values()['m']!;
}

describe('labelLayout', () => {
  test.each<[number[], number[], number, number]>([
    [[4, 10], [4], 4, 10],
    [[4, 10], [4, 1], 4, 10],
    [[2, 3, 10], [2, 3], 6, 10],
    [[4, 1], [4], 4, 1],
    [[4], [4, 1], 4, 1],
    [[4, 5], [4, 5], 20, 1],
    [[1, 5], [1], 1, 5],
    [[1, 5], [1, 1], 1, 5],
    [[1, 1, 5], [1, 1], 1, 5],
  ])('logits %j with labels %j: %i positions of %i', (logits, labels, positions, classCount) => {
    expect(labelLayout(logits, labels)).toEqual({ positions, classCount });
  });

  test.each<[number[], number[]]>([
    [[4, 10], [5]],
    [
      [4, 10],
      [4, 2],
    ],
    [[2, 3, 10], [6]],
    [[], [2]],
    [[4], [3]],
  ])('logits %j with labels %j are refused', (logits, labels) => {
    expect(() => labelLayout(logits, labels)).toThrow(expect.objectContaining({ code: 'eval-label-mismatch' }));
  });
});

describe('cross-entropy', () => {
  test('of logits equals minus the log of the softmax, and adding a constant changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 2, maxLength: 12 }),
        fc.nat(11),
        fc.integer({ min: -1000, max: 1000 }),
        (logits, pick, shift) => {
          const label = pick % logits.length;
          const expected = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0)) - logits[label]!;
          const row = (data: number[]) => ({ data, start: 0, classCount: data.length });
          expect(classCrossEntropy(row(logits), label)).toBeCloseTo(expected, 9);
          expect(classCrossEntropy(row(logits.map((logit) => logit + shift)), label)).toBeCloseTo(expected, 9);
        },
      ),
    );
  });

  test('logits of any size do not overflow', () => {
    expect(classCrossEntropy({ data: [1e30, 0], start: 0, classCount: 2 }, 0)).toBe(0);
    expect(binaryCrossEntropy(1e30, 1)).toBe(0);
    expect(binaryCrossEntropy(-1e30, 1)).toBe(1e30);
  });

  test('binary logits equal two classes, one of them 0', () => {
    fc.assert(
      fc.property(fc.double({ min: -30, max: 30, noNaN: true }), (logit) => {
        expect(binaryCrossEntropy(logit, 1)).toBeCloseTo(classCrossEntropy({ data: [0, logit], start: 0, classCount: 2 }, 1), 12);
      }),
    );
  });
});

describe('MetricSet', () => {
  test('losses are weighted by rows, values by count', () => {
    const none = tensor([1], 0);
    expect(
      metricOf('loss', [
        [tensor([3, 1], 1, 1, 1), none],
        [tensor([1, 1], 5), none],
      ]),
    ).toBe(2);
    expect(
      metricOf('mse', [
        [tensor([3], 1, 2, 3), tensor([3], 1, 2, 5)],
        [tensor([1], 0), tensor([1], 2)],
      ]),
    ).toBe(2);
  });

  test('accuracy takes the first of equal logits, and 0/1 targets of one logit', () => {
    expect(metricOf('accuracy', [[tensor([2, 2], 3, 3, 1, 2), tensor([2], 0, 1)]])).toBe(1);
    expect(metricOf('accuracy', [[tensor([4, 1], 2, -1, 0, 3), tensor([4], 1, 0, 1, 0)]])).toBe(0.5);
  });

  test('pearson is 1 for a rising line, -1 for a falling one, NaN for a constant', () => {
    const rising = tensor([4], 1, 2, 3, 4);
    expect(metricOf('pearson', [[rising, tensor([4], 10, 20, 30, 40)]])).toBeCloseTo(1, 14);
    expect(metricOf('pearson', [[rising, tensor([4], 4, 3, 2, 1)]])).toBeCloseTo(-1, 14);
    expect(metricOf('pearson', [[rising, tensor([4], 7, 7, 7, 7)]])).toBeNaN();
  });

  test.each(metricKinds.filter((kind) => kind !== 'loss'))('%s leaves ignored labels out, and is NaN for a NaN output that counts', (kind) => {
    const labels = [tensor([3, 1], 0, 1, -100), tensor([3, 1], -100, 1, 0)] as const;
    const clean = metricOf(kind, [[tensor([3, 1], -1, 2, NaN), labels[0]]], -100);
    expect(clean).not.toBeNaN();
    expect(clean).toBe(metricOf(kind, [[tensor([2, 1], -1, 2), tensor([2, 1], 0, 1)]], -100));
    expect(metricOf(kind, [[tensor([3, 1], NaN, 2, NaN), labels[1]]], -100)).toBeNaN();
  });

  test.each([-1, 3, 0.5, NaN])('label %f is no class of three', (label) => {
    expect(() => metricOf('cross-entropy', [[tensor([1, 3], 0, 0, 0), tensor([1], label)]])).toThrow(expect.objectContaining({ code: 'eval-label-mismatch' }));
  });

  test('perplexity is the exponential of the cross-entropy of the whole set, not of each batch', () => {
    const batches = [
      [tensor([1, 2], 3, 0), tensor([1], 0)],
      [tensor([1, 2], 0, 5), tensor([1], 0)],
    ] as const;
    expect(metricOf('perplexity', batches)).toBe(Math.exp(metricOf('cross-entropy', batches)));
  });
});
