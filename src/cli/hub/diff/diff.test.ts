import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { f32, safetensors } from '../../../compress/harness/tiny-model.test-support.ts';
import { openWeights } from './byte-source.ts';
import { compareWeights, type Movement } from './compare-weights.ts';
import { layersOf } from './diff.ts';
import { readFloats } from './read-floats.ts';
import { listTensors } from './weights.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-diff-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const noHub = (): never => {
  throw new Error('no hub is asked');
};

async function compare(a: Parameters<typeof safetensors>[0], b: Parameters<typeof safetensors>[0]) {
  const paths = [a, b].map((tensors, at) => {
    const path = join(folder, `${at}.safetensors`);
    writeFileSync(path, safetensors(tensors));
    return path;
  });
  const sources = await Promise.all(paths.map((path) => openWeights(path, noHub)));
  const [before, after] = await Promise.all(sources.map(listTensors));
  const result = await compareWeights(before!, after!, () => undefined);
  await Promise.all(sources.flat().map((source) => source.close()));
  return result;
}

const of = (movements: readonly Movement[], name: string) => movements.find(({ tensor }) => tensor === name)!;

describe('firn diff', () => {
  test('says how far each tensor and each layer moved', async () => {
    const { movements, notCompared } = await compare(
      { 'h.0.w': f32([2], [3, 4]), 'h.0.b': f32([1], [0]), 'h.1.w': f32([2], [1, 1]), old: f32([1], [1]) },
      { 'h.0.w': f32([2], [3, 5]), 'h.0.b': f32([1], [0]), 'h.1.w': f32([2], [1, 1]), fresh: f32([1], [1]) },
    );
    expect(of(movements, 'h.0.w')).toMatchObject({ relative: 0.2, largest: 1, changed: 0.5, layer: 'h.0' });
    expect(of(movements, 'h.0.b')).toMatchObject({ relative: 0, largest: 0, changed: 0 });
    expect(layersOf(movements)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ layer: 'h.0', elements: 3, relative: 0.2, changed: 1 / 3 }),
        expect.objectContaining({ layer: 'h.1', relative: 0 }),
      ]),
    );
    expect(notCompared).toEqual([
      { tensor: 'fresh', why: 'only in the second' },
      { tensor: 'old', why: 'only in the first' },
    ]);
  });

  test('a tensor that was zero, and one that is not finite, moved by no number', async () => {
    const { movements } = await compare(
      { zero: f32([1], [0]), bad: f32([2], [1, 1]), same: f32([1], [0]) },
      { zero: f32([1], [1]), bad: f32([2], [NaN, 1]), same: f32([1], [0]) },
    );
    expect(of(movements, 'zero')).toMatchObject({ relative: null, largest: 1 });
    expect(of(movements, 'bad')).toMatchObject({ relative: null, largest: null });
    expect(of(movements, 'same').relative).toBe(0);
  });

  test('another shape is told, not compared', async () => {
    const { notCompared } = await compare({ w: f32([2], [1, 2]) }, { w: f32([1, 2], [1, 2]) });
    expect(notCompared).toEqual([{ tensor: 'w', why: 'shape [2] became [1,2]' }]);
  });

  test('tensors larger than what is read at once are compared to their end', async () => {
    const count = 2_100_000 + 3;
    const values = Float32Array.from({ length: count }, (_, at) => (at === count - 1 ? 2 : 1));
    const { movements } = await compare(
      {
        a: f32([1], [1]),
        w: f32(
          [count],
          Array.from({ length: count }, () => 1),
        ),
      },
      { a: f32([1], [1]), w: f32([count], [...values]) },
    );
    expect(of(movements, 'w')).toMatchObject({ largest: 1, changed: 1 / count });
    expect(of(movements, 'w').relative).toBeCloseTo(1 / Math.sqrt(count), 12);
  });
});

test('16-bit floats are read exactly: every float32 that fits comes back', () => {
  const numbers = fc.constantFrom(0, 1, -1.5, 2 ** -24, 6.103515625e-5, 65504, -0.25, 1023 * 2 ** -24);
  fc.assert(
    fc.property(numbers, (value) => {
      const word = new DataView(new ArrayBuffer(4));
      word.setFloat32(0, value);
      const bfloat = word.getUint16(0);
      if (word.getUint16(2) === 0) expect(readFloats('BF16', Uint8Array.of(bfloat & 255, bfloat >> 8))[0]).toBe(value);
    }),
  );
  const halves: [number, number][] = [
    [0x3c00, 1],
    [0xbe00, -1.5],
    [0x0001, 2 ** -24],
    [0x0400, 2 ** -14],
    [0x7bff, 65504],
    [0x7c00, Infinity],
  ];
  for (const [bits, value] of halves) expect(readFloats('F16', Uint8Array.of(bits & 255, bits >> 8))[0]).toBe(value);
});
