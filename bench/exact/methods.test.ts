import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCore } from '../../src/native/load-core.ts';
import { uniformNoise } from '../compression/noise.test-support.ts';
import { aloneMethods, changedMethods, deltaMethods } from './all-methods.ts';
import { bitmask } from './methods/bitmask.ts';
import { bytePlanes, joinPlanes, splitPlanes } from './methods/byte-planes.ts';
import { xored } from './methods/xored.ts';
import { zstd } from './methods/zstd.ts';
import { roundTrip } from './round-trip.ts';
import { weightFile, withBytes, type WeightDtype, type WeightFile } from './weight-file.ts';

const core = loadCore({ threads: 1 });
const wordBytes = { F32: 4, BF16: 2, F16: 2 } as const;

/** Tensors with these word counts; `byteAt` gives their bytes. */
function fileOf(dtype: WeightDtype, counts: readonly number[], byteAt: (i: number) => number): WeightFile {
  const tensors = counts.map((count, tensor) => ({
    name: `t${tensor}`,
    shape: [count],
    bytes: Uint8Array.from({ length: count * wordBytes[dtype] }, (_, i) => byteAt(i + tensor)),
  }));
  return weightFile('model.safetensors', dtype, tensors);
}

const noise = uniformNoise(4096, 1);
const noiseAt = (i: number): number => Math.floor(256 * noise[(i * 7) % 4096]!);
const layouts: readonly (readonly [string, readonly number[]])[] = [
  ['no tensor', []],
  ['one empty tensor', [0]],
  ['one word', [1]],
  ['odd sizes', [3, 1, 0, 7, 129]],
  ['small tensors around one of several blocks', [5, 140_001, 9, 131_072, 2]],
];
const contents: readonly (readonly [string, (i: number) => number])[] = [
  ['noise', noiseAt],
  ['zeros', () => 0],
  ['NaNs with payloads', (i) => [0x01, 0xc3, 0xff, 0x7f, 0x42, 0x17, 0xc1, 0xff][i % 8]!],
];

describe.each(['F32', 'BF16', 'F16'] as const)('%s', (dtype) => {
  const cases = layouts.flatMap(([layout, counts]) =>
    contents.map(([content, byteAt]) => ({ name: `${layout}, ${content}`, counts, byteAt })),
  );

  test.each(cases)('every method gives back $name', async ({ counts, byteAt }) => {
    const current = fileOf(dtype, counts, byteAt);
    const befores = [
      current,
      fileOf(dtype, counts, (i) => noiseAt(3 * i + 1)),
      withBytes(
        current,
        current.bytes.map((byte, i) => (i % 40 === 0 ? byte ^ 1 : byte)),
      ),
    ];
    const count = counts.reduce((sum, each) => sum + each, 0);
    const cheap = (name: string): boolean => count < 1000 || !name.endsWith('19');
    for (const method of aloneMethods(core)) if (cheap(method.name)) await roundTrip(method, current, undefined);
    for (const method of deltaMethods(core, dtype))
      if (cheap(method.name)) for (const before of befores) await roundTrip(method, current, before);
  });

  test('every method gives back any words', async () => {
    const words = fc.uint8Array({ minLength: 4, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(words, words, async (a, b) => {
        const count = Math.floor(a.length / wordBytes[dtype]);
        const current = fileOf(dtype, [count], (i) => a[i]!);
        const before = fileOf(dtype, [count], (i) => (i % 3 === 0 ? (b[i % b.length] ?? 0) : a[i]!));
        for (const method of [...aloneMethods(core), ...deltaMethods(core, dtype)])
          await roundTrip(method, current, before);
      }),
      { numRuns: 30 },
    );
  });
});

test('a method that loses a byte is an error', async () => {
  const current = fileOf('BF16', [4], noiseAt);
  const lossy = { ...zstd(1), decoder: () => ({ decode: () => [], rebuild: () => new Uint8Array(8) }) };
  await expect(roundTrip(lossy, current, undefined)).rejects.toThrow('does not give model.safetensors back');
});

test.each(
  [...changedMethods(core), xored(bytePlanes(1))].filter(
    ({ name }) => name.startsWith('XOR') || name.startsWith('bitmask'),
  ),
)('$name wants a previous file of the same length', (method) => {
  const current = fileOf('BF16', [4], noiseAt);
  expect(() => method.encoder(current, undefined)).toThrow(TypeError);
  expect(() => method.encoder(current, fileOf('BF16', [5], noiseAt))).toThrow(TypeError);
});

describe('bitmask', () => {
  const file = (words: readonly number[]): WeightFile =>
    weightFile('f', 'BF16', [
      { name: 'w', shape: [words.length], bytes: new Uint8Array(Uint16Array.from(words).buffer) },
    ]);

  test('a worked example: the second and the ninth word of nine changed', async () => {
    const payloads = await bitmask.encoder(
      file([1, 0xffc1, 3, 4, 5, 6, 7, 8, 0x8000]),
      file([1, 2, 3, 4, 5, 6, 7, 8, 0]),
    )();
    expect(payloads.map((bytes) => [...bytes])).toEqual([[1], [0b0100_0000, 0b1000_0000], [0xc1, 0xff, 0x00, 0x80]]);
  });

  test('words are stored whole from 15/16 changed on, and n / 8 + 2 n_c bytes below', async () => {
    const before = file(new Array<number>(16).fill(0));
    const changed = (count: number): WeightFile => file(Array.from({ length: 16 }, (_, i) => (i < count ? 1 : 0)));
    expect((await roundTrip(bitmask, changed(14), before)).bytes).toBe(1 + 2 + 28);
    expect((await roundTrip(bitmask, changed(15), before)).bytes).toBe(1 + 32);
  });
});

describe('byte planes', () => {
  test('a worked example: 1, -2 and a NaN of binary32, sign in the lowest plane and exponents in the highest', () => {
    const bytes = new Uint8Array(Uint32Array.of(0x3f800000, 0xc0000000, 0x7fc00001).buffer);
    const planes = splitPlanes(bytes, 'F32');
    expect(planes.map((plane) => [...plane])).toEqual([
      [0, 1, 2],
      [0, 0, 0],
      [0, 0, 0x80],
      [0x7f, 0x80, 0xff],
    ]);
    expect([...joinPlanes(planes, 'F32')]).toEqual([...bytes]);
  });
});
