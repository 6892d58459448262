import { expect, test } from 'vitest';
import type { TensorCoding } from '../../package/package-index.ts';
import { patternBytes } from '../../store/object-store.reference.ts';
import { planCopies } from './find-copies.ts';
import { sourceFile } from '../harness/memory-source.test-support.ts';
import { planExact, type CodingPlan } from './plan-codings.ts';
import { f32, noise, safetensors, type TestTensor, type TestTensors } from '../harness/tiny-model.test-support.ts';

const matrix = (seed: number): TestTensor => f32([40, 50], noise(2000, seed));
const exact: TensorCoding = { kind: 'exact', layerType: 'buffer' };

/** The coding of every tensor, by file; `kinds` replaces those that are exact. */
async function codings(
  files: readonly TestTensors[],
  kinds: Readonly<Record<string, TensorCoding>> = {},
  apart: readonly number[] = [],
) {
  const sources = files.map((tensors, i) => sourceFile(`${i}.safetensors`, safetensors(tensors)));
  const plain = planExact(sources, new Map());
  const plan: CodingPlan = {
    ...plain,
    files: plain.files.map((file, i) => ({
      ...file,
      codings: file.codings.map((coding, tensor) => kinds[sources[i]!.layout.tensors[tensor]!.name] ?? coding),
    })),
  };
  const found = await planCopies({ files: sources, plan, apart: new Set(apart) });
  return found.files.map((file, i) =>
    Object.fromEntries(file.codings.map((coding, tensor) => [sources[i]!.layout.tensors[tensor]!.name, coding])),
  );
}

test('a tensor with the bytes of an earlier one is a copy of the first, whatever its shape and name', async () => {
  const [first, second] = await codings([
    { a: matrix(1), b: matrix(2), c: { ...matrix(1), shape: [2000] } },
    { d: matrix(2), e: matrix(3), f: matrix(1) },
  ]);
  expect(first).toEqual({ a: exact, b: exact, c: { kind: 'copy', file: 0, tensor: 0 } });
  expect(second).toEqual({
    d: { kind: 'copy', file: 0, tensor: 1 },
    e: exact,
    f: { kind: 'copy', file: 0, tensor: 0 },
  });
});

test('a tensor is no copy if it differs in one bit, dtype or coding, repeats one element, or is small', async () => {
  const near = noise(2000, 1);
  near[500] = near[500]! + 1;
  const tensors = {
    a: matrix(1),
    b: f32([40, 50], near),
    c: { dtype: 'I32', shape: [2000], data: matrix(1).data },
    d: matrix(1),
    zeros: f32([2000], new Float32Array(2000)),
    more: f32([2000], new Float32Array(2000)),
    small: f32([20], noise(20, 1)),
    same: f32([20], noise(20, 1)),
  } as const;
  const kinds = { d: { kind: 'residual' } } as const;
  expect(await codings([tensors], kinds)).toEqual([
    { ...Object.fromEntries(Object.keys(tensors).map((name) => [name, exact])), ...kinds },
  ]);
});

test('quantized tensors are copies of those of the same codebook or method', async () => {
  const tensors = { a: matrix(1), b: matrix(1), c: matrix(1), d: matrix(1), e: matrix(1) };
  const levels = (codebook: number): TensorCoding => ({ kind: 'levels', codebook });
  const [found] = await codings([tensors], {
    a: levels(0),
    b: levels(1),
    c: { kind: 'residual' },
    d: levels(1),
    e: { kind: 'residual' },
  });
  expect(found).toMatchObject({
    a: levels(0),
    b: levels(1),
    d: { kind: 'copy', tensor: 1 },
    e: { kind: 'copy', tensor: 2 },
  });
});

test('files apart have no copies of others, nor others of them', async () => {
  const tied = { a: matrix(1), b: matrix(1) };
  const [first, second] = await codings([tied, tied], {}, [1]);
  expect([first, second]).toEqual([
    { a: exact, b: { kind: 'copy', file: 0, tensor: 0 } },
    { a: exact, b: { kind: 'copy', file: 1, tensor: 0 } },
  ]);
});

test('a large file is not bound to the package by a tensor that is little of it', async () => {
  const large: TestTensor = { dtype: 'U8', shape: [17_000_000], data: patternBytes(17_000_000) };
  const little: TestTensor = { dtype: 'U8', shape: [4096], data: patternBytes(4096, 5) };
  const enough: TestTensor = { dtype: 'U8', shape: [4160], data: patternBytes(4160, 5) };
  expect((await codings([{ large, little }, { little }]))[1]).toEqual({ little: exact });
  expect((await codings([{ large, enough }, { enough }]))[1]).toEqual({ enough: { kind: 'copy', file: 0, tensor: 1 } });
});
