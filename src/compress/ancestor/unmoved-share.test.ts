import { expect, test } from 'vitest';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import { f32, noise, safetensors, type TestTensors } from '../harness/tiny-model.test-support.ts';
import { uploadedBytes } from '../upload/tensor-bytes.ts';
import type { SourceFile } from '../upload/model-source.ts';
import { unmovedShare, type OtherFile } from './unmoved-share.ts';

function fileOf(tensors: TestTensors, role: SourceFile['role'] = 'model'): SourceFile {
  const bytes = safetensors(tensors);
  const reader = { read: async (at: number, length: number) => bytes.subarray(at, at + length) };
  const layout = parseSafetensorsHeader(bytes, bytes.length);
  return { path: 'x.safetensors', type: 'safetensors', role, layout, reader } as unknown as SourceFile;
}

function otherOf(file: SourceFile): OtherFile {
  return {
    tensorOf: ({ name }) => {
      const there = file.layout.tensors.find((tensor) => tensor.name === name);
      return there && uploadedBytes(file, there, undefined);
    },
    close: async () => undefined,
  };
}

const shareOf = (now: TestTensors, before: TestTensors, role?: SourceFile['role']): Promise<number> =>
  unmovedShare([fileOf(now, role)], async () => otherOf(fileOf(before)));

const matrix = (seed: number) => f32([32, 64], noise(2048, seed));
/** One element outside of the samples differs. */
const touched = (seed: number) =>
  f32(
    [32, 64],
    noise(2048, seed).map((x, i) => (i === 900 ? x + 1 : x)),
  );

test('counts the bytes of tensors that are equal to the last one', async () => {
  expect(await shareOf({ a: matrix(1), b: matrix(2) }, { a: matrix(1), b: matrix(3) })).toBe(0.5);
  expect(await shareOf({ a: matrix(1), b: matrix(2) }, { a: matrix(1), b: touched(2) })).toBe(0.5);
  expect(await shareOf({ a: matrix(1) }, { b: matrix(1) })).toBe(0);
});

test('small tensors and constant ones count as moved', async () => {
  const small = f32([10], noise(10, 1));
  const zeros = f32([32, 64], new Float32Array(2048));
  expect(await shareOf({ small, zeros }, { small, zeros })).toBe(0);
});

test('only files of the model count, and a file that is not there moved', async () => {
  expect(await shareOf({ a: matrix(1) }, { a: matrix(1) }, 'optimizer')).toBe(0);
  expect(await unmovedShare([fileOf({ a: matrix(1) })], async () => undefined)).toBe(0);
});
