import { describe, expect, test } from 'vitest';
import { prototypeCosts } from './prototype-costs.ts';
import type { WeightDtype } from './weight-file.ts';

function cost(dtype: WeightDtype, name: string, current: readonly number[], previous?: readonly number[]): number {
  const found = prototypeCosts[dtype].find((each) => each.name === name)!;
  const bytes = (words: readonly number[]): Uint8Array =>
    new Uint8Array((dtype === 'F32' ? Uint32Array : Uint16Array).from(words).buffer);
  return found.bytes(bytes(current), previous && bytes(previous));
}

const one = 0x3f800000;
const two = 0x40000000;

describe('binary32', () => {
  test('exponents: one bit each for two equally frequent ones, three bytes each for the rest', () => {
    expect(cost('F32', 'exponents order 0, rest raw', [one, two, one, two])).toBe(0.5 + 12);
  });

  test('planes: those of one value are free, and none takes more than its bytes', () => {
    expect(cost('F32', 'planes, order 0', [one, two, one, two])).toBe(0.5);
    const all = Array.from({ length: 512 }, (_, i) => (i & 255) * 0x01010101);
    expect(cost('F32', 'planes, order 0', all)).toBe(4 * 512);
  });

  test('XOR: planes of the words as they are', () => {
    expect(cost('F32', 'planes of XOR, order 0', [one, one, two, two], [one, one, one, one])).toBe(1);
  });

  test('planes of the difference: two bits each of 2, 1, 0 and 512 in the lowest plane but the last', () => {
    const previous = [one, one, one, one];
    const share = (count: number) => -count * Math.log2(count / 4);
    const expected = (share(1) + share(1) + share(2) + share(1) + share(3)) / 8;
    expect(cost('F32', 'planes of difference, order 0', [one + 1, one - 1, one, one + 256], previous)).toBeCloseTo(
      expected,
      10,
    );
  });

  test('difference: lengths 0, 2, 1, 0 take six bits, what is below a leading one is raw', () => {
    const current = [one, one + 1, one - 1, one];
    expect(cost('F32', 'length of difference given exponent, rest raw', current, [one, one, one, one])).toBe(7 / 8);
  });

  test('difference: lengths are free where the previous exponent tells them', () => {
    expect(
      cost('F32', 'length of difference given exponent, rest raw', [one + 1, two, one + 1, two], [one, two, one, two]),
    ).toBe(2 / 8);
  });

  test('difference: zeros of both signs are neighbours, the ends of the order 33 bits apart', () => {
    const name = 'length of difference given exponent, rest raw';
    expect(cost('F32', name, [0x80000000], [0])).toBe(0);
    expect(cost('F32', name, [0x7fffffff], [0xffffffff])).toBe(4);
    expect(cost('F32', name, [0xffffffff], [0x7fffffff])).toBe(4);
  });
});

describe('bfloat16', () => {
  test('planes: sign and mantissa in one, exponents in the other', () => {
    expect(cost('BF16', 'planes, order 0', [0x3f80, 0xbf80, 0x3f80, 0xbf80])).toBe(0.5);
    expect(cost('BF16', 'planes, order 0', [0x3f80, 0x4000, 0x3f80, 0x4000])).toBe(0.5);
  });

  test('XOR', () => {
    expect(cost('BF16', 'planes of XOR, order 0', [0x3f81, 0x3f80], [0x3f80, 0x3f80])).toBe(0.25);
  });

  test('difference: two bits for each of four, and two bytes for the one too large to have a name', () => {
    const one16 = 0x3f80;
    const previous = [one16, one16, one16, one16];
    expect(cost('BF16', 'difference given exponent', [one16, one16 + 1, one16 - 1, one16 + 126], previous)).toBe(1);
    expect(cost('BF16', 'difference given exponent', [one16, one16 + 1, one16 - 1, one16 + 127], previous)).toBe(3);
  });

  test('difference: each previous exponent has a code of its own', () => {
    expect(
      cost('BF16', 'difference given exponent', [0x3f80, 0x4001, 0x3f80, 0x4001], [0x3f80, 0x4000, 0x3f80, 0x4000]),
    ).toBe(0);
    // 0x3c00 and 0x3ffc of binary16 have the same exponent, 0x4000 the next.
    expect(
      cost('F16', 'difference given exponent', [0x3c01, 0x4002, 0x3c01, 0x4002], [0x3c00, 0x4000, 0x3c00, 0x4000]),
    ).toBe(0);
    expect(
      cost('F16', 'difference given exponent', [0x3c01, 0x3ffe, 0x3c01, 0x3ffe], [0x3c00, 0x3ffc, 0x3c00, 0x3ffc]),
    ).toBe(0.5);
  });
});

test.each(['F32', 'BF16', 'F16'] as const)('no %s words cost nothing', (dtype) => {
  for (const { name } of prototypeCosts[dtype]) expect(cost(dtype, name, [], [])).toBe(0);
});
