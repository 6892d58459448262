import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { metricKinds, readsClasses, type MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { binaryCrossEntropy, classCrossEntropy } from './cross-entropy.ts';
import { labelledLayout, type ClassReading } from './label-layout.ts';
import type { NumberTensor } from './metric-accumulator.ts';
import { MetricSet, type LabelOptions } from './metric-set.ts';

const tensor = (dims: number[], ...data: number[]): NumberTensor => ({ dims, data });

/** The value of one metric over batches of an output and labels. */
function metricOf(
  kind: MetricKind,
  batches: readonly (readonly [NumberTensor, NumberTensor])[],
  options: LabelOptions = {},
): number {
  const metrics = new MetricSet([{ name: 'm', kind, output: 'o', labels: 'l' }], { ...options });
  for (const [output, labels] of batches) {
    metrics.add({
      rows: output.dims[0] ?? 1,
      outputs: new Map([['o', output]]),
      labels: new Map([['l', labels]]),
      references: new Map([['o', output.data]]),
    });
  }
  return metrics.values()['m']!;
}

describe('labelledLayout', () => {
  test.each<[number[], number[], number, number, number]>([
    [[4, 10], [4], 4, 10, 1],
    [[4, 10], [4, 1], 4, 10, 1],
    [[2, 3, 10], [2, 3], 6, 10, 1],
    [[1, 5], [1], 1, 5, 1],
    [[1, 5], [1, 1], 1, 5, 1],
    [[1, 1, 5], [1, 1], 1, 5, 1],
    [[2, 5, 7, 3], [2, 7, 3], 42, 5, 21],
    [[2, 5, 7], [2, 7], 14, 5, 7],
  ])(
    'logits %j with labels %j: %i positions of %i classes, %i apart',
    (logits, labels, positions, classCount, classStride) => {
      expect(labelledLayout({ dims: logits }, { dims: labels }, {})).toEqual({
        positions,
        classCount,
        classStride,
        form: 'indices',
      });
    },
  );

  test('the axis that the spec names decides where both would fit', () => {
    expect(labelledLayout({ dims: [2, 5, 5] }, { dims: [2, 5] }, { classAxis: 'second' })).toEqual({
      positions: 10,
      classCount: 5,
      classStride: 5,
      form: 'indices',
    });
    expect(labelledLayout({ dims: [2, 5, 5] }, { dims: [2, 5] }, { classAxis: 'last' })).toEqual({
      positions: 10,
      classCount: 5,
      classStride: 1,
      form: 'indices',
    });
  });

  test('probabilities have the shape of the logits', () => {
    expect(labelledLayout({ dims: [4, 10] }, { dims: [4, 10] }, { labels: 'probabilities' })).toEqual({
      positions: 4,
      classCount: 10,
      classStride: 1,
      form: 'probabilities',
    });
    expect(() => labelledLayout({ dims: [4, 10] }, { dims: [4] }, { labels: 'probabilities' })).toThrow(
      /Labels of shape \[4\] are probabilities by the spec .* the shape of the logits, \[4, 10\]/,
    );
  });

  test.each<[string, number[], number[], ClassReading, RegExp]>([
    ['another count', [4, 10], [5], {}, /class indices have shape \[4\]/],
    ['two labels a row', [4, 10], [4, 2], {}, /do not fit/],
    [
      'flattened labels',
      [2, 3, 10],
      [6],
      {},
      /class indices have shape \[2, 3\] \(or \[2, 10\] where classes are the second axis\)/,
    ],
    ['a scalar output', [], [2], {}, /do not fit/],
    ['no class axis', [4], [3], {}, /do not fit/],
    ['one-hot labels', [4, 5], [4, 5], {}, /"labels": "probabilities".*"binary-cross-entropy"/],
    ['one-hot labels said to be indices', [4, 5], [4, 5], { labels: 'indices' }, /are no indices.*\[4\]/],
    ['one logit a row', [4, 1], [4], {}, /yes or no.*"binary-cross-entropy"/],
    ['one logit a row without its axis', [4], [4, 1], {}, /yes or no/],
    ['two readings', [2, 5, 5], [2, 5], {}, /"classAxis": "last" or "classAxis": "second"/],
  ])('%s is refused with what to do', (_, logits, labels, reading, sentence) => {
    expect(() => labelledLayout({ dims: logits }, { dims: labels }, reading)).toThrow(
      expect.objectContaining({ code: 'eval-label-mismatch', message: expect.stringMatching(sentence) }),
    );
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
          const row = (data: number[]) => ({ data, start: 0, classCount: data.length, stride: 1 });
          expect(classCrossEntropy(row(logits), label)).toBeCloseTo(expected, 9);
          expect(classCrossEntropy(row(logits.map((logit) => logit + shift)), label)).toBeCloseTo(expected, 9);
        },
      ),
    );
  });

  test('logits of any size do not overflow', () => {
    expect(classCrossEntropy({ data: [1e30, 0], start: 0, classCount: 2, stride: 1 }, 0)).toBe(0);
    expect(binaryCrossEntropy(1e30, 1)).toBe(0);
    expect(binaryCrossEntropy(-1e30, 1)).toBe(1e30);
  });

  test('binary logits equal two classes, one of them 0', () => {
    fc.assert(
      fc.property(fc.double({ min: -30, max: 30, noNaN: true }), (logit) => {
        expect(binaryCrossEntropy(logit, 1)).toBeCloseTo(
          classCrossEntropy({ data: [0, logit], start: 0, classCount: 2, stride: 1 }, 1),
          12,
        );
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

  test('accuracy takes the first of equal logits, binary accuracy the sign of one', () => {
    expect(metricOf('accuracy', [[tensor([2, 2], 3, 3, 1, 2), tensor([2], 0, 1)]])).toBe(1);
    expect(metricOf('binary-accuracy', [[tensor([4, 1], 2, -1, 0, 3), tensor([4], 1, 0, 1, 0)]])).toBe(0.5);
  });

  test('one-hot labels give the same result as indices, to the last bit', () => {
    const logits = tensor([3, 4], 1, 2, -1, 0.5, 3, -2, 0, 1, 0.1, 0.2, 0.3, 0.4);
    const oneHot = tensor([3, 4], 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0);
    for (const kind of ['cross-entropy', 'accuracy', 'perplexity', 'top-k-accuracy', 'f1'] as const)
      expect(metricOf(kind, [[logits, oneHot]], { labels: 'probabilities' }), kind).toBe(
        metricOf(kind, [[logits, tensor([3], 1, 0, 2)]]),
      );
  });

  test('classes on the second axis give the same result as on the last', () => {
    const last = tensor([1, 2, 3], 1, 2, 3, 6, 5, 4);
    const second = tensor([1, 3, 2], 1, 6, 2, 5, 3, 4);
    for (const kind of ['cross-entropy', 'accuracy', 'f1'] as const)
      expect(metricOf(kind, [[second, tensor([1, 2], 0, 0)]], {}), kind).toBe(
        metricOf(kind, [[last, tensor([1, 2], 0, 0)]]),
      );
  });

  test('labels that are no distributions are refused', () => {
    const reading = { labels: 'probabilities' } as const;
    expect(() => metricOf('cross-entropy', [[tensor([1, 2], 0, 0), tensor([1, 2], 1, 1)]], reading)).toThrow(
      /add up to 1 at each position; some add up to 2/,
    );
    expect(() => metricOf('cross-entropy', [[tensor([1, 2], 0, 0), tensor([1, 2], -1, 2)]], reading)).toThrow(
      /-1 is no probability/,
    );
  });

  test('macro F1 is the mean over the classes that occur', () => {
    // Class 0: 1 right of 2 answers and 1 label, 2/3. Class 1: 1 right, 1 answer, 2 labels, 2/3. Class 2 occurs
    // nowhere.
    expect(metricOf('f1', [[tensor([3, 3], 5, 0, 0, 5, 0, 0, 0, 5, 0), tensor([3], 0, 1, 1)]])).toBeCloseTo(2 / 3, 14);
  });

  test('top-k counts a label among the k largest, the first of equals first', () => {
    const metrics = (k: number) =>
      new MetricSet([{ name: 'm', kind: 'top-k-accuracy', output: 'o', labels: 'l', k }], {});
    const valueOf = (k: number): number => {
      const set = metrics(k);
      set.add({
        rows: 2,
        outputs: new Map([['o', tensor([2, 3], 3, 2, 1, 1, 1, 1)]]),
        labels: new Map([['l', tensor([2], 1, 2)]]),
      });
      return set.values()['m']!;
    };
    expect([1, 2, 3].map(valueOf)).toEqual([0, 0.5, 1]);
  });

  test('divergence is that of the two distributions, agreement the share of equal top choices', () => {
    const compared = (kind: MetricKind, reference: number[]): number => {
      const set = new MetricSet([{ name: 'm', kind, output: 'o' }], {});
      const output = tensor([2, 2], 0, Math.log(3), 2, 0);
      set.add({
        rows: 2,
        outputs: new Map([['o', output]]),
        labels: new Map(),
        references: new Map([['o', reference]]),
      });
      return set.values()['m']!;
    };
    const [p, q] = [0.5, 0.25];
    // The first position: 1/2, 1/2 against 1/4, 3/4; the second is the same on both sides.
    expect(compared('kl-divergence', [0, 0, 2, 0])).toBeCloseTo(
      (p * Math.log(p / q) + p * Math.log(p / (1 - q))) / 2,
      14,
    );
    expect(compared('kl-divergence', [0, Math.log(3), 2, 0])).toBe(0);
    expect(compared('agreement', [0, 0, 2, 0])).toBe(0.5);
    expect(compared('agreement', [0, NaN, 2, 0])).toBeNaN();
    expect(() => compared('agreement', [0, 0])).toThrow(expect.objectContaining({ code: 'eval-label-mismatch' }));
  });

  test('deviation is the mean of squared differences from the uploaded values, ignored ones apart', () => {
    const compared = (labels: NumberTensor, reference: readonly number[]) => {
      const metrics = new MetricSet([{ name: 'm', kind: 'deviation', output: 'o', labels: 'l' }], { ignoreLabel: -1 });
      const output = tensor([3], 1, 2, 5);
      metrics.add({
        rows: 3,
        outputs: new Map([['o', output]]),
        labels: new Map([['l', labels]]),
        references: new Map([['o', reference]]),
      });
      return metrics.values()['m'];
    };
    expect(compared(tensor([3], 0, 0, 0), [1, 4, 4])).toBe(5 / 3);
    expect(compared(tensor([3], 0, -1, 0), [1, 4, 4])).toBe(0.5);
    expect(() => compared(tensor([3], 0, 0, 0), [1, 4])).toThrow(
      expect.objectContaining({ code: 'eval-label-mismatch' }),
    );
    expect(() => compared(tensor([2], 0, 0), [1, 4, 4])).toThrow(
      expect.objectContaining({ code: 'eval-label-mismatch' }),
    );
  });

  test('pearson is 1 for a rising line, -1 for a falling one, NaN for a constant', () => {
    const rising = tensor([4], 1, 2, 3, 4);
    expect(metricOf('pearson', [[rising, tensor([4], 10, 20, 30, 40)]])).toBeCloseTo(1, 14);
    expect(metricOf('pearson', [[rising, tensor([4], 4, 3, 2, 1)]])).toBeCloseTo(-1, 14);
    expect(metricOf('pearson', [[rising, tensor([4], 7, 7, 7, 7)]])).toBeNaN();
  });

  test.each(metricKinds.filter((kind) => kind !== 'loss'))(
    '%s leaves ignored labels out, and is NaN for a NaN output that counts',
    (kind) => {
      const classes = readsClasses(kind);
      const width = classes ? 2 : 1;
      const output = (...values: number[]) =>
        tensor([values.length, width], ...values.flatMap((value) => (classes ? [0, value] : [value])));
      const labels = (...values: number[]) => tensor([values.length, 1], ...values);
      const clean = metricOf(kind, [[output(-1, 2, NaN), labels(0, 1, -100)]], { ignoreLabel: -100 });
      expect(clean).not.toBeNaN();
      expect(clean).toBe(metricOf(kind, [[output(-1, 2), labels(0, 1)]], { ignoreLabel: -100 }));
      expect(metricOf(kind, [[output(NaN, 2, NaN), labels(-100, 1, 0)]], { ignoreLabel: -100 })).toBeNaN();
    },
  );

  test.each([-1, 3, 0.5, NaN])('label %f is no class of three', (label) => {
    expect(() => metricOf('cross-entropy', [[tensor([1, 3], 0, 0, 0), tensor([1], label)]])).toThrow(
      expect.objectContaining({ code: 'eval-label-mismatch' }),
    );
  });

  test('perplexity is the exponential of the cross-entropy of the whole set, not of each batch', () => {
    const batches = [
      [tensor([1, 2], 3, 0), tensor([1], 0)],
      [tensor([1, 2], 0, 5), tensor([1], 0)],
    ] as const;
    expect(metricOf('perplexity', batches)).toBe(Math.exp(metricOf('cross-entropy', batches)));
  });
});
