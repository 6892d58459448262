import { describe, expect, test } from 'vitest';
import { planGrams } from './plan-grams.ts';
import type { WeightUse } from '../layers/weight-uses.ts';

const use = (initializer: string, inputCount: number, rest: Partial<WeightUse> = {}): WeightUse => ({
  initializer,
  activation: `into ${initializer}`,
  inputs: 'last',
  inputCount,
  unfold: undefined,
  ...rest,
});
const sameNames = (uses: readonly WeightUse[]) =>
  Object.fromEntries(uses.map(({ initializer }) => [initializer, { tensor: initializer, transpose: false }]));
const plan = (uses: readonly WeightUse[], bytesMax = Infinity) => planGrams(uses, sameNames(uses), bytesMax);

describe('block sizes', () => {
  test.each([
    [1, 1],
    [7, 7],
    [1009, 1009],
    [1024, 1024],
    [1031, undefined],
    [1536, 768],
    [2062, undefined],
    [3072, 1024],
    [4097, 241],
    [8 * 1031, 8],
    [7 * 1031, undefined],
  ])('%i inputs in blocks of %s', (inputCount, blockSize) => {
    expect(plan([use('w', inputCount)]).grams.map((gram) => gram.blockSize)).toEqual(
      blockSize === undefined ? [] : [blockSize],
    );
  });

  test('the limit on a block is halved until all fit, exactly', () => {
    const uses = [use('a', 1024), use('b', 1024), use('c', 96)];
    const whole = (2 * 1024 * 1024 + 96 * 96) * 4;
    const halves = (2 * 1024 * 512 + 96 * 96) * 4;
    const sixteenths = (2 * 1024 * 64 + 96 * 48) * 4;
    const sizes = (bytesMax: number) => plan(uses, bytesMax).grams.map((gram) => gram.blockSize);
    expect(sizes(whole)).toEqual([1024, 1024, 96]);
    expect(sizes(whole - 1)).toEqual([512, 512, 96]);
    expect(sizes(halves)).toEqual([512, 512, 96]);
    expect(sizes(sixteenths)).toEqual([64, 64, 48]);
    expect(sizes(1000)).toEqual([]);
  });
});

describe('shared and summed Gram matrices', () => {
  test('one output for equal activations, cut in the same way', () => {
    const unfold = { channels: 2, kernel: [3], strides: [1], dilations: [1], pads: [0, 0] };
    const uses = [
      use('q', 6, { activation: 'x' }),
      use('k', 6, { activation: 'x' }),
      use('conv', 6, { activation: 'x', unfold }),
      use('strided', 6, { activation: 'x', unfold: { ...unfold, strides: [2] } }),
      use('again', 6, { activation: 'x', unfold: { ...unfold } }),
    ];
    const { grams, outputs } = plan(uses);
    expect(grams.map((gram) => gram.terms)).toEqual([[0], [0], [1], [2], [1]]);
    expect(outputs).toHaveLength(3);
  });

  test('uses of one tensor along the same axis add up; along another they are left out', () => {
    const uses = [use('a', 6, { inputs: 'first' }), use('b', 6), use('c', 6), use('unbound', 6)];
    const binding = {
      a: { tensor: 't', transpose: true },
      b: { tensor: 't', transpose: false },
      c: { tensor: 't', transpose: true },
    };
    expect(planGrams(uses, binding, Infinity).grams).toEqual([
      { tensor: 't', inputs: 'last', inputCount: 6, blockSize: 6, terms: [0, 1] },
    ]);
  });

  test('a tensor that is used along both axes has the gram of its first use', () => {
    const uses = [
      use('w', 4, { inputs: 'first', activation: 'x' }),
      use('w', 6, { activation: 'z' }),
      use('w', 4, { inputs: 'first', activation: 'y' }),
    ];
    expect(plan(uses).grams).toEqual([{ tensor: 'w', inputs: 'first', inputCount: 4, blockSize: 4, terms: [0, 1] }]);
  });
});
